package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/topic-missing.txtar
var topicMissingExample string

var topicMissing = &Rule{rule.Doc{
	ID: "topic-missing", Kind: rule.Lint, Severity: rule.Error,
	Title:   "An event has no topic",
	Why:     "Nothing can be published or consumed without a topic, and a check cannot see that one moved.",
	Fix:     "Add channel: {topic: NAME}.",
	Example: topicMissingExample,
}, checkTopicMissing}

func checkTopicMissing(p *Pass) {
	for _, e := range p.declared() {
		if e.Channel.Topic.Value == "" {
			p.event(e, orPos(e.Channel.Topic.Pos, e.Channel.Pos), "%s has no topic: it can be neither published nor consumed", subject(e))
		}
	}
}
