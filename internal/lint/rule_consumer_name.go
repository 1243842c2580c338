package lint

import (
	_ "embed"
	"regexp"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/consumer-name.txtar
var consumerNameExample string

var consumerName = &Rule{rule.Doc{
	ID: "consumer-name", Kind: rule.Lint, Severity: rule.Error,
	Title:   "A consumer has a name that brokers refuse",
	Why:     "The name is the consumer's group in Kafka, its durable in NATS and its queue in RabbitMQ. NATS refuses dots, spaces and wildcards in it, so the consumer does not start.",
	Fix:     "Use letters, digits, hyphens and underscores.",
	Example: consumerNameExample,
}, checkConsumerName}

var groupName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

func checkConsumerName(p *Pass) {
	for _, c := range p.Set.Consumers {
		if name := c.Name; name.Value != "" && !groupName.MatchString(name.Value) {
			p.consumer(c, name.Pos, "consumer %q has a name that not every broker takes: it does not start there", name.Value)
		}
	}
}
