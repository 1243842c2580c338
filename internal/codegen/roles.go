package codegen

import (
	"slices"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// roleSpec is one role of an event's identity and where its value travels.
type roleSpec struct {
	role    role
	name    string // of the role in the manifest: aggregate.id
	locator contract.Locator
	pos     source.Pos
	typ     *typ   // of the value; nil where it travels outside the payload
	access  string // Go expression below the payload: OrderID, Meta.EventID; or the name of an outside field
	message bool   // access is the whole expression, of a message p
}

func (r *roleSpec) inPayload() bool { return r.locator.Carrier == contract.InPayload }

// identity is the roles that a manifest fills.
type identity struct {
	keys                             []*roleSpec
	eventID, lane, version, at, part *roleSpec // nil where the manifest is silent
}

func (id *identity) all() []*roleSpec {
	list := slices.Clone(id.keys)
	for _, r := range []*roleSpec{id.eventID, id.lane, id.version, id.part, id.at} {
		if r != nil {
			list = append(list, r)
		}
	}
	return list
}

// anyInPayload reports whether a message must be read to be identified.
func (id *identity) anyInPayload() bool {
	roles := slices.Clone(id.keys)
	for _, r := range []*roleSpec{id.lane, id.version, id.at} {
		if r != nil {
			roles = append(roles, r)
		}
	}
	return slices.ContainsFunc(roles, (*roleSpec).inPayload)
}

// readIdentity takes the roles out of a manifest.
func readIdentity(e *contract.Event) identity {
	one := func(r role, name string, at source.At[contract.Locator]) *roleSpec {
		if at.Pos.IsZero() {
			return nil
		}
		return &roleSpec{role: r, name: name, locator: at.Value, pos: at.Pos}
	}
	var id identity
	for _, key := range e.Identity.IdempotencyKey {
		id.keys = append(id.keys, one(keyRole, "idempotency_key", key))
	}
	id.eventID = one(eventIDRole, "event_id", e.Identity.EventID)
	id.lane = one(laneRole, "aggregate.id", e.Identity.Aggregate.ID)
	id.version = one(versionRole, "aggregate.version", e.Identity.Aggregate.Version)
	id.part = one(partitionRole, "partition_key", e.Identity.PartitionKey)
	id.at = one(timeRole, "occurred_at", e.Identity.OccurredAt)
	return id
}

// mark notes in a want which values play a role.
func (id *identity) mark(w *want) {
	for _, r := range id.all() {
		if r.inPayload() {
			w.add(r.locator.Path).role |= r.role
		}
	}
}

// locate finds the fields of a producer's or an identity's type that play the
// roles, and complains of those that no event need carry.
func (b *builder) locate(id *identity, root *typ) {
	for _, r := range id.all() {
		if r.inPayload() {
			b.locateOne(r, root)
		}
	}
}

func (b *builder) locateOne(r *roleSpec, t *typ) {
	for i, step := range r.locator.Path {
		f := t.find(step)
		switch {
		case f == nil:
			b.findings.impossible(b.event, r.pos, "", "%s: %s is no single field of the payload", r.name, r.locator)
			return
		case !f.required || f.typ.null:
			b.findings.impossible(b.event, r.pos, "", "%s: %s is not in every event: make it required, and never null", r.name, r.locator.Path[:i+1])
			return
		case i > 0:
			r.access += "."
		}
		r.access += f.name
		r.typ, t = f.typ, f.typ
	}
	if !fits(r) {
		b.findings.impossible(b.event, r.pos, "", "%s: %s has a type that cannot play this role", r.name, r.locator)
	}
}

func (t *typ) find(step contract.Step) *field {
	if t.kind != structKind || t.tuple || step.Kind != contract.FieldStep {
		return nil
	}
	for _, f := range t.fields {
		if f.json == step.Name && !f.inline {
			return f
		}
	}
	return nil
}

// fits reports whether a role's value has a type that it can be taken from.
func fits(r *roleSpec) bool {
	switch k := r.typ.kind; r.role {
	case versionRole:
		return k == intKind || k == uintKind
	case eventIDRole:
		return k == goString
	case timeRole:
		return k == timeKind || k == goString
	default:
		return k == goString || k == intKind || k == uintKind
	}
}
