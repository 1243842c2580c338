package event

// Kind is the kind of a JSON value, as its first byte tells.
type Kind uint8

const (
	NoKind Kind = iota // no value stands here
	NullKind
	BoolKind
	NumberKind
	StringKind
	ListKind
	ObjectKind
)

var kindNames = [...]string{"nothing", "null", "a boolean", "a number", "a string", "a list", "an object"}

// String is the kind as a message names it: "a list".
func (k Kind) String() string { return kindNames[k] }

var kindOf = func() (t [256]Kind) {
	for c := '0'; c <= '9'; c++ {
		t[c] = NumberKind
	}
	t['-'], t['"'], t['['], t['{'] = NumberKind, StringKind, ListKind, ObjectKind
	t['n'], t['t'], t['f'] = NullKind, BoolKind, BoolKind
	return t
}()

// Kind tells what kind of value is at hand without passing it.
func (s *Scanner) Kind() Kind { return kindOf[s.space()] }

// space passes white space and gives the byte after it, 0 at the end.
func (s *Scanner) space() byte {
	if s.at < len(s.data) && s.data[s.at] > ' ' {
		return s.data[s.at]
	}
	return s.spaces()
}

func (s *Scanner) spaces() byte {
	for s.at < len(s.data) {
		switch c := s.data[s.at]; c {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// want refuses a value of another kind.
func (s *Scanner) want(k Kind) bool {
	if got := kindOf[s.space()]; got != k {
		s.mismatch(k, got)
		return false
	}
	return true
}

func (s *Scanner) mismatch(want, got Kind) {
	switch {
	case s.err != nil:
	case got == NoKind:
		s.syntax("a value")
	default:
		s.Refuse("want %v, not %v", want, got)
	}
}

// syntax refuses a text that is not JSON.
func (s *Scanner) syntax(want string) {
	switch {
	case s.err != nil:
	case s.at < len(s.data) && s.data[s.at] == unset:
		s.Refuse("not JSON: no value was set, where %s should stand", want)
	case s.at >= len(s.data):
		s.Refuse("not JSON: the text ends where %s should stand", want)
	default:
		s.Refuse("not JSON: %q at byte %d, where %s should stand", s.data[s.at], s.at, want)
	}
}

// Object enters an object; Member steps through it.
func (s *Scanner) Object() {
	if s.want(ObjectKind) {
		s.enter()
	}
}

// enter passes the bracket that opens a list or an object.
func (s *Scanner) enter() {
	if s.depth == scanDepth {
		s.Refuse("more than %d objects and lists inside each other", scanDepth)
		return
	}
	s.at++
	s.depth++
	s.fresh = true
}

// leave passes the bracket that closes a list or an object.
func (s *Scanner) leave() bool {
	s.at++
	s.depth--
	s.fresh = false
	return false
}

// Member steps to the next member of the object that was entered last, and
// leaves the object after the last one. Each member's value must be passed.
func (s *Scanner) Member() bool {
	// Where no white space stands and the name holds no escape, as in nearly all
	// that programs write, there is little to look at.
	at, first := s.at, s.fresh
	if !first && s.byteAt(at) == ',' {
		at, first = at+1, true
	}
	if first && s.byteAt(at) == '"' {
		end := plainEnd(s.data, at+1)
		if end+1 < len(s.data) && s.data[end] == '"' && s.data[end+1] == ':' {
			s.fresh, s.from, s.to, s.at = false, at+1, end, end+2
			if s.name != nil {
				s.name = nil
			}
			return true
		}
	}
	return s.member()
}

// member is Member of whatever stands there.
func (s *Scanner) member() bool {
	c := s.space()
	switch {
	case c == '}':
		return s.leave()
	case s.fresh:
		s.fresh = false
	case c == ',':
		s.at++
		c = s.space()
	default:
		s.syntax("a comma or '}'")
		return false
	}
	if c != '"' {
		s.syntax("a member's name")
		return false
	}
	s.passName()
	if s.space() != ':' {
		s.syntax("a colon")
		return false
	}
	s.at++
	return true
}

func (s *Scanner) passName() {
	from := s.at + 1
	if end := plainEnd(s.data, from); end < len(s.data) && s.data[end] == '"' {
		s.from, s.to, s.at = from, end, end+1
		if s.name != nil {
			s.name = nil
		}
		return
	}
	s.name = s.text()
}

// Name is the name of the member at hand. It is valid until the next one.
func (s *Scanner) Name() []byte {
	if s.name != nil {
		return s.name
	}
	return s.data[s.from:s.to]
}

// NameString is Name as a string to keep.
func (s *Scanner) NameString() string {
	if s.name != nil {
		return string(s.name)
	}
	return s.cut(s.from, s.to)
}

// List enters a list; Element steps through it.
func (s *Scanner) List() {
	if s.want(ListKind) {
		s.enter()
	}
}

// Element steps to the next element of the list that was entered last, and
// leaves the list after the last one. Each element must be passed.
func (s *Scanner) Element() bool {
	c := s.space()
	switch {
	case c == ']':
		return s.leave()
	case s.fresh:
		s.fresh = false
		return s.err == nil
	case c != ',':
		s.syntax("a comma or ']'")
		return false
	}
	s.at++
	if s.space() == ']' {
		s.syntax("an element")
		return false
	}
	return true
}

// Null passes a null, if there is one.
func (s *Scanner) Null() bool {
	if s.space() != 'n' {
		return false
	}
	return s.word("null")
}

// Bool passes a boolean.
func (s *Scanner) Bool() bool {
	if !s.want(BoolKind) {
		return false
	}
	if s.data[s.at] == 't' {
		return s.word("true")
	}
	s.word("false")
	return false
}

func (s *Scanner) word(word string) bool {
	if end := s.at + len(word); end <= len(s.data) && string(s.data[s.at:end]) == word {
		s.at = end
		return true
	}
	s.syntax(word)
	return false
}

// Skip passes a value of any kind.
func (s *Scanner) Skip() {
	switch s.Kind() {
	case ObjectKind, ListKind:
		s.skipAll()
	case StringKind:
		s.text()
	case NumberKind:
		s.number()
	case BoolKind:
		s.Bool()
	case NullKind:
		s.Null()
	default:
		s.syntax("a value")
	}
}

// skipAll passes an object or a list with all that is in it.
func (s *Scanner) skipAll() {
	var lists [scanDepth + 1]bool // by depth
	base := s.depth
	for {
		switch k := s.Kind(); k {
		case ObjectKind, ListKind:
			s.enter()
			lists[s.depth] = k == ListKind
		default:
			s.Skip()
		}
		for more := false; !more; {
			if s.err != nil || s.depth == base {
				return
			}
			if lists[s.depth] {
				more = s.Element()
			} else {
				more = s.Member()
			}
		}
	}
}

// Raw passes a value of any kind and gives its text, a piece of the document.
func (s *Scanner) Raw() []byte {
	s.space()
	from := s.at
	s.Skip()
	if s.err != nil {
		return nil
	}
	return s.data[from:s.at]
}
