package event

import "encoding"

// Optional is a value that may be absent: what generated code has instead of a
// pointer where a workspace asks for it. The zero value is absent.
type Optional[T any] struct {
	Value T
	Set   bool
}

// Some is a value that is there.
func Some[T any](value T) Optional[T] { return Optional[T]{Value: value, Set: true} }

// Get gives the value, and whether it is there.
func (o Optional[T]) Get() (T, bool) { return o.Value, o.Set }

// Or is the value, or another one where it is absent.
func (o Optional[T]) Or(other T) T {
	if o.Set {
		return o.Value
	}
	return other
}

// NumberAs passes a number and gives it as a type that reads itself from text,
// such as a decimal type.
func NumberAs[D any, P interface {
	*D
	encoding.TextUnmarshaler
}](s *Scanner) D {
	var d D
	if literal := s.Number(); s.err == nil {
		if err := P(&d).UnmarshalText([]byte(literal)); err != nil {
			s.Refuse("%v", err)
		}
	}
	return d
}

// NumberOf reads a literal that a contract holds, such as a default.
func NumberOf[D any, P interface {
	*D
	encoding.TextUnmarshaler
}](literal string) D {
	s := NewScanner([]byte(literal))
	return NumberAs[D, P](&s)
}

// AppendNumber writes a number of a type that writes itself as text. Of one that
// cannot it notes so, for the decoder to refuse.
func AppendNumber(b []byte, d encoding.TextMarshaler) []byte {
	text, err := d.MarshalText()
	if err != nil {
		text = nil
	}
	return AppendRaw(b, text)
}
