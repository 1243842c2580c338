package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/retry-unbounded.txtar
var retryUnboundedExample string

var retryUnbounded = &Rule{rule.Doc{
	ID: "retry-unbounded", Kind: rule.Lint, Severity: rule.Error,
	Title:   "A consumer retries without an end",
	Why:     "An event that can never be handled parks its lane for ever: everything behind it waits, and nobody is told.",
	Fix:     "Write retry: {attempts: 8}, or another number from 1.",
	Example: retryUnboundedExample,
}, checkRetryUnbounded}

func checkRetryUnbounded(p *Pass) {
	for _, c := range p.Set.Consumers {
		if attempts := c.Retry.Attempts; attempts.Value < 1 {
			p.consumer(c, attempts.Pos, "consumer %s is to make %d attempts, which is no bound: one bad event parks its lane for ever", c.Name.Value, attempts.Value)
		}
	}
}
