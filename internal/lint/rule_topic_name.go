package lint

import (
	_ "embed"
	"regexp"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/topic-name.txtar
var topicNameExample string

var topicName = &Rule{rule.Doc{
	ID: "topic-name", Kind: rule.Lint, Severity: rule.Error,
	Title:   "A topic has a name that brokers refuse",
	Why:     "Kafka takes letters, digits, dots, hyphens and underscores, 249 at most; NATS reads * and > as wildcards and ends a subject at a space. The first publish fails, or goes elsewhere.",
	Fix:     "Use letters, digits, dots, hyphens and underscores, with something between two dots.",
	Example: topicNameExample,
}, checkTopicName}

var topicForm = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

func checkTopicName(p *Pass) {
	for _, e := range p.declared() {
		if topic := e.Channel.Topic; topic.Value != "" && (!topicForm.MatchString(topic.Value) || len(topic.Value) > 249) {
			p.event(e, topic.Pos, "%s travels on the topic %q, a name that not every broker takes: its first publish fails", subject(e), topic.Value)
		}
	}
}
