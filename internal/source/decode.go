package source

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
)

// NodeDecoder is a type that reads itself from a node, for what no struct can
// say: a value that is a string or a map, say. Its errors are reported as they
// are.
type NodeDecoder interface {
	DecodeNode(*Node) []*Error
}

// Decode fills what into points to from a node, strictly, and collects every
// error. Nothing is coerced: a string wants a string, so that 1.0 and no keep
// what was meant. An unknown key is an error at the key, with a suggestion; an
// empty value is an error too.
//
// Struct fields are named by their tag:
//
//	yaml:"name"     the value of that key
//	yaml:",inline"  a struct whose fields stand in the same map
//	yaml:",pos"     a Pos: the map's place
//	yaml:"-"        or no tag: not touched
//
// Types may be string, bool, whole numbers, float64, slices, map[string]T,
// pointers, structs, At[T], *Node, any, a NodeDecoder or an
// encoding.TextUnmarshaler, which reads strings. Which keys must be there is for
// the caller to say. A nil node decodes to nothing.
func Decode(n *Node, into any) []*Error {
	if n == nil {
		return nil
	}
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return []*Error{Errorf(n.Pos, "cannot be decoded into a %T, which is no pointer", into)}
	}
	d := decoder{}
	d.value(n, v.Elem(), "")
	return d.errs
}

type decoder struct {
	errs []*Error
}

// wrong notes an error about the value at a path such as reads[0].event.
func (d *decoder) wrong(n *Node, path, format string, args ...any) {
	if path != "" {
		path += ": "
	}
	d.errs = append(d.errs, Errorf(n.Pos, "%s%s", path, fmt.Sprintf(format, args...)))
}

// placed is At[T], whatever T is.
type placed interface {
	decodeAt(d *decoder, n *Node, path string)
}

func (a *At[T]) decodeAt(d *decoder, n *Node, path string) {
	a.Pos = n.Pos
	d.value(n, reflect.ValueOf(&a.Value).Elem(), path)
}

func (d *decoder) value(n *Node, into reflect.Value, path string) {
	switch {
	case d.special(n, into, path):
	case into.Kind() == reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		d.value(n, into.Elem(), path)
	case n.Kind == Null:
		d.wrong(n, path, "is empty: give it a value, or remove it")
	default:
		d.kind(n, into, path)
	}
}

// special handles the types that know themselves how they are read.
func (d *decoder) special(n *Node, into reflect.Value, path string) bool {
	switch to := into.Addr().Interface().(type) {
	case **Node:
		*to = n
	case *any:
		*to = n.Any()
	case placed:
		to.decodeAt(d, n, path)
	case NodeDecoder:
		d.errs = append(d.errs, to.DecodeNode(n)...)
	case encoding.TextUnmarshaler:
		d.text(n, to, path)
	default:
		return false
	}
	return true
}

func (d *decoder) text(n *Node, into encoding.TextUnmarshaler, path string) {
	// A number in quotes that would be no better is told by what is wrong with it.
	if hopeless := n.Kind == Number && into.UnmarshalText([]byte(n.Text)) != nil; !hopeless && !d.want(n, String, path) {
		return
	}
	if err := into.UnmarshalText([]byte(n.Text)); err != nil {
		d.wrong(n, path, "%v", err)
	}
}

func (d *decoder) kind(n *Node, into reflect.Value, path string) {
	switch into.Kind() {
	case reflect.String:
		if d.want(n, String, path) {
			into.SetString(n.Text)
		}
	case reflect.Bool:
		if d.want(n, Bool, path) {
			into.SetBool(n.Text == "true")
		}
	case reflect.Slice:
		d.slice(n, into, path)
	case reflect.Map:
		d.mapping(n, into, path)
	case reflect.Struct:
		d.structure(n, into, path)
	default:
		d.number(n, into, path)
	}
}

func (d *decoder) slice(n *Node, into reflect.Value, path string) {
	if !d.want(n, List, path) {
		return
	}
	into.Set(reflect.MakeSlice(into.Type(), len(n.Items), len(n.Items)))
	for i, item := range n.Items {
		d.value(item, into.Index(i), path+"["+strconv.Itoa(i)+"]")
	}
}

func (d *decoder) mapping(n *Node, into reflect.Value, path string) {
	t := into.Type()
	if t.Key().Kind() != reflect.String {
		d.wrong(n, path, "cannot be decoded into a %s", t)
		return
	}
	if !d.want(n, Map, path) {
		return
	}
	into.Set(reflect.MakeMapWithSize(t, len(n.Members)))
	for _, m := range n.Members {
		value := reflect.New(t.Elem()).Elem()
		d.value(m.Value, value, join(path, m.Key))
		into.SetMapIndex(reflect.ValueOf(m.Key).Convert(t.Key()), value)
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
