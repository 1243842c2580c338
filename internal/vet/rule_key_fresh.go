package vet

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/key-fresh.txtar
var keyFreshExample string

var keyFresh = &Rule{rule.Doc{
	ID: "key-fresh", Kind: rule.Code, Severity: rule.Error,
	Title:   "A key is made from a value that the next attempt makes differently",
	Why:     "A fresh UUID, a random value or the clock differs at every attempt. When the business operation is retried it publishes the same fact under another key, and every consumer handles it twice.",
	Fix:     "Make the key from what names the fact in the business: an id that the request carries, or one that was stored before the first attempt.",
	Example: keyFreshExample,
}, checkKeyFresh}

func checkKeyFresh(p *pass) {
	judged := p.judgedLines()
	for _, f := range p.freshKeys {
		if judged(f.at.Pos()) {
			p.say(f.at, nil, "%s makes the key from %s: the next attempt makes another key of the same fact", f.maker, f.source)
		}
	}
}
