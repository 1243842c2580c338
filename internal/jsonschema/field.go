package jsonschema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// Field tells what stands at a path. The way leads through $ref, allOf and the
// alternatives of anyOf, oneOf and if; a field is required where it is in every
// valid event and never null. The empty path is the event as a whole.
func (s *Schema) Field(path contract.Path) (contract.Field, error) {
	x := &shaper{closure: s.closure}
	at := spot{shape: x.shapeOf([]Ref{s.root}), required: true}
	at.shape.at = s.root
	for i, st := range path {
		next, ok := x.enter(at, st)
		if !ok {
			return contract.Field{}, x.noSuch(at, path[:i], st)
		}
		at = next
	}
	return x.field(at, path), nil
}

// spot is a shape and what is known of the way to it.
type spot struct {
	shape
	required bool // the way leads to it in every valid event
	presence contract.Presence
}

// enter goes one step down.
func (x *shaper) enter(at spot, st contract.Step) (spot, bool) {
	next, ok := x.step(at.shape, st)
	return spot{next, at.required && has(at.shape, st) && !x.tired(), presence(at.shape, st)}, ok
}

func presence(around shape, st contract.Step) contract.Presence {
	switch {
	case st.Kind != contract.FieldStep:
		return contract.NoPresence
	case hasProperty(around, st.Name):
		return contract.Always
	}
	return contract.Sometimes
}

// field describes a spot.
func (x *shaper) field(at spot, path contract.Path) contract.Field {
	f := contract.Field{
		Path:       slices.Clone(path),
		Type:       x.typeOf(at.shape),
		Format:     stringOf(at.shape, "format"),
		Required:   at.required && !nullable(at.shape),
		Presence:   at.presence,
		Doc:        cmpOr(stringOf(at.shape, "description"), stringOf(at.shape, "title")),
		Deprecated: flagged(at.shape, "deprecated"),
		Pos:        x.pos(at.shape.at),
	}
	if f.Type == contract.EnumType {
		f.Values = values(at.shape)
	}
	f.Constraints = x.constraints(at.shape, f.Type)
	return f
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func flagged(sh shape, name string) bool {
	return slices.ContainsFunc(sh.all, func(r Ref) bool {
		n := r.Node.Get(name)
		return n != nil && n.Kind == source.Bool && n.Text == "true"
	})
}

// nullable reports whether null is one of the types that a shape states. Where
// none is stated, null is as likely as anything.
func nullable(sh shape) bool {
	k := kindsOf(sh)
	return k != everyKind && k&nullKind != 0
}

// has reports whether every value of a shape has this part.
func has(sh shape, st contract.Step) bool {
	switch st.Kind {
	case contract.FieldStep:
		return kindsOf(sh) == objectKind && hasProperty(sh, st.Name)
	case contract.ElementStep:
		return kindsOf(sh) == listKind && hasElements(sh, 1)
	case contract.PlaceStep:
		return kindsOf(sh) == listKind && hasElements(sh, st.Index+1)
	}
	return false
}

func hasProperty(sh shape, name string) bool {
	return eachEvent(sh, func(n *source.Node) bool {
		return slices.ContainsFunc(items(n.Get("required")), func(item *source.Node) bool { return text(item) == name })
	})
}

func hasElements(sh shape, count int) bool {
	return eachEvent(sh, func(n *source.Node) bool {
		least := n.Get("minItems")
		if least == nil || least.Kind != source.Number {
			return false
		}
		v, err := strconv.ParseFloat(least.Text, 64)
		return err == nil && v >= float64(count)
	})
}

// eachEvent reports whether some schema demands it of every value: one that all
// satisfy, or one in every alternative of a choice.
func eachEvent(sh shape, demands func(*source.Node) bool) bool {
	if slices.ContainsFunc(sh.all, func(r Ref) bool { return demands(r.Node) }) {
		return true
	}
	return slices.ContainsFunc(sh.choices, func(choice []shape) bool {
		return !slices.ContainsFunc(choice, func(alt shape) bool { return !eachEvent(alt, demands) })
	})
}

func items(n *source.Node) []*source.Node {
	if n == nil {
		return nil
	}
	return n.Items
}

// noSuch says which step of a path fails, and what there is instead.
func (x *shaper) noSuch(at spot, way contract.Path, st contract.Step) error {
	where := "at the root"
	if len(way) > 0 {
		where = "in " + way.String()
	}
	steps := x.steps(at.shape)
	var there []string
	for _, s := range steps {
		there = append(there, s.String())
	}
	switch near := source.Suggest(st.String(), there); {
	case near != "":
		return fmt.Errorf("no %s %s: did you mean %s?", st, where, near)
	case len(there) == 0:
		return fmt.Errorf("no %s %s: the schema names nothing there", st, where)
	case len(there) > 20:
		there = append(there[:20], "…")
	}
	return fmt.Errorf("no %s %s: there is %s", st, where, strings.Join(there, ", "))
}
