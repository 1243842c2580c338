package compat

import (
	_ "embed"
	"fmt"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/event-removed.txtar
var eventRemovedExample string

var eventRemoved = &Rule{Doc: rule.Doc{
	ID: "event-removed", Kind: rule.Contract, Severity: rule.Error,
	Title:   "A declared event is gone",
	Why:     "Deployed consumers wait for an event that nobody sends any more, and nothing tells them.",
	Fix:     "Mark it deprecated with a sunset and a successor, then retired when no consumer is left; a retired event may be removed. A renamed event is a new one: publish it beside the old.",
	Example: eventRemovedExample,
}}

func eventGone(p pair) move {
	return move{
		message: fmt.Sprintf("%s: the event is gone: consumers wait for what nobody sends", p.name()),
		old:     p.old.Pos,
	}
}
