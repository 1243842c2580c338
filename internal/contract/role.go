package contract

import (
	"fmt"
	"strings"
)

// Locator says where a role's value travels: in the payload at a path, in a
// transport header (header:NAME) or in a CloudEvents attribute (ce:NAME).
type Locator struct {
	Carrier Carrier
	Path    Path   // of a Payload
	Name    string // of a header or an attribute
}

// Carrier is what a value travels in.
type Carrier uint8

const (
	InPayload Carrier = iota
	InHeader
	InAttribute
)

func (l Locator) String() string {
	switch l.Carrier {
	case InHeader:
		return "header:" + l.Name
	case InAttribute:
		return "ce:" + l.Name
	}
	return l.Path.String()
}

// MarshalText writes the locator as a manifest has it.
func (l Locator) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads a payload path, header:NAME or ce:ATTRIBUTE. Whether a
// name is a legal one is a lint, not a syntax error.
func (l *Locator) UnmarshalText(text []byte) error {
	s := string(text)
	for prefix, carrier := range map[string]Carrier{"header:": InHeader, "ce:": InAttribute} {
		if name, ok := strings.CutPrefix(s, prefix); ok {
			if name == "" {
				return fmt.Errorf("%q names nothing: write %sNAME", s, prefix)
			}
			*l = Locator{Carrier: carrier, Name: name}
			return nil
		}
	}
	path, err := ParsePath(s)
	*l = Locator{Path: path}
	return err
}
