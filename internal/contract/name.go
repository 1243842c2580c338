package contract

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Name is an event type: what happened, and the major version under which
// changes stay compatible. A wanted break is a new major beside the old one.
type Name struct {
	Base  string // OrderPaid
	Major int    // 1
}

var namePattern = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)*)\.v([1-9][0-9]{0,8})$`)

// ParseName reads OrderPaid.v1, or com.example.OrderPaid.v1.
func ParseName(s string) (Name, error) {
	m := namePattern.FindStringSubmatch(s)
	if m == nil {
		return Name{}, fmt.Errorf("event name %q: want a name and a major version, like OrderPaid.v1", s)
	}
	major, err := strconv.Atoi(m[2])
	if err != nil {
		return Name{}, fmt.Errorf("event name %q: %w", s, err)
	}
	return Name{Base: m[1], Major: major}, nil
}

// String is the name as a manifest writes it. What a bare schema is called has
// no major version.
func (n Name) String() string {
	if n.Major == 0 {
		return n.Base
	}
	return n.Base + ".v" + strconv.Itoa(n.Major)
}

// Short is the base without its qualifier: OrderPaid of com.example.OrderPaid.
func (n Name) Short() string { return n.Base[strings.LastIndexByte(n.Base, '.')+1:] }

// MarshalText writes the name as a manifest has it.
func (n Name) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// UnmarshalText is ParseName.
func (n *Name) UnmarshalText(text []byte) error {
	parsed, err := ParseName(string(text))
	*n = parsed
	return err
}
