package contract

import (
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// Set is everything that one tree declares.
type Set struct {
	Tree      *source.Tree
	Repo      string     // its key under repos:, where it was loaded from another repository
	Workspace *Workspace // never nil; in bare mode its zero value with defaults
	Bare      bool       // schemas without a workspace
	Events    []*Event   // by name
	Consumers []*Consumer
	Schemas   []string // every schema file in the contracts folder, named by a contract or not
	Lock      Lock     // where vendored files came from

	// Findings is what could not be read, and what was vendored and then
	// changed: rules "unreadable" and "vendored-changed", with their places.
	Findings []rule.Finding
}

// Event gives the contract of a name, nil where there is none.
func (s *Set) Event(name Name) *Event {
	for _, e := range s.Events {
		if e.Name.Value == name {
			return e
		}
	}
	return nil
}

// Readers lists the consumers that read an event.
func (s *Set) Readers(event Name) []*Consumer {
	var readers []*Consumer
	for _, c := range s.Consumers {
		if c.Reading(event) != nil {
			readers = append(readers, c)
		}
	}
	return readers
}
