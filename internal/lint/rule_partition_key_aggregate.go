package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/partition-key-aggregate.txtar
var partitionKeyAggregateExample string

var partitionKeyAggregate = &Rule{rule.Doc{
	ID: "partition-key-aggregate", Kind: rule.Lint, Severity: rule.Error,
	Title:   "The partition key is not the aggregate id",
	Why:     "Brokers keep order within a partition only. If another field chooses the partition, two events of one aggregate can lie in two of them, and a consumer sees the second first.",
	Fix:     "Make the partition key the aggregate id. If the other field never changes for an aggregate, as a customer of an order, waive this with that reason.",
	Example: partitionKeyAggregateExample,
}, checkPartitionKeyAggregate}

func checkPartitionKeyAggregate(p *Pass) {
	for _, e := range p.declared() {
		key, id := e.Identity.PartitionKey, e.Identity.Aggregate.ID
		inside := key.Value.Carrier == contract.InPayload && id.Value.Carrier == contract.InPayload
		if inside && len(key.Value.Path) > 0 && len(id.Value.Path) > 0 && !same(key.Value, id.Value) {
			p.field(e, key.Value.String(), key.Pos, "%s is partitioned by %s and its aggregate is named by %s: two events of one aggregate can lie in two partitions, and their order is lost", subject(e), key.Value, id.Value)
		}
	}
}
