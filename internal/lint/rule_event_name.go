package lint

import (
	_ "embed"
	"regexp"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/event-name.txtar
var eventNameExample string

var eventName = &Rule{rule.Doc{
	ID: "event-name", Kind: rule.Lint, Severity: rule.Warning,
	Title:   "An event's name is spelled in a way of its own",
	Why:     "The name becomes a Go type, a file, a CloudEvents type and half of every waiver. A second spelling of it, or a version inside it, makes people search twice and generated names collide.",
	Fix:     "Name it in words run together, like OrderPaid.v1, or in dotted lower case, like orders.order.paid.v1; the version stands only at its end.",
	Example: eventNameExample,
}, checkEventName}

var (
	runTogether  = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	dottedLower  = regexp.MustCompile(`^[a-z][a-z0-9]*(\.[a-z][a-z0-9]*)*$`)
	innerVersion = regexp.MustCompile(`(?i)(^|[a-z_.])v[0-9]+$`)
)

func checkEventName(p *Pass) {
	for _, e := range p.declared() {
		name := e.Name.Value
		switch {
		case name.Base == "":
		case innerVersion.MatchString(name.Base):
			p.event(e, e.Name.Pos, "%s has a version inside its name, and another at its end: nobody knows which one counts", name)
		case !runTogether.MatchString(name.Short()) && !dottedLower.MatchString(name.Base):
			p.event(e, e.Name.Pos, "%s is spelled neither like OrderPaid nor like order.paid: generated names will not look like it", name)
		}
	}
}
