// Package contain decides whether every JSON value that one JSON Schema accepts
// is accepted by another, and shows a value where it is not.
//
// The question "does the reader take all that the writer may send" is the
// question whether writer ∧ ¬reader has a value. Ask answers it with a search
// that either closes (Holds), ends in a value that the validator library really
// accepts under the writer and refuses under the reader (Refuted), or gives up
// with a reason (Unknown).
//
// The search works on goals. A goal is a set of literals, each a schema or its
// negation, that one JSON value has to satisfy together:
//
//	lower   the validator's compiled schemas become nodes: lists of assertions
//	intern  nodes that mean the same by their structure get the same number
//	solve   a goal is split by JSON type; Boolean structure is expanded lazily,
//	        alternatives that contradict the rest are dropped first, the rest
//	        are tried one by one
//	leaves  numbers are intervals and lattices of rationals, strings are products
//	        of automata, arrays and objects become goals for their parts
//
// Emptiness is a least fixpoint: the smallest value of a goal contains no other
// value of that goal, so a goal met again inside itself counts as empty there.
// A result that rests on such an assumption is kept only together with the
// goal that it assumed empty.
//
// Everything is counted in steps, never in seconds.
package contain
