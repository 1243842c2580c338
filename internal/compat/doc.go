// Package compat answers one question: can this reader read every event that
// this writer may emit?
//
// Forward is the old reader and the new writer, backward the new reader and the
// old writer, full is both: ways of asking, never parts of a rule's name.
//
//	Check   pairs the events of two sets by name (match), asks for each pair,
//	        direction and reader (readers), and gathers what it hears, one
//	        finding a changed place (collect).
//	Read    asks the engine of the payload's format: readJSONSchema searches for
//	        a value in writer ∧ ¬reader, readProtobuf walks pairs of descriptors.
//	rules   one file each. A payload rule is a page that an engine names by its
//	        id; a contract rule also compares what stands around the payload.
//
// An engine answers holds, refuted or unknown. Refuted comes with an event that
// the writer's schema encoded and the reader's schema really read; unknown is
// never passed off as holds.
package compat
