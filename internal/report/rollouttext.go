package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/evcontract/evcontract/internal/compat/rollout"
	"github.com/evcontract/evcontract/internal/rule"
)

// RolloutText writes a plan for a person: the steps, or what blocks them, with the
// events that prove it, and who can read whom.
func RolloutText(w io.Writer, r *Rollout, o Options) error {
	r = r.telling()
	t := rolloutText{text{Writer: bufio.NewWriter(w), ink: ink(o.Color)}, r, map[rollout.Pair]bool{}}
	line := t.green
	if r.Plan.Verdict != rollout.Safe {
		line = t.red
	}
	fmt.Fprintln(t, line(r.headline()))
	t.standing()
	for i := range r.Plan.Blocks {
		t.block(i)
	}
	for i := range r.Plan.Steps {
		t.step(i)
	}
	t.list("point of no return:", func(add func(string)) {
		for _, n := range r.Plan.NoReturn {
			add(r.noReturn(n))
		}
	})
	t.list("holds by a waiver:", func(add func(string)) {
		for _, line := range r.accepted() {
			add(t.yellow(line))
		}
	})
	t.matrix()
	for _, n := range r.Notes {
		fmt.Fprintf(t, "\n%s\n", t.dim("note: "+plain(n)))
	}
	return t.Flush()
}

type rolloutText struct {
	text
	r     *Rollout
	shown map[rollout.Pair]bool // the pairs whose witness was printed
}

// list writes a title and its lines, nothing where there are none.
func (t *rolloutText) list(title string, fill func(add func(string))) {
	first := true
	fill(func(line string) {
		if first {
			fmt.Fprintf(t, "\n%s\n", t.bold(title))
			first = false
		}
		fmt.Fprintln(t, "  "+line)
	})
}

func (t *rolloutText) standing() {
	t.list("broken already:", func(add func(string)) {
		for _, s := range t.r.Plan.Standing {
			add(t.r.cannot(s.Meeting) + "; " + ends(s, t.r.Plan.Verdict == rollout.Safe))
		}
	})
}

// ends says what ends a pair that does not hold before anything moves.
func ends(s rollout.Standing, safe bool) string {
	switch {
	case s.Step > 0:
		return fmt.Sprintf("step %d ends it", s.Step)
	case safe:
		return "it ends when those events are drained"
	}
	return "the rollout does not end it, or there is none"
}

func (t *rolloutText) block(i int) {
	b := &t.r.Plan.Blocks[i]
	o := t.r.obstacle(b)
	title := fmt.Sprintf("%d. %s", i+1, o.title)
	if len(t.r.Plan.Steps) > 0 {
		title = "the direct way is blocked: " + o.title
	}
	fmt.Fprintf(t, "\n%s\n", t.bold(title))
	for _, l := range o.pairs {
		fmt.Fprintf(t, "  %s %s\n", t.red(meetingSigns[l.Answer]), t.r.cannot(l.Meeting))
		t.proof(l.Pair)
	}
	for _, f := range o.fixes {
		fmt.Fprintf(t, "  %s %s\n", t.dim("fix:"), f)
	}
}

// proof shows the witness of a pair, once.
func (t *rolloutText) proof(p rollout.Pair) {
	f := t.r.worst(p)
	if f == nil || t.shown[p] {
		return
	}
	t.shown[p] = true
	c := *f
	cleanFinding(&c)
	if c.Witness != nil {
		t.witness(c.Witness)
	}
	t.labelled("at", plain(whose(p, f))+": "+where(&c))
}

// whose is the revision that holds the place of a finding: the newer of the two.
func whose(p rollout.Pair, f *rule.Finding) string {
	newer := p.Writer
	if len(f.Hits) > 0 && f.Hits[0].Direction == rule.Backward {
		newer = p.Reader
	}
	return newer.String()
}

func (t *rolloutText) step(i int) {
	s := &t.r.Plan.Steps[i]
	fmt.Fprintf(t, "\n%s %s\n", t.bold(fmt.Sprintf("%2d.", i+1)), t.bold(does(s)))
	for _, line := range t.r.becauses(s) {
		t.entry("because", line)
	}
	if held := t.r.heldReads(s); held != "" {
		t.entry("reads", held)
	}
	for j, line := range t.r.wayBack(s) {
		t.entry([]string{"back", ""}[min(j, 1)], line)
	}
}

func (t *rolloutText) entry(label, line string) {
	fmt.Fprintf(t, "      %s %s\n", t.dim(fmt.Sprintf("%-8s", label)), line)
}

// because says why a step comes after another. Why it had to wait, the wait has
// said.
func (r *Rollout) because(b rollout.Because) string {
	switch {
	case b.Step == 0:
		return r.cannot(b.Meeting)
	case r.Plan.Steps[b.Step-1].Kind == rollout.Wait:
		return fmt.Sprintf("after step %d", b.Step)
	}
	return fmt.Sprintf("after step %d, as %s", b.Step, r.cannot(b.Meeting))
}

// becauses are all reasons of a step, each once.
func (r *Rollout) becauses(s *rollout.Step) []string {
	var all []string
	for _, b := range s.After {
		if line := r.because(b); !slices.Contains(all, line) {
			all = append(all, line)
		}
	}
	return all
}

// heldReads are the pairs that a step brings about, all of which hold.
func (r *Rollout) heldReads(s *rollout.Step) string {
	const most = 6
	var words []string
	for _, m := range s.Reads {
		words = append(words, fmt.Sprintf("%s reads %s %s", partyName(m.Reader), partyName(m.Writer), meetingSigns[m.Answer]))
	}
	return shortenList(words, most)
}

func (t *rolloutText) matrix() {
	m := t.r.matrix()
	for _, writer := range m.writerNames() {
		part := m.of(writer)
		fmt.Fprintf(t, "\n%s\n", t.bold("who can read "+plain(writer)))
		left := 0
		for _, reader := range part.readers {
			left = max(left, utf8.RuneCountInString(partyName(reader)))
		}
		fmt.Fprint(t, "  ", strings.Repeat(" ", left))
		widths := make([]int, len(part.writers))
		for i, w := range part.writers {
			name := plain(w.Revision) + " " + t.r.mark(w)
			widths[i] = utf8.RuneCountInString(name)
			fmt.Fprint(t, "  ", name)
		}
		fmt.Fprintln(t)
		for _, reader := range part.readers {
			name := partyName(reader)
			fmt.Fprint(t, "  ", name, strings.Repeat(" ", left-utf8.RuneCountInString(name)))
			for i, w := range part.writers {
				if i == len(part.writers)-1 {
					widths[i] = 1
				}
				t.cell(part.answer(reader, w), widths[i])
			}
			fmt.Fprintln(t)
		}
	}
	if len(m.readers) > 0 {
		fmt.Fprintf(t, "  %s\n", t.dim("✓ holds  ✗ refuted  ? unknown  · reads nothing of it"))
	}
}

// mark says in brackets what a writer's revision does.
func (r *Rollout) mark(p rollout.Party) string { return "(" + roleWords[r.role(p)] + ")" }

func (t *rolloutText) cell(a rollout.Answer, width int) {
	sign := meetingSigns[a]
	paint := map[rollout.Answer]func(string) string{rollout.Holds: t.green, rollout.Refuted: t.red, rollout.Unknown: t.yellow}[a]
	if paint != nil {
		sign = paint(sign)
	}
	fmt.Fprint(t, "  ", sign, strings.Repeat(" ", width-1))
}

// told lists the findings of all pairs that do not hold, each once.
func (r *Rollout) told() []rule.Finding {
	var all []rule.Finding
	seen := map[string]bool{}
	for _, m := range r.Plan.Meetings {
		for _, f := range r.Findings[m.Pair] {
			if !seen[f.Fingerprint] {
				seen[f.Fingerprint] = true
				all = append(all, f)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b rule.Finding) int { return int(b.Severity) - int(a.Severity) })
	return all
}
