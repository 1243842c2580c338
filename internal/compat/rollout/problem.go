package rollout

import (
	"fmt"
	"time"
)

// Problem is what runs, what shall run, and who can read whom. The zero value has
// an empty plan.
type Problem struct {
	Services []Service
	Read     func(Pair) Answer // asked once for each pair; must give the same answer for the same pair
}

// Service runs some revisions and may send events, read them, or both.
type Service struct {
	Name  string
	Now   []string      // what runs; several during a canary, none if it is new
	To    []string      // what shall run; none or the same as Now: it stays
	Via   []string      // revisions between the two that may be run for a while if there is no direct way
	Sent  []Sent        // revisions that run no longer, whose events may still be read
	Keeps time.Duration // how long an event of it may be read after it was sent
}

// Sent is a revision that runs no longer, whose events may still be read for a
// while.
type Sent struct {
	Revision string
	Left     time.Duration
}

// Party is one revision of one service.
type Party struct{ Service, Revision string }

func (p Party) String() string { return p.Service + " " + p.Revision }

// Pair is a reader that may meet a writer's events.
type Pair struct{ Reader, Writer Party }

// Answer says whether a reader can read everything that a writer may send.
type Answer string

const (
	Nothing Answer = "" // it reads nothing of it
	Holds   Answer = "holds"
	Refuted Answer = "refuted"
	Unknown Answer = "unknown" // as bad as refuted
)

// Good reports whether a reader and a writer may meet.
func (a Answer) Good() bool { return a == Nothing || a == Holds }

// Meeting is a pair with its answer.
type Meeting struct {
	Pair
	Answer Answer
}

// check refuses a problem that makes no sense.
func (p *Problem) check() error {
	seen := map[string]bool{}
	for i := range p.Services {
		s := &p.Services[i]
		switch {
		case s.Name == "":
			return fmt.Errorf("service %d has no name", i+1)
		case seen[s.Name]:
			return fmt.Errorf("service %s is there twice", s.Name)
		}
		seen[s.Name] = true
	}
	return nil
}
