package rollout_test

import (
	"slices"

	"github.com/evcontract/evcontract/internal/compat/rollout"
)

// brute walks every state that any mixture of starts, stops and drains can reach,
// one revision at a time, with no idea of moves or graphs. It reports whether what
// shall run can be reached so that each start is safe and the end is.
func brute(p rollout.Problem) bool {
	b := newBrute(p)
	seen := map[uint64]bool{}
	for todo := []uint64{b.start}; len(todo) > 0; {
		state := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[state] {
			continue
		}
		seen[state] = true
		if b.arrived(state) {
			return true
		}
		todo = append(todo, b.next(state)...)
	}
	return false
}

// walker knows each revision by a bit: whether it runs, and, 32 bits higher,
// whether its events may be read.
type walker struct {
	names      []rollout.Party
	start, aim uint64
	all        []uint64 // the bits of a service that may run
	mayBeEmpty []bool
	service    []int
	bad        [][]bool
}

func newBrute(p rollout.Problem) *walker {
	b := &walker{}
	for i, s := range p.Services {
		var mine uint64
		to := s.To
		if len(to) == 0 {
			to = s.Now
		}
		bit := func(revision string) uint64 {
			party := rollout.Party{Service: s.Name, Revision: revision}
			at := slices.Index(b.names, party)
			if at < 0 {
				at = len(b.names)
				b.names, b.service = append(b.names, party), append(b.service, i)
			}
			return 1 << at
		}
		for _, r := range s.Now {
			b.start |= bit(r) | bit(r)<<32
			mine |= bit(r)
		}
		for _, r := range to {
			b.aim |= bit(r)
			mine |= bit(r)
		}
		for _, r := range s.Sent {
			b.start |= bit(r.Revision) << 32
		}
		b.all = append(b.all, mine)
		b.mayBeEmpty = append(b.mayBeEmpty, len(s.Now) == 0)
	}
	for _, r := range b.names {
		var row []bool
		for _, w := range b.names {
			answer := p.Read(rollout.Pair{Reader: r, Writer: w})
			row = append(row, answer == rollout.Refuted || answer == rollout.Unknown)
		}
		b.bad = append(b.bad, row)
	}
	return b
}

func (b *walker) arrived(state uint64) bool {
	running := state & (1<<32 - 1)
	if running != b.aim {
		return false
	}
	for r := range b.names {
		for w := range b.names {
			if running>>r&1 == 1 && running>>w&1 == 1 && b.bad[r][w] {
				return false
			}
		}
	}
	return true
}

func (b *walker) next(state uint64) []uint64 {
	var states []uint64
	for id := range b.names {
		bit := uint64(1) << id
		mine := b.all[b.service[id]]
		switch {
		case state&bit == 0 && mine&bit != 0 && b.safe(state, id):
			states = append(states, state|bit|bit<<32)
		case state&bit != 0 && (state&mine != bit || b.mayBeEmpty[b.service[id]]):
			states = append(states, state&^bit)
		}
		if state&bit == 0 && state&(bit<<32) != 0 {
			states = append(states, state&^(bit<<32))
		}
	}
	return states
}

// safe reports whether one revision may start: it reads all that may be read, and
// all that runs reads it.
func (b *walker) safe(state uint64, id int) bool {
	state |= 1<<id | 1<<(id+32)
	for other := range b.names {
		if state>>(other+32)&1 == 1 && b.bad[id][other] || state>>other&1 == 1 && b.bad[other][id] {
			return false
		}
	}
	return true
}
