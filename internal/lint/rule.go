package lint

import "github.com/evcontract/evcontract/internal/rule"

// Rule is one thing that a set of contracts can get wrong by itself.
type Rule struct {
	rule.Doc
	Check func(*Pass)
}

// ByID gives the rule of an id, nil where there is none.
func ByID(id string) *Rule {
	for _, r := range Rules {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// Docs lists the pages of the rules.
func Docs() []rule.Doc {
	docs := make([]rule.Doc, len(Rules))
	for i, r := range Rules {
		docs[i] = r.Doc
	}
	return docs
}

func allIDs() []string {
	names := make([]string, len(Rules))
	for i, r := range Rules {
		names[i] = r.ID
	}
	return names
}
