package compat

import (
	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// Question is the one question: can this reader read every event that this
// writer may emit? It knows no direction; forward and backward are two ways of
// filling it.
type Question struct {
	Reader, Writer *contract.Event // the reader's and the writer's revision
	As             Assumptions

	// Between are revisions released after the older of the two and before the
	// newer: a number that one of them lacks was gone, and came back as another.
	Between []Release
}

// Release is a revision of an event, and what reports call it.
type Release struct {
	Ref   string
	Event *contract.Event
}

// Assumptions is what the answer depends on beside the two schemas. They only
// enlarge the reader or shrink the writer, so every witness also replays on the
// user's own bytes.
type Assumptions struct {
	UnknownFields contract.Treatment // the reader's; ignore or reject
	UnknownEnums  contract.Treatment // the reader's; empty: reject in JSON, in binary an open enum's number is seen without a name
	Fields        []contract.Path    // what the reader reads; nil: everything
	Declared      bool               // a declared consumer reads: a field that is no longer sent is an error, not a warning
	Writers       contract.Writers   // closed: a writer emits only the fields it declares
	Encoding      contract.Encoding  // what really travels
	OldWriter     bool               // the writer's revision is the older one: what it never sent was not taken away from anybody
}

// Result is what a format's engine answers about the payload.
type Result struct {
	Answer rule.Answer
	Reason string  // why it is unknown; with holds, an assumption that was decisive
	Open   string  // what nobody can tell beside what refutes it, which may be waived
	Fix    string  // of what is unknown; empty: the rule's own
	Breaks []Break // errors make the answer refuted; warnings ride along with holds
	More   int     // places beyond the limit
}

// Break is one place of a payload that the reader refuses, loses or misreads.
type Break struct {
	Rule     string
	Severity rule.Severity
	Path     contract.Path // below the event's root
	Message  string        // the subject, the fact, the consequence
	Fix      string        // empty: the rule's own
	Reader   source.Pos    // in the reader's revision
	Writer   source.Pos    // in the writer's revision
	Witness  *rule.Witness // replayed; nil only where nothing travels to show (field-unsent)
	Mirrored bool          // the same fact in both directions: one finding tells of both
	About    []string      // digests of both subschemas, or other facts that identify the break: part of its fingerprint
}
