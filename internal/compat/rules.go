package compat

import (
	_ "embed" // every rule's example is the pair that tests it

	"github.com/evcontract/evcontract/internal/rule"
)

// Rule is one consequence for a reader. What is wrong with a payload is found by
// an engine, which names the rule by its id; what moved around the payload is
// found by the rule itself.
type Rule struct {
	rule.Doc
	moved func(pair) []move
	bare  bool // it looks at schemas, and needs no manifest
}

// Rules lists every rule that a check may break, by consequence: refused,
// another value seen, lost, no longer sent, without a name, moved, undecided.
var Rules = []*Rule{
	typeRefused, valueRefused, fieldMissing, fieldRefused, shapeRefused, parseRefused,
	valueTruncated, valueGarbled, meaningChanged,
	fieldLost, elementLost,
	fieldUnsent,
	enumUnnamed,
	identityMoved, keyChanged, topicMoved, partitionMoved, encodingChanged, eventRemoved, numberUnreserved,
	undecided,
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
