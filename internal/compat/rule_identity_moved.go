package compat

import (
	_ "embed"
	"fmt"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/identity-moved.txtar
var identityMovedExample string

var identityMoved = &Rule{Doc: rule.Doc{
	ID: "identity-moved", Kind: rule.Contract, Severity: rule.Error,
	Title:   "What identifies the event stands elsewhere",
	Why:     "A deployed consumer looks for the event id, the aggregate and its version where the old contract says. It finds nothing, or another aggregate: order is lost, and an old state overwrites a newer one. A role that is declared for the first time is looked for in events that were sent before, which need not have it.",
	Fix:     "Keep the role where it is; publish a new major version beside this one if it must move.",
	Example: identityMovedExample,
}, moved: identityMoves}

// identityRoles says what happens to a reader whose role moved, and to one that
// looks for a role in events of before it was declared.
var identityRoles = []struct {
	name   string
	of     func(*contract.Identity) contract.Role
	then   string
	before string
}{
	{"event_id", func(id *contract.Identity) contract.Role { return contract.Role{Name: "event_id", Locator: id.EventID} },
		"traces and tables can no longer be joined on it", "traces and tables cannot be joined on it"},
	{"aggregate.id", func(id *contract.Identity) contract.Role {
		return contract.Role{Name: "aggregate.id", Locator: id.Aggregate.ID}
	}, "events of one aggregate land in different lanes and lose their order", "they all land in one lane"},
	{"aggregate.version", func(id *contract.Identity) contract.Role {
		return contract.Role{Name: "aggregate.version", Locator: id.Aggregate.Version}
	}, "an old state can overwrite a newer one", "an old state can overwrite a newer one"},
	{"occurred_at", func(id *contract.Identity) contract.Role {
		return contract.Role{Name: "occurred_at", Locator: id.OccurredAt}
	}, "keys are forgotten by another clock than they were remembered by", "nobody knows when they happened"},
}

func identityMoves(p pair) []move {
	var moves []move
	for _, r := range identityRoles {
		next, prev := r.of(&p.new.Identity), r.of(&p.old.Identity)
		switch {
		case !prev.Set():
			if m, looked := p.declared(next, r.before); looked {
				moves = append(moves, m)
			}
			continue
		case sameRole(p, next, prev):
			continue
		}
		is, was := p.told(next, prev)
		moves = append(moves, move{
			path:    "identity." + r.name,
			message: fmt.Sprintf("%s: identity.%s was %s and is %s: %s", p.name(), r.name, was, is, r.then),
			new:     orPlace(next.Locator.Pos, p.new.Identity.Pos), old: prev.Locator.Pos,
			about: []string{was, is},
		})
	}
	return append(moves, aggregateMoves(p)...)
}

// declared is the move of a role that nothing was said of before. Nobody loses
// anything who reads by the old contract; who reads by the new one looks for it
// in what was sent by the old one. Of a bare schema it is not known.
func (p pair) declared(next contract.Role, then string) (move, bool) {
	if !next.Set() || p.old.Synthetic {
		return move{}, false
	}
	why := p.unsaid(next.Locator.Value)
	if why == "" {
		return move{}, false
	}
	is := next.Locator.Value.String()
	return move{
		direction: rule.Backward, path: "identity." + next.Name,
		message: fmt.Sprintf("%s: identity.%s is %s, and was not declared before: events that were sent until now %s; who looks for it there finds nothing, and %s",
			p.name(), next.Name, is, why, then),
		fix: "Declare the role when every event that may still be read has it. If producers sent it all along, waive this until the last event of before the change is gone.",
		new: next.Locator.Pos, old: orPlace(p.old.Identity.Pos, p.old.Pos),
		about: []string{"", is},
	}, true
}

func aggregateMoves(p pair) []move {
	next, prev := p.new.Identity.Aggregate.Type, p.old.Identity.Aggregate.Type
	lanes := !prev.Pos.IsZero() || !p.old.Identity.Aggregate.ID.Pos.IsZero() // without a type too
	if !lanes || next.Value == prev.Value {
		return nil
	}
	return []move{{
		path: "identity.aggregate.type",
		message: fmt.Sprintf("%s: identity.aggregate.type was %s and is %s: every aggregate starts a new lane, and nothing orders the new events after the old ones",
			p.name(), orNothing(prev.Value), orNothing(next.Value)),
		new: orPlace(next.Pos, p.new.Identity.Pos), old: orPlace(prev.Pos, p.old.Identity.Pos),
		about: []string{prev.Value, next.Value},
	}}
}
