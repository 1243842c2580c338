package compat

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

//go:embed testdata/key-changed.txtar
var keyChangedExample string

var keyChanged = &Rule{Doc: rule.Doc{
	ID: "key-changed", Kind: rule.Contract, Severity: rule.Error,
	Title:   "The idempotency key is made of other fields",
	Why:     "The key decides what is handled once. After the change the same business fact has another key, so what was handled under the old key is handled again: points are added twice, a customer is charged twice.",
	Fix:     "Keep the key's fields and their order. If the fact really changed, it is another event: publish a new name or a new major version, and let consumers move over.",
	Example: keyChangedExample,
}, moved: keyMoves}

func keyMoves(p pair) []move {
	next, prev := p.new.Identity.IdempotencyKey, p.old.Identity.IdempotencyKey
	if len(prev) == 0 {
		return p.keyDeclared()
	}
	if slices.Equal(p.keyPlaces(p.new), p.keyPlaces(p.old)) {
		return nil
	}
	was, is := keyText(prev), keyText(next)
	if was == is {
		was, is = fmt.Sprintf("%s %v", was, p.keyPlaces(p.old)), fmt.Sprintf("%s %v", is, p.keyPlaces(p.new))
	}
	return []move{{
		path:    "identity.idempotency_key",
		message: fmt.Sprintf("%s: identity.idempotency_key was %s and is %s: one business fact has two keys, and is handled twice", p.name(), was, orNothing(strings.TrimPrefix(is, "[]"))),
		new:     orPlace(firstPlace(next), p.new.Identity.Pos), old: firstPlace(prev),
		about: []string{was, is},
	}}
}

// keyDeclared are the fields of a first key that older events need not have: who
// computes the key from them makes one key of several facts.
func (p pair) keyDeclared() []move {
	var moves []move
	for _, field := range p.new.Identity.IdempotencyKey {
		if m, looked := p.declared(contract.Role{Name: "idempotency_key", Locator: field}, "several facts have one key, so that only the first is handled"); looked {
			moves = append(moves, m)
		}
	}
	return moves
}

// keyPlaces are where the key's fields really stand, in order.
func (p pair) keyPlaces(e *contract.Event) []string {
	var places []string
	for _, field := range e.Identity.IdempotencyKey {
		places = append(places, p.travels(e, field.Value))
	}
	return places
}

func keyText(fields []source.At[contract.Locator]) string {
	var names []string
	for _, f := range fields {
		names = append(names, f.Value.String())
	}
	return "[" + strings.Join(names, ", ") + "]"
}

func firstPlace(fields []source.At[contract.Locator]) source.Pos {
	if len(fields) == 0 {
		return source.Pos{}
	}
	return fields[0].Pos
}
