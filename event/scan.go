package event

import (
	"fmt"
	"strconv"
	"strings"
)

// Scanner reads one JSON document (RFC 8259, strictly) from left to right for
// generated decoders: no maps, no reflection, one pass. The first error ends
// the reading; everything that is asked afterwards gives zero values, so that a
// decoder needs no error handling of its own until End.
//
//	for s.Object(); s.Member(); {
//		switch string(s.Name()) {
//		case "order_id":
//			v.OrderID = s.String()
//		default:
//			s.Skip()
//		}
//	}
type Scanner struct {
	data  []byte
	all   string // the document as a string, if strings are cut from it
	at    int    // offset of the next byte
	err   *Offence
	depth int
	near  [scanNear]scanLevel // levels that cost no allocation
	far   []scanLevel
}

// scanLevel is one object or list that is open, and where in it the scanner is.
type scanLevel struct {
	name  []byte // of an object's member
	index int    // of a list's element, or how many members were passed; -1 before the first
	list  bool
}

const (
	scanNear  = 8
	scanDepth = 512 // objects and lists inside each other

	// scanShared is the size up to which all strings of a document share one
	// copy of it: one allocation. Strings of a larger one are copied each, so
	// that a short string which is kept doesn't keep a long document.
	scanShared = 4096
)

// NewScanner reads a document. The scanner keeps data and never changes it.
func NewScanner(data []byte) Scanner { return Scanner{data: data} }

// Offence is the first thing in a payload that its contract doesn't allow.
type Offence struct {
	Path string // where in the payload: lines[2].price; empty for the whole
	Msg  string
}

func (o *Offence) Error() string {
	if o.Path == "" {
		return o.Msg
	}
	return o.Path + ": " + o.Msg
}

// Refuse notes an offence of the value at hand, which may already be passed.
func (s *Scanner) Refuse(format string, args ...any) {
	if s.err == nil {
		s.refuse(s.path(), fmt.Sprintf(format, args...))
	}
}

func (s *Scanner) refuse(path, msg string) {
	if s.err == nil {
		s.err = &Offence{Path: path, Msg: msg}
	}
	s.at = len(s.data)
}

// Need refuses the object that was just passed unless a member was seen in it.
func (s *Scanner) Need(name string, seen bool) {
	if seen || s.err != nil {
		return
	}
	path := appendName([]byte(s.path()), []byte(name))
	s.refuse(string(path), "required, but missing")
}

// Once marks a member as seen, and refuses one that stands there twice: readers
// would disagree about which of the two counts.
func (s *Scanner) Once(seen *bool) {
	if *seen {
		s.Refuse("the member stands there twice")
	}
	*seen = true
}

// Unknown refuses a member that the contract doesn't name.
func (s *Scanner) Unknown() { s.Refuse("not a field of this contract, which is closed") }

// End refuses what follows the document and gives the first error.
func (s *Scanner) End() error {
	if s.space() != 0 || s.at < len(s.data) {
		s.refuse("", "something follows the end of the JSON document")
	}
	return s.Err()
}

// Err gives the first error so far.
func (s *Scanner) Err() error {
	if s.err == nil {
		return nil
	}
	return s.err
}

// Try reports whether a reader takes the value at hand, and passes nothing.
func (s *Scanner) Try(read func(*Scanner)) bool {
	if s.err != nil {
		return false
	}
	probe := s.probe()
	read(&probe)
	return probe.err == nil
}

// Also lets a second reader judge the value at hand, and passes nothing unless
// it refuses.
func (s *Scanner) Also(read func(*Scanner)) {
	if s.err != nil {
		return
	}
	probe := s.probe()
	if read(&probe); probe.err != nil {
		s.refuse(probe.err.Path, probe.err.Msg)
	}
}

// probe is a scanner of its own at the value at hand.
func (s *Scanner) probe() Scanner {
	probe := *s
	probe.far = append([]scanLevel(nil), s.far...)
	return probe
}

// level is the object or list that was opened last.
func (s *Scanner) level() *scanLevel {
	if s.depth <= scanNear {
		return &s.near[s.depth-1]
	}
	return &s.far[s.depth-1-scanNear]
}

func (s *Scanner) push(list bool) {
	s.at++
	s.depth++
	switch {
	case s.depth > scanDepth:
		s.depth--
		s.Refuse("more than %d objects and lists inside each other", scanDepth)
		return
	case s.depth > scanNear:
		s.far = append(s.far[:s.depth-1-scanNear], scanLevel{})
	}
	*s.level() = scanLevel{index: -1, list: list}
}

// path is where the value at hand stands.
func (s *Scanner) path() string {
	var b []byte
	depth := s.depth
	for s.depth = 1; s.depth <= depth; s.depth++ {
		switch l := s.level(); {
		case l.index < 0:
		case l.list:
			b = append(strconv.AppendInt(append(b, '['), int64(l.index), 10), ']')
		default:
			b = appendName(b, l.name)
		}
	}
	s.depth = depth
	return string(b)
}

// appendName writes a field as a path has it: odd names in double quotes.
func appendName(b, name []byte) []byte {
	if len(b) > 0 {
		b = append(b, '.')
	}
	if plainName(name) {
		return append(b, name...)
	}
	return strconv.AppendQuote(b, strings.ToValidUTF8(string(clip(name)), "\ufffd"))
}

func plainName(name []byte) bool {
	for i, c := range name {
		letter := c|0x20-'a' < 26 || c == '_' || c == '$' || c == '@'
		if !letter && (i == 0 || c-'0' >= 10 && c != '-') {
			return false
		}
	}
	return len(name) > 0
}
