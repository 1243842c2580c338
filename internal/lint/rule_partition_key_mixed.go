package lint

import (
	_ "embed"
	"maps"
	"slices"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/partition-key-mixed.txtar
var partitionKeyMixedExample string

var partitionKeyMixed = &Rule{rule.Doc{
	ID: "partition-key-mixed", Kind: rule.Lint, Severity: rule.Warning,
	Title:   "Contracts on one topic have different partition keys",
	Why:     "Events that belong together, an order paid and the same order shipped, land in different partitions and are seen out of order; who joins the topic by key joins nothing.",
	Fix:     "Give all events of the topic one partition key, or move the odd one to a topic of its own.",
	Example: partitionKeyMixedExample,
}, checkPartitionKeyMixed}

func checkPartitionKeyMixed(p *Pass) {
	topics := byTopic(p.declared())
	for _, topic := range slices.Sorted(maps.Keys(topics)) {
		events := topics[topic]
		common := commonKey(events)
		for _, e := range events {
			if key := e.Identity.PartitionKey; key.Value.String() != common {
				p.event(e, key.Pos, "%s is partitioned by %s, other events on topic %s by %s: what belongs together is seen out of order", subject(e), key.Value, topic, common)
			}
		}
	}
}

func byTopic(events []*contract.Event) map[string][]*contract.Event {
	topics := map[string][]*contract.Event{}
	for _, e := range events {
		topic := e.Channel.Topic.Value
		if topic != "" && e.Identity.PartitionKey.Value.String() != "" && e.Status.Value != contract.Retired {
			topics[topic] = append(topics[topic], e)
		}
	}
	return topics
}

// commonKey is the partition key that most events have; of two that are equally
// common the one that comes first.
func commonKey(events []*contract.Event) string {
	counts, common := map[string]int{}, ""
	for _, e := range events {
		counts[e.Identity.PartitionKey.Value.String()]++
	}
	for _, e := range events {
		if key := e.Identity.PartitionKey.Value.String(); counts[key] > counts[common] {
			common = key
		}
	}
	return common
}
