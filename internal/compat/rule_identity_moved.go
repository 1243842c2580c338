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
	Why:     "A deployed consumer looks for the event id, the aggregate and its version where the old contract says. It finds nothing, or another aggregate: order is lost, and an old state overwrites a newer one.",
	Fix:     "Keep the role where it is; publish a new major version beside this one if it must move.",
	Example: identityMovedExample,
}, moved: identityMoves}

// identityRoles says what happens to a reader whose role moved. A role that the
// old contract left out may be added: nobody looks for it.
var identityRoles = []struct {
	name string
	of   func(*contract.Identity) contract.Role
	then string
}{
	{"event_id", func(id *contract.Identity) contract.Role { return contract.Role{Name: "event_id", Locator: id.EventID} }, "traces and tables can no longer be joined on it"},
	{"aggregate.id", func(id *contract.Identity) contract.Role {
		return contract.Role{Name: "aggregate.id", Locator: id.Aggregate.ID}
	}, "events of one aggregate land in different lanes and lose their order"},
	{"aggregate.version", func(id *contract.Identity) contract.Role {
		return contract.Role{Name: "aggregate.version", Locator: id.Aggregate.Version}
	}, "an old state can overwrite a newer one"},
	{"occurred_at", func(id *contract.Identity) contract.Role {
		return contract.Role{Name: "occurred_at", Locator: id.OccurredAt}
	}, "keys are forgotten by another clock than they were remembered by"},
}

func identityMoves(p pair) []move {
	var moves []move
	for _, r := range identityRoles {
		next, prev := r.of(&p.new.Identity), r.of(&p.old.Identity)
		if !prev.Set() || sameRole(p, next, prev) {
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

func aggregateMoves(p pair) []move {
	next, prev := p.new.Identity.Aggregate.Type, p.old.Identity.Aggregate.Type
	if prev.Pos.IsZero() || next.Value == prev.Value {
		return nil
	}
	return []move{{
		path:    "identity.aggregate.type",
		message: fmt.Sprintf("%s: identity.aggregate.type was %s and is %q: every aggregate starts a new lane, and nothing orders the new events after the old ones", p.name(), prev.Value, next.Value),
		new:     orPlace(next.Pos, p.new.Identity.Pos), old: prev.Pos,
		about: []string{prev.Value, next.Value},
	}}
}
