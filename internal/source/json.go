package source

import "strings"

// ParseJSON reads one JSON document (RFC 8259, strictly). Errors are collected:
// the parser goes on where it can tell what was meant. The node is nil when the
// text is not JSON; when the only errors are keys written twice it is there, and
// the first of the two counts. A lone surrogate in an escape becomes U+FFFD.
func ParseJSON(file string, data []byte) (*Node, []*Error) {
	if err := checkText(file, data, MaxJSON); err != nil {
		return nil, []*Error{err}
	}
	s := scanner{src: string(data), file: file, line: 1}
	if strings.HasPrefix(s.src, "\ufeff") {
		return nil, []*Error{Errorf(s.pos(), "a byte order mark, which JSON does not allow: save the file as UTF-8 without it")}
	}
	root := s.document()
	if s.broken {
		return nil, s.errs
	}
	return root, s.errs
}

// scanner walks over a JSON text and builds its nodes in one pass. After an
// error that leaves no way to go on it jumps to the end of the text, so that
// every loop ends by itself.
type scanner struct {
	src    string
	file   string
	at     int // offset of the next byte
	line   int // of that byte, from 1
	start  int // offset of its line's first byte
	wide   int // UTF-8 continuation bytes between start and at
	depth  int
	values int
	broken bool // a syntax error was found
	lost   bool // nothing that follows can be trusted
	errs   []*Error

	items   []*Node  // of the lists that are open
	members []Member // of the maps that are open
	scratch []byte   // of the string that is read

	// Slabs that nodes, lists and maps are cut from: one allocation for many.
	nodeSlab   []Node
	itemSlab   []*Node
	memberSlab []Member
}

func (s *scanner) pos() Pos {
	return Pos{File: s.file, Line: s.line, Column: s.at - s.start - s.wide + 1}
}

// peek is the next byte, 0 at the end. A NUL in the text is taken for one that
// stands where nothing may stand, which it does.
func (s *scanner) peek() byte {
	if s.at < len(s.src) {
		return s.src[s.at]
	}
	return 0
}

// wrong notes a syntax error.
func (s *scanner) wrong(at Pos, format string, args ...any) {
	if s.lost {
		return
	}
	s.broken = true
	s.note(Errorf(at, format, args...))
}

// giveUp notes a syntax error behind which nothing can be understood.
func (s *scanner) giveUp(at Pos, format string, args ...any) {
	s.wrong(at, format, args...)
	s.lost, s.at = true, len(s.src)
}

func (s *scanner) note(err *Error) {
	s.errs = append(s.errs, err)
	if len(s.errs) == maxErrors {
		s.broken, s.lost, s.at = true, true, len(s.src)
	}
}

func (s *scanner) document() *Node {
	s.space()
	if s.at == len(s.src) {
		s.giveUp(Pos{File: s.file}, "the file is empty: a JSON document is one value")
		return nil
	}
	root := s.value()
	s.space()
	if s.at < len(s.src) {
		s.giveUp(s.pos(), "something follows the end of the document: a JSON file holds one value")
	}
	return root
}

// space skips white space, and comments, which it reports.
func (s *scanner) space() {
	src, at := s.src, s.at
	for at < len(src) {
		switch c := src[at]; {
		case c == ' ':
			at++
		case c > '/': // most of what can follow, told apart by one comparison
			s.at = at
			return
		case c == '\n':
			at++
			s.line++
			s.start, s.wide = at, 0
		case c == '\t' || c == '\r':
			at++
		case c == '/':
			s.at = at
			s.comment()
			at = s.at
		default:
			s.at = at
			return
		}
	}
	s.at = at
}

func (s *scanner) newline() {
	s.at++
	s.line++
	s.start, s.wide = s.at, 0
}

// comment skips a comment, so that one file with many of them is one report.
func (s *scanner) comment() {
	end := ""
	switch {
	case strings.HasPrefix(s.src[s.at:], "//"):
		end = "\n"
	case strings.HasPrefix(s.src[s.at:], "/*"):
		end = "*/"
	default:
		s.giveUp(s.pos(), "an unexpected '/'")
		return
	}
	s.wrong(s.pos(), "a comment, which JSON does not have: remove it, or put it into \"$comment\"")
	if s.lost {
		return
	}
	stop := len(s.src)
	if n := strings.Index(s.src[s.at+2:], end); n >= 0 {
		stop = s.at + 2 + n + len(end)
	}
	for s.at < stop {
		s.step()
	}
}

// step passes one byte whatever it is.
func (s *scanner) step() {
	switch c := s.src[s.at]; {
	case c == '\n':
		s.newline()
		return
	case c&0xC0 == 0x80:
		s.wide++
	}
	s.at++
}

// value reads one value. It never gives nil, whatever stands there.
func (s *scanner) value() *Node {
	n := s.node()
	switch c := s.peek(); {
	case c == '"':
		n.Kind = String
		n.Text = s.text()
	case c == '{':
		n.Kind = Map
		s.object(n)
	case c == '[':
		n.Kind = List
		s.list(n)
	case c == '-' || isDigit(c):
		n.Kind = Number
		n.Text = s.number()
	case isWord(c) || c == '.' || c == '+':
		s.word(n)
	default:
		s.noValue()
	}
	return n
}

func (s *scanner) noValue() {
	switch c := s.peek(); {
	case s.at == len(s.src):
		s.giveUp(s.pos(), "the text ends where a value should stand")
	case c == '\'':
		s.giveUp(s.pos(), "a single quote: strings stand in double quotes")
	case c == ',' || c == '}' || c == ']' || c == ':':
		s.giveUp(s.pos(), "a value is missing before '%c'", c)
	default:
		s.giveUp(s.pos(), "%q where a value should stand", firstRune(s.src[s.at:]))
	}
}

func (s *scanner) node() *Node {
	n := &cut(&s.nodeSlab, 1, s.values)[0]
	n.Pos = s.pos()
	if s.values++; s.values > MaxValues {
		s.giveUp(n.Pos, "more than %d values in one document: split the file", MaxValues)
	}
	return n
}

// cut takes n elements from a slab. A new slab is as large as what was read so
// far suggests, so that small documents stay small.
func cut[T any](slab *[]T, n, soFar int) []T {
	if n > len(*slab) {
		*slab = make([]T, max(n, min(max(8, soFar), 256)))
	}
	part := (*slab)[:n:n]
	*slab = (*slab)[n:]
	return part
}
