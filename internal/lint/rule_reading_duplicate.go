package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

//go:embed testdata/reading-duplicate.txtar
var readingDuplicateExample string

var readingDuplicate = &Rule{rule.Doc{
	ID: "reading-duplicate", Kind: rule.Lint, Severity: rule.Error,
	Title:   "A consumer reads one event twice",
	Why:     "An event is handled once for a consumer. Of two entries one decides which fields are read and in which order, and the other is dead text that people believe.",
	Fix:     "Merge the two entries.",
	Example: readingDuplicateExample,
}, checkReadingDuplicate}

func checkReadingDuplicate(p *Pass) {
	for _, c := range p.Set.Consumers {
		first := map[contract.Name]source.Pos{}
		for i := range c.Reads {
			r := &c.Reads[i]
			if at, twice := first[r.Event.Value]; twice {
				p.reading(c, r, "", r.Event.Pos, "%s reads %s here and at %s: only one of the two counts", c.Name.Value, r.Event.Value, at)
				continue
			}
			if r.Event.Value.Base != "" {
				first[r.Event.Value] = r.Event.Pos
			}
		}
	}
}
