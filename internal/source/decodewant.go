package source

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
)

// want reports whether a value is of a kind, and notes an error where it isn't.
func (d *decoder) want(n *Node, kind Kind, path string) bool {
	if n.Kind != kind {
		d.wrong(n, path, "want %s, this is %s", kind, describe(n, kind))
	}
	return n.Kind == kind
}

// describe says what a value is, and how to write what was wanted instead.
func describe(n *Node, want Kind) string {
	scalar := n.Kind == String || n.Kind == Number || n.Kind == Bool
	switch {
	case want == String && scalar:
		return fmt.Sprintf("%s: put it in quotes, %q", written(n), n.Text)
	case want == List && scalar:
		return fmt.Sprintf("%s: write [%s]", written(n), n.JSON())
	case want == Bool && n.Kind == String:
		return fmt.Sprintf("%s: write true or false", written(n))
	case scalar:
		return written(n)
	}
	return n.Kind.String()
}

// written is a scalar with its kind: the number 1.0.
func written(n *Node) string {
	text := string(n.JSON())
	if len(text) > longWord {
		return n.Kind.String()
	}
	return "the" + n.Kind.String()[1:] + " " + text
}

// number reads the numeric kinds; it is the last that is tried.
func (d *decoder) number(n *Node, into reflect.Value, path string) {
	switch {
	case into.CanInt():
		d.whole(n, into, path)
	case into.CanUint():
		d.natural(n, into, path)
	case into.CanFloat():
		d.float(n, into, path)
	default:
		d.wrong(n, path, "cannot be decoded into a %s", into.Type())
	}
}

func (d *decoder) whole(n *Node, into reflect.Value, path string) {
	bits := into.Type().Bits()
	if v, err := strconv.ParseInt(n.Text, 10, bits); n.Kind == Number && err == nil {
		into.SetInt(v)
		return
	}
	most := int64(math.MaxInt64) >> (64 - bits)
	d.wrong(n, path, "want a whole number from %d to %d, this is %s", -most-1, most, digits(n))
}

func (d *decoder) natural(n *Node, into reflect.Value, path string) {
	bits := into.Type().Bits()
	if v, err := strconv.ParseUint(n.Text, 10, bits); n.Kind == Number && err == nil {
		into.SetUint(v)
		return
	}
	most := uint64(math.MaxUint64) >> (64 - bits)
	d.wrong(n, path, "want a whole number from 0 to %d, this is %s", most, digits(n))
}

func (d *decoder) float(n *Node, into reflect.Value, path string) {
	v, err := strconv.ParseFloat(n.Text, into.Type().Bits())
	if n.Kind == Number && err == nil {
		into.SetFloat(v)
		return
	}
	d.wrong(n, path, "want a number in the range of a float%d, this is %s", into.Type().Bits(), digits(n))
}

// digits describes what stands where a number is wanted.
func digits(n *Node) string {
	if n.Kind == Number && len(n.Text) <= longWord {
		return n.Text
	}
	if _, err := strconv.ParseFloat(n.Text, 64); n.Kind == String && err == nil {
		return written(n) + ": remove the quotes"
	}
	return describe(n, Number)
}
