package contain

import "fmt"

// defaultBreaks is how many breaks an answer shows unless the question says.
const defaultBreaks = 20

// maxNote bounds the instances beside notes, in bytes.
const maxNote = 300

// Ask decides a question. It is safe for concurrent use and never panics.
func Ask(q Question) (a Answer) {
	defer func() {
		if r := recover(); r != nil {
			a = Answer{Reason: Reason{Keyword: fmt.Sprintf("(internal: %v)", r)}}
		}
	}()
	if q.Writer == nil || q.Reader == nil {
		return Answer{Reason: Reason{Keyword: "$schema"}}
	}
	k := newAsker(q)
	out := k.solver.solve(k.goal(k.reader))
	if out.result == unsat {
		return k.holds()
	}
	k.breaks(out)
	if len(k.found) == 0 && k.lastResort() {
		return k.holds()
	}
	if len(k.found) == 0 {
		return Answer{Reason: k.reason(out.why)}
	}
	return Answer{Verdict: Refuted, Breaks: k.found, More: k.more, Notes: k.gaps()}
}

// asker holds one question while it is answered.
type asker struct {
	q              Question
	solver         *solver
	writer, reader *node // after the assumptions
	seeds          []any
	found          []Break
	more           int
	places         map[refusal]bool
	undecided      []*node // assertions that may break too
}

func (k *asker) holds() Answer {
	notes, without := k.notes()
	return Answer{Verdict: Holds, Notes: notes, Without: without}
}

// refusal tells breaks apart: a keyword, and for required the name it misses.
type refusal struct {
	place
	name string
}

func newAsker(q Question) *asker {
	k := &asker{q: q, solver: newSolver(q.Budget), writer: q.Writer.root, reader: q.Reader.root, places: map[refusal]bool{}}
	if q.Assume.ClosedWriter {
		k.writer = q.Writer.closed()
	}
	k.reader = relaxReader(k.reader, q.Assume)
	if k.q.MaxBreaks <= 0 {
		k.q.MaxBreaks = defaultBreaks
	}
	for _, b := range q.Seeds {
		if v, err := decode(b); err == nil {
			k.seeds = append(k.seeds, v)
		}
	}
	return k
}

// gaps name the places that were not decided beside the breaks that were found.
func (k *asker) gaps() []string {
	var out []string
	for _, n := range k.undecided {
		if n.place.schema != "" && len(out) < defaultBreaks {
			out = append(out, "not decided: "+k.locate(n.place).String())
		}
	}
	return out
}

func (k *asker) goal(reader *node) []lit {
	return []lit{{n: k.writer}, {n: reader, neg: true}}
}

// plain says that no assumption changed a schema.
func (k *asker) plain() bool {
	return k.writer == k.q.Writer.root && k.reader == k.q.Reader.root
}

// notes name the assumptions without which the verdict would be another.
func (k *asker) notes() (out []string, without [][]byte) {
	if k.plain() {
		return nil, nil
	}
	add := func(a Assumptions, text string) {
		if a.Fields == nil && !a.ClosedWriter && !a.IgnoreUnknown && !a.IgnoreEnums && k.plain() {
			return
		}
		other := newAsker(Question{Writer: k.q.Writer, Reader: k.q.Reader, Assume: a, Budget: k.q.Budget})
		other.solver.steps /= 4
		found := other.solver.solve(other.goal(other.reader))
		if found.result == unsat {
			return
		}
		var w []byte
		if found.has && other.verify(found.value) {
			if w = encode(other.dress(found.value, site{}, place{})); len(w) > maxNote {
				w = nil
			}
		}
		out, without = append(out, text), append(without, w)
	}
	for _, c := range []struct {
		on   bool
		off  func(*Assumptions)
		text string
	}{
		{k.q.Assume.ClosedWriter, func(a *Assumptions) { a.ClosedWriter = false }, "holds because writers emit only declared fields"},
		{k.q.Assume.IgnoreUnknown, func(a *Assumptions) { a.IgnoreUnknown = false }, "holds because the reader ignores unknown fields"},
		{k.q.Assume.IgnoreEnums, func(a *Assumptions) { a.IgnoreEnums = false }, "holds because the reader ignores unknown enum values"},
		{k.q.Assume.Fields != nil, func(a *Assumptions) { a.Fields = nil }, "holds because the reader reads only its declared fields"},
	} {
		if c.on {
			less := k.q.Assume
			c.off(&less)
			add(less, c.text)
		}
	}
	return out, without
}

func (k *asker) reason(c cause) Reason {
	r := Reason{Keyword: c.keyword, Budget: c.budget}
	if c.place.schema != "" {
		r.At = k.locate(c.place)
		if r.Keyword == "" {
			r.Keyword = c.place.keyword
		}
	}
	if r == (Reason{}) {
		r.Keyword = "(the witness did not replay)"
	}
	return r
}

// locate finds the document of a place in either schema.
func (k *asker) locate(p place) Location {
	at := p.schema
	if p.keyword != "" && p.keyword != "false" {
		at += "/" + p.keyword
	}
	l := k.q.Reader.locate(at)
	if w := k.q.Writer.locate(at); len(w.Document) < len(l.Document) {
		return w
	}
	return l
}

// verify replays a value: the writer's validator takes it, the reader's does
// not, and the schemas under the assumptions agree.
func (k *asker) verify(v any) bool {
	v, err := decode(encode(v))
	if err != nil {
		return false
	}
	if bad, err := k.q.Writer.check(v); bad != nil || err != nil {
		return false
	}
	if bad, err := k.q.Reader.check(v); bad == nil || err != nil {
		return false
	}
	return k.plain() || eval(k.writer, v) == yes && eval(k.reader, v) == no
}
