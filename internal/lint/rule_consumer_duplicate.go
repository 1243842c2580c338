package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/consumer-duplicate.txtar
var consumerDuplicateExample string

var consumerDuplicate = &Rule{rule.Doc{
	ID: "consumer-duplicate", Kind: rule.Lint, Severity: rule.Error,
	Title:   "Two manifests declare one consumer",
	Why:     "A consumer's name is its group and the name under which its inbox remembers keys. Two consumers with one name take each other's events: each sees only a part.",
	Fix:     "Give each consumer its own name.",
	Example: consumerDuplicateExample,
}, checkConsumerDuplicate}

func checkConsumerDuplicate(p *Pass) {
	first := map[string]*contract.Consumer{}
	for _, c := range p.Set.Consumers {
		name := c.Name.Value
		if name == "" {
			continue
		}
		if before := first[name]; before != nil {
			p.consumer(c, c.Name.Pos, "%s is declared here and at %s: the two share one group and one inbox, so each misses what the other takes", name, before.Name.Pos)
			continue
		}
		first[name] = c
	}
}
