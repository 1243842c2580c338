package lint

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/order-topics.txtar
var orderTopicsExample string

var orderTopics = &Rule{rule.Doc{
	ID: "order-topics", Kind: rule.Lint, Severity: rule.Warning,
	Title:   "A consumer needs every step, and the steps come on several topics",
	Why:     "order: contiguous follows the chain of versions that a relay stamps on each topic, because no broker keeps order across topics. An aggregate whose events come on two has two chains: a step that is missing on one holds up nothing on the other, and the steps of both are handled as they happen to arrive.",
	Fix:     "Publish all events of the aggregate on one topic; or write order: any, and let the handler compare versions where their order matters.",
	Example: orderTopicsExample,
}, checkOrderTopics}

func checkOrderTopics(p *Pass) {
	for _, c := range p.Set.Consumers {
		topics := topicsOf(p.Set, c)
		told := map[string]bool{}
		for i := range c.Reads {
			r := &c.Reads[i]
			e := p.Set.Event(r.Event.Value)
			if r.Order.Value != contract.Contiguous || e == nil {
				continue
			}
			kind := e.Identity.Aggregate.Type.Value
			if len(topics[kind]) < 2 || told[kind] {
				continue
			}
			told[kind] = true
			p.reading(c, r, "", r.Order.Pos, "consumer %s needs every step of %s, and reads them on %s: each topic is a chain of its own, and nothing keeps one in step with the other",
				c.Name.Value, kind, strings.Join(topics[kind], " and "))
		}
	}
}

// topicsOf lists for each type of aggregate on which topics a consumer reads it:
// one contiguous reading makes all of them so.
func topicsOf(set *contract.Set, c *contract.Consumer) map[string][]string {
	topics := map[string][]string{}
	for i := range c.Reads {
		e := set.Event(c.Reads[i].Event.Value)
		if e == nil {
			continue
		}
		kind, topic := e.Identity.Aggregate.Type.Value, e.Channel.Topic.Value
		if kind != "" && topic != "" && !slices.Contains(topics[kind], topic) {
			topics[kind] = append(topics[kind], topic)
		}
	}
	return topics
}
