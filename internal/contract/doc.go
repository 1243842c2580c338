// Package contract is the format-neutral model of event contracts: what the
// three kinds of manifest declare, and what every schema format can answer.
//
// The manifest types are decoded from nodes that know their place, so each
// value that a rule may complain about keeps its file, line and column. The
// package reads nothing by itself; internal/load fills it.
package contract
