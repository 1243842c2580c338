package vet

import (
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/evcontract/evcontract/internal/rule"
)

// Rules lists every rule, in the order in which code is written.
var Rules = []*Rule{keyZero, keyFresh, publishUnchecked, callRepeated, txKept}

// Rule is one thing that code can get wrong with what was generated for it.
type Rule struct {
	rule.Doc
	Check func(*pass)
}

// Docs lists the pages of the rules.
func Docs() []rule.Doc {
	docs := make([]rule.Doc, len(Rules))
	for i, r := range Rules {
		docs[i] = r.Doc
	}
	return docs
}

// Analyzers makes one analyzer a rule, named like the rule without its hyphens:
// the go command offers each of them as a flag.
func Analyzers() []*analysis.Analyzer {
	known := knowledgeAnalyzer()
	list := make([]*analysis.Analyzer, len(Rules))
	for i, r := range Rules {
		list[i] = analyzer(strings.ReplaceAll(r.ID, "-", ""), known, r)
	}
	return list
}

func analyzer(name string, known *analysis.Analyzer, rules ...*Rule) *analysis.Analyzer {
	a := &analysis.Analyzer{
		Name:     name,
		Doc:      rules[0].Title + "\n\n" + rules[0].Why + " " + rules[0].Fix,
		URL:      "https://pkg.go.dev/github.com/evcontract/evcontract",
		Requires: []*analysis.Analyzer{known},
	}
	a.Run = func(p *analysis.Pass) (any, error) {
		k := p.ResultOf[known].(*knowledge)
		for _, r := range rules {
			r.Check(&pass{knowledge: k, rule: r, report: p.Report})
		}
		return nil, nil
	}
	return a
}

// Advice is how a diagnostic of a rule ends, so that whoever reads it in the go
// command's output knows what to do. A report has the same in fields of their own.
func Advice(d rule.Doc) string { return ". " + strings.TrimSuffix(d.Fix, ".") + " (" + d.ID + ")" }
