package lint

import (
	_ "embed"
	"regexp"
	"slices"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/header-name.txtar
var headerNameExample string

var headerName = &Rule{rule.Doc{
	ID: "header-name", Kind: rule.Lint, Severity: rule.Error,
	Title:   "A name outside the payload is one that transports refuse",
	Why:     "CloudEvents allows lower-case letters and digits, twenty at most, and keeps some names for itself. SDKs refuse the others or drop them, and the identity arrives without its value.",
	Fix:     "Write ce:aggregateversion for an attribute, and a token such as header:Order-Version for a header.",
	Example: headerNameExample,
}, checkHeaderName}

var (
	attributeName = regexp.MustCompile(`^[a-z0-9]{1,20}$`)
	headerToken   = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
	attributeHead = regexp.MustCompile(`(?i)^(ce[_-]|cloudEvents[_:])`)
	reserved      = []string{"data", "specversion", "type", "source", "datacontenttype", "dataschema"}
)

func checkHeaderName(p *Pass) {
	for _, e := range p.declared() {
		for _, r := range e.Identity.Roles() {
			if why := refusedName(r.Locator.Value); r.Set() && why != "" {
				p.event(e, r.Locator.Pos, "%s takes its %s from %s, %s", subject(e), r.Name, r.Locator.Value, why).about(r.Name)
			}
		}
	}
}

// refusedName says why a transport refuses a name, "" where it does not.
func refusedName(l contract.Locator) string {
	switch {
	case l.Carrier == contract.InAttribute && slices.Contains(reserved, l.Name):
		return "which CloudEvents keeps for something else: it arrives with another value"
	case l.Carrier == contract.InAttribute && !attributeName.MatchString(l.Name):
		return "which transports refuse or drop: a CloudEvents name has lower-case letters and digits, twenty at most"
	case l.Carrier == contract.InHeader && attributeHead.MatchString(l.Name):
		return "which transports take for a CloudEvents attribute and rename: write ce:NAME"
	case l.Carrier == contract.InHeader && !headerToken.MatchString(l.Name):
		return "which transports refuse: a header's name is letters, digits and hyphens"
	}
	return ""
}
