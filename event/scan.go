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
	data   []byte
	at     int    // offset of the next byte
	depth  int    // objects and lists that are open
	fresh  bool   // one was entered, and no step made in it
	quiet  bool   // nobody asks what the offence is
	tried  bool   // nobody keeps what is read
	from   int    // where the name of the member at hand begins
	to     int    // and ends
	name   []byte // the same, where it holds an escape
	window string // a part of the document that strings are cut from
	begin  int    // where the window begins
	seen   int    // bytes of lists for which Extend made room
	err    *Offence
}

const (
	scanDepth = 512 // objects and lists inside each other

	// Strings of a document are cut from windows: copies of it that begin at
	// scanWindow bytes and grow up to scanLargest, so that many strings cost one
	// allocation, and one that is kept doesn't keep a long document. Of a document
	// no longer than scanShort one window holds all that is left.
	scanWindow  = 512
	scanShort   = 2048
	scanLargest = 4096
)

// NewScanner reads a document. The scanner keeps data and never changes it.
func NewScanner(data []byte) Scanner { return Scanner{data: data} }

// Offence is the first thing in a payload that its contract doesn't allow.
type Offence struct {
	Path string // where in the payload: lines[2].price; empty for the whole
	Msg  string

	final bool // it is one for whoever tried a reader, too
}

func (o *Offence) Error() string {
	if o.Path == "" {
		return o.Msg
	}
	return o.Path + ": " + o.Msg
}

// Refuse notes an offence of the value at hand, which may already be passed.
func (s *Scanner) Refuse(format string, args ...any) {
	switch {
	case s.err != nil:
	case s.quiet:
		s.refuse(anyOffence)
	default:
		s.refuse(&Offence{Path: s.path(), Msg: fmt.Sprintf(format, args...)})
	}
}

// anyOffence stands for one that nobody asks for.
var anyOffence = new(Offence)

// refuse ends the reading with the first offence.
func (s *Scanner) refuse(o *Offence) {
	if s.err == nil {
		s.err = o
	}
	s.at = len(s.data)
}

// Need refuses the object that was just passed unless a member was seen in it.
func (s *Scanner) Need(name string, seen bool) {
	if !seen {
		s.missing(name)
	}
}

func (s *Scanner) missing(name string) {
	switch {
	case s.err != nil:
	case s.quiet:
		s.refuse(anyOffence)
	default:
		path := appendName([]byte(s.path()), []byte(name))
		s.refuse(&Offence{Path: string(path), Msg: "required, but missing"})
	}
}

// Once marks a member as seen, and refuses one that stands there twice: readers
// would disagree about which of the two counts.
func (s *Scanner) Once(seen *bool) {
	if *seen {
		s.Twice()
	}
	*seen = true
}

// Twice refuses the member at hand because it stood there before. Not even a
// reader that is only tried may overlook it.
func (s *Scanner) Twice() {
	if s.err == nil {
		s.refuse(&Offence{Path: s.path(), Msg: "the member stands there twice", final: true})
	}
}

// Unknown refuses a member that the contract doesn't name.
func (s *Scanner) Unknown() { s.Refuse("not a field of this contract, which is closed") }

// End refuses what follows the document and gives the first error.
func (s *Scanner) End() error {
	if s.space() != 0 || s.at < len(s.data) {
		s.refuse(&Offence{Msg: "something follows the end of the JSON document"})
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
	probe := *s // a scanner of its own at the value at hand
	probe.quiet, probe.tried = true, true
	if read(&probe); probe.err != nil && probe.err.final {
		s.refuse(probe.err)
	}
	return probe.err == nil
}

// Also lets a second reader judge the value at hand, and passes nothing unless
// it refuses.
func (s *Scanner) Also(read func(*Scanner)) {
	if s.err != nil {
		return
	}
	probe := *s
	probe.tried = true
	if read(&probe); probe.err != nil {
		s.refuse(probe.err)
	}
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
