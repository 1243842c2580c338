package compat

import (
	_ "embed"
	"fmt"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/topic-moved.txtar
var topicMovedExample string

var topicMoved = &Rule{Doc: rule.Doc{
	ID: "topic-moved", Kind: rule.Contract, Severity: rule.Error,
	Title:   "The event is sent to another topic",
	Why:     "Deployed consumers are subscribed to the old topic and receive nothing, without any error.",
	Fix:     "Send to both topics until every consumer has moved, or move the consumers first; then change the contract.",
	Example: topicMovedExample,
}, moved: topicMoves}

func topicMoves(p pair) []move {
	next, prev := p.new.Channel.Topic, p.old.Channel.Topic
	if prev.Value == "" || next.Value == prev.Value {
		return nil
	}
	return []move{{
		direction: rule.Forward, path: "channel.topic",
		message: fmt.Sprintf("%s: channel.topic was %s and is %s: deployed consumers do not receive the event any more", p.name(), prev.Value, orNothing(next.Value)),
		new:     orPlace(next.Pos, p.new.Channel.Pos), old: prev.Pos,
		about: []string{prev.Value, next.Value},
	}}
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}
