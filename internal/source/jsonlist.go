package source

// fewMembers is how many keys are compared one by one; larger maps look them up.
const fewMembers = 12

// enter passes the bracket that opens a list or a map; leave takes it back.
func (s *scanner) enter(open Pos) {
	s.at++
	if s.depth++; s.depth > MaxDepth {
		s.giveUp(open, "more than %d lists and maps inside each other", MaxDepth)
	}
}

func (s *scanner) leave() { s.depth-- }

func (s *scanner) list(n *Node) {
	s.enter(n.Pos)
	defer s.leave()
	base := len(s.items)
	for more := s.first(n, ']'); more; more = s.next(n, ']') {
		s.items = append(s.items, s.value())
	}
	n.Items = cut(&s.itemSlab, len(s.items)-base, s.values)
	copy(n.Items, s.items[base:])
	s.items = s.items[:base]
}

func (s *scanner) object(n *Node) {
	s.enter(n.Pos)
	defer s.leave()
	base := len(s.members)
	var seen map[string]Pos
	for more := s.first(n, '}'); more; more = s.next(n, '}') {
		m := s.member()
		if first, twice := s.find(base, seen, m.Key); twice {
			s.note(twiceError(m, first))
			s.replace(base, m)
			continue
		}
		s.members = append(s.members, m)
		seen = s.remember(base, seen, m)
	}
	n.Members = cut(&s.memberSlab, len(s.members)-base, s.values/2)
	copy(n.Members, s.members[base:])
	s.members = s.members[:base]
}

// find looks for a key among those of the map that is open.
func (s *scanner) find(base int, seen map[string]Pos, key string) (Pos, bool) {
	if seen != nil {
		first, ok := seen[key]
		return first, ok
	}
	for i := base; i < len(s.members); i++ {
		if s.members[i].Key == key {
			return s.members[i].Pos, true
		}
	}
	return Pos{}, false
}

// replace puts the last member of a key in the place of the first, as readers of
// JSON do.
func (s *scanner) replace(base int, m Member) {
	for i := base; i < len(s.members); i++ {
		if s.members[i].Key == m.Key {
			s.members[i] = m
		}
	}
}

// remember starts the look-up table once a map has many keys, and keeps it.
func (s *scanner) remember(base int, seen map[string]Pos, m Member) map[string]Pos {
	switch {
	case seen != nil:
		seen[m.Key] = m.Pos
	case len(s.members)-base > fewMembers:
		seen = make(map[string]Pos, 4*fewMembers)
		for _, m := range s.members[base:] {
			seen[m.Key] = m.Pos
		}
	}
	return seen
}

func twiceError(m Member, first Pos) *Error {
	return Errorf(m.Pos, "the key %q is already there in line %d: remove one of the two", m.Key, first.Line)
}

func (s *scanner) member() Member {
	m := Member{Pos: s.pos()}
	switch c := s.peek(); {
	case c == '"':
		m.Key = s.text()
	case isWord(c):
		m.Key = s.bare()
		s.wrong(m.Pos, "the key %s stands without quotes: write %q", m.Key, m.Key)
	case s.at == len(s.src):
		s.giveUp(m.Pos, "the text ends where a key should stand")
	default:
		s.giveUp(m.Pos, "%q where a key in double quotes should stand", firstRune(s.src[s.at:]))
	}
	s.space()
	switch s.peek() {
	case ':':
		s.at++
	default:
		s.giveUp(s.pos(), "a colon is missing after the key %q", m.Key)
	}
	s.space()
	m.Value = s.value()
	return m
}

// first reports whether a list or map that was just opened holds anything.
func (s *scanner) first(n *Node, closing byte) bool {
	s.space()
	return !s.closed(closing) && !s.ended(n)
}

// next passes what stands between two members, or the closing bracket.
func (s *scanner) next(n *Node, closing byte) bool {
	s.space()
	if s.closed(closing) || s.ended(n) {
		return false
	}
	comma := s.pos()
	if s.peek() != ',' {
		return s.noComma(comma)
	}
	s.at++
	s.space()
	if s.peek() == closing {
		s.wrong(comma, "a comma after the last element: remove it")
	}
	return !s.closed(closing) && !s.ended(n)
}

func (s *scanner) closed(closing byte) bool {
	if s.peek() != closing {
		return false
	}
	s.at++
	return true
}

// ended reports whether the text is over while a list or map is still open.
func (s *scanner) ended(n *Node) bool {
	if s.at < len(s.src) {
		return false
	}
	s.giveUp(n.Pos, "%s that is never closed", n.Kind)
	return true
}

// noComma goes on where the next thing looks like one more element.
func (s *scanner) noComma(at Pos) bool {
	switch c := s.peek(); {
	case c == '"', c == '{', c == '[', c == '-', isDigit(c), isWord(c):
		s.wrong(at, "a comma is missing before this")
	case c == '}' || c == ']':
		s.giveUp(at, "'%c' closes nothing that is open here", c)
	default:
		s.giveUp(at, "%q where a comma or a closing bracket should stand", firstRune(s.src[s.at:]))
	}
	return !s.lost
}
