package source

import (
	"reflect"
	"strings"
	"sync"
)

// plan is what a struct type's tags say.
type plan struct {
	fields map[string][]int // a key to the index of its field
	names  []string         // the keys in their order
	places [][]int          // fields that receive the map's place
}

// plans are made once for each type: a workspace has a thousand manifests of one.
var plans sync.Map

func planOf(t reflect.Type) *plan {
	if p, known := plans.Load(t); known {
		return p.(*plan)
	}
	p := &plan{fields: map[string][]int{}}
	p.add(t, nil)
	plans.Store(t, p)
	return p
}

// add collects the fields of a struct, and of those that are inline in it.
func (p *plan) add(t reflect.Type, base []int) {
	for f := range t.Fields() {
		tag, tagged := f.Tag.Lookup("yaml")
		name, option, _ := strings.Cut(tag, ",")
		index := append(base[:len(base):len(base)], f.Index...)
		switch {
		case option == "inline" && f.Type.Kind() == reflect.Struct:
			p.add(f.Type, index)
		case !tagged || name == "-" || !f.IsExported():
		case option == "pos" && f.Type == reflect.TypeFor[Pos]():
			p.places = append(p.places, index)
		case name != "":
			p.fields[name] = index
			p.names = append(p.names, name)
		}
	}
}

func (d *decoder) structure(n *Node, into reflect.Value, path string) {
	if !d.want(n, Map, path) {
		return
	}
	p := planOf(into.Type())
	for _, index := range p.places {
		into.FieldByIndex(index).Set(reflect.ValueOf(n.Pos))
	}
	for _, m := range n.Members {
		index, known := p.fields[m.Key]
		if !known {
			d.errs = append(d.errs, unknownKey(m, p.names, path))
			continue
		}
		d.value(m.Value, into.FieldByIndex(index), join(path, m.Key))
	}
}

func unknownKey(m Member, names []string, path string) *Error {
	where := ""
	if path != "" {
		where = " in " + path
	}
	if near := Suggest(m.Key, names); near != "" {
		return Errorf(m.Pos, "unknown key %q%s: did you mean %q?", m.Key, where, near)
	}
	return Errorf(m.Pos, "unknown key %q%s: it may hold %s", m.Key, where, strings.Join(names, ", "))
}
