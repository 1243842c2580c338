package contract

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Path is a way into a payload: lines[].price. One syntax serves both formats.
type Path []Step

// Step is one move along a path.
type Step struct {
	Kind  StepKind
	Name  string // of a Field
	Index int    // of a Place
}

// StepKind says how a step goes down.
type StepKind uint8

const (
	FieldStep   StepKind = iota // name: a property or a message field
	ElementStep                 // []: any element of a list
	PlaceStep                   // [0]: one place of a tuple
	ValueStep                   // {}: any value of a map
)

var plainName = regexp.MustCompile(`^[A-Za-z_$@][A-Za-z0-9_$@-]*$`)

// String writes the step as a path has it, without the dot before a field.
func (s Step) String() string {
	switch s.Kind {
	case ElementStep:
		return "[]"
	case PlaceStep:
		return "[" + strconv.Itoa(s.Index) + "]"
	case ValueStep:
		return "{}"
	}
	if plainName.MatchString(s.Name) {
		return s.Name
	}
	return strconv.Quote(s.Name)
}

func (p Path) String() string {
	var b strings.Builder
	for i, s := range p {
		if i > 0 && s.Kind == FieldStep {
			b.WriteByte('.')
		}
		b.WriteString(s.String())
	}
	return b.String()
}

// Field gives the path of a field below p. It never shares memory with p.
func (p Path) Field(name string) Path { return p.Then(Step{Kind: FieldStep, Name: name}) }

// Then gives the path one step below p. It never shares memory with p.
func (p Path) Then(s Step) Path { return append(p[:len(p):len(p)], s) }

// HasPrefix reports whether p lies at or below q.
func (p Path) HasPrefix(q Path) bool {
	if len(p) < len(q) {
		return false
	}
	for i := range q {
		if p[i] != q[i] {
			return false
		}
	}
	return true
}

// ParsePath reads a path as a manifest writes it.
func ParsePath(s string) (Path, error) {
	if s == "" {
		return nil, errors.New("empty path: name a field, like customer.email or lines[].price")
	}
	var p Path
	for rest := s; rest != ""; {
		step, tail, err := nextStep(rest, len(p) == 0)
		if err != nil {
			return nil, fmt.Errorf("path %q: %w", s, err)
		}
		p, rest = append(p, step), tail
	}
	return p, nil
}

// nextStep reads one step, with the dot before it unless it is the first.
func nextStep(s string, first bool) (Step, string, error) {
	switch {
	case strings.HasPrefix(s, "[]"):
		return Step{Kind: ElementStep}, s[2:], nil
	case strings.HasPrefix(s, "{}"):
		return Step{Kind: ValueStep}, s[2:], nil
	case s[0] == '[':
		return placeStep(s)
	case first:
		return fieldStep(s)
	case s[0] == '.':
		return fieldStep(s[1:])
	}
	return Step{}, "", fmt.Errorf("unexpected %q: separate fields with a dot", s)
}

func placeStep(s string) (Step, string, error) {
	inside, tail, ok := strings.Cut(s[1:], "]")
	n, err := strconv.Atoi(inside)
	if !ok || err != nil || n < 0 {
		return Step{}, "", fmt.Errorf("unexpected %q: an element is [], a tuple's place is [0]", s)
	}
	return Step{Kind: PlaceStep, Index: n}, tail, nil
}

func fieldStep(s string) (Step, string, error) {
	if strings.HasPrefix(s, `"`) {
		quoted, err := strconv.QuotedPrefix(s)
		if err != nil {
			return Step{}, "", fmt.Errorf("unexpected %q: an odd name stands in double quotes", s)
		}
		name, err := strconv.Unquote(quoted)
		return Step{Kind: FieldStep, Name: name}, s[len(quoted):], err
	}
	end := strings.IndexAny(s, `.[{"`)
	if end < 0 {
		end = len(s)
	}
	if !plainName.MatchString(s[:end]) {
		return Step{}, "", fmt.Errorf("unexpected %q: put an odd name in double quotes", s)
	}
	return Step{Kind: FieldStep, Name: s[:end]}, s[end:], nil
}

// MarshalText writes the path as a manifest has it.
func (p Path) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText is ParsePath.
func (p *Path) UnmarshalText(text []byte) error {
	parsed, err := ParsePath(string(text))
	*p = parsed
	return err
}
