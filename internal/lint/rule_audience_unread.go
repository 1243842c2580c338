package lint

import (
	_ "embed"
	"path"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/audience-unread.txtar
var audienceUnreadExample string

var audienceUnread = &Rule{rule.Doc{
	ID: "audience-unread", Kind: rule.Lint, Severity: rule.Warning,
	Title:   "An event is closed to all but declared consumers, and there are none",
	Why:     "Only declared consumers are judged when the audience is closed. Without any, every change passes, also one that breaks whoever reads it all the same.",
	Fix:     "Declare its consumers, or write audience: open.",
	Example: audienceUnreadExample,
}, checkAudienceUnread}

func checkAudienceUnread(p *Pass) {
	for _, r := range p.Set.Workspace.Repos {
		if path.Clean(r.Path.Value) != "." {
			return // its consumers may be declared there: check looks
		}
	}
	for _, e := range p.declared() {
		if e.Audience.Value == contract.ClosedAudience && len(p.Set.Readers(e.Name.Value)) == 0 {
			p.event(e, e.Audience.Pos, "%s is closed to all but declared consumers, and no consumer declares it: every change of it passes", subject(e))
		}
	}
}
