package compat

import (
	_ "embed"
	"fmt"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/encoding-changed.txtar
var encodingChangedExample string

var encodingChanged = &Rule{Doc: rule.Doc{
	ID: "encoding-changed", Kind: rule.Contract, Severity: rule.Error,
	Title:   "The payload travels in another encoding",
	Why:     "A deployed consumer decodes the old encoding: every new event fails to parse. A new consumer fails at every event of the backlog.",
	Fix:     "Publish a new major version on a topic of its own, or teach every consumer both encodings first.",
	Example: encodingChangedExample,
}, moved: encodingMoves}

func encodingMoves(p pair) []move {
	next, prev := p.new.Encoding(), p.old.Encoding()
	if next == prev {
		return nil
	}
	return []move{{
		path:    "channel.encoding",
		message: fmt.Sprintf("%s: channel.encoding was %s and is %s: no reader of the one can parse the other", p.name(), prev, next),
		new:     orPlace(p.new.Channel.Encoding.Pos, p.new.Channel.Pos), old: orPlace(p.old.Channel.Encoding.Pos, p.old.Channel.Pos),
		about: []string{string(prev), string(next)},
	}}
}
