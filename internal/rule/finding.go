package rule

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/evcontract/evcontract/internal/source"
)

// Direction says who reads whom.
type Direction string

const (
	Forward  Direction = "forward"  // the old reader reads the new writer
	Backward Direction = "backward" // the new reader reads the old writer
)

// Finding is one thing that is wrong, at one place, however many events and
// consumers it reaches.
type Finding struct {
	Rule        string
	Severity    Severity
	Path        string     // OrderPaid.v1/lines[].price, or the file where no event is known
	Message     string     // the subject, the fact, the consequence
	Fix         string     // what to do about it
	New, Old    source.Pos // in the new and in the old revision; a lint has only New
	Witness     *Witness   // every finding about a payload has one
	Hits        []Hit
	Fingerprint string
	Waived      *Waiver
}

// Witness is the smallest event that the writer may emit and the reader cannot
// take. It was encoded by the writer's schema and really read by the reader's.
type Witness struct {
	Event      json.RawMessage // the event as JSON
	Text       string          // the event in Protobuf text format; Protobuf only
	Bytes      []byte          // the bytes that were read; Protobuf binary only
	Mark       string          // JSON pointer of the offending part of Event
	ReaderSees string          // what became of it, in one line
}

// Hit is one read that a finding spoils.
type Hit struct {
	Event     string
	Direction Direction // empty for a lint
	Consumer  string    // empty for the reader whom nobody declared
}

// Waiver accepts a finding until a day. It names a fingerprint, or a rule and a place.
type Waiver struct {
	Fingerprint string
	Rule        string
	At          string // a path as Finding.Path has it
	Reason      string
	Owner       string
	Until       time.Time // the last day on which it holds, midnight UTC
	Pos         source.Pos
}

// Fingerprint names a finding by its rule, its path and what it is about (the
// digests of the old and new subschema, say). Line numbers take no part, so it
// survives every edit elsewhere in the file.
func Fingerprint(rule, path string, about ...string) string {
	h := sha256.New()
	for _, s := range append([]string{rule, path}, about...) {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// place is where a person looks first: the new revision, else the old one.
func (f *Finding) place() source.Pos {
	if f.New.IsZero() {
		return f.Old
	}
	return f.New
}
