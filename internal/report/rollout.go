package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/evcontract/evcontract/internal/compat/rollout"
	"github.com/evcontract/evcontract/internal/rule"
)

// Rollout is a plan with all that a person wants to know of it.
type Rollout struct {
	Version     string // of the tool
	Environment string
	Target      string // what was asked for, in words
	AsOf        time.Time
	Rollback    time.Duration // how long a release may still be rolled back
	Plan        *rollout.Plan
	Services    []RolloutService
	Findings    map[rollout.Pair][]rule.Finding // what speaks against a pair, waived or not
	Reads       map[rollout.Pair][]string       // the events that a pair is about
	Notes       []string                        // what was left out, and why

	said map[rollout.Pair]bool // the pairs of which a text has said what speaks against them; nil: say it each time
}

// telling is a copy that says only once what speaks against a pair.
func (r *Rollout) telling() *Rollout {
	c := *r
	c.said = map[rollout.Pair]bool{}
	return &c
}

// RolloutService is what takes part.
type RolloutService struct {
	Name, Owner string
	Repo        string        // as evcontract.yaml names it; empty: the workspace's own
	Keeps       time.Duration // how long an event of it may still be read
	Revisions   []RolloutRevision
	SLO         []RolloutSLO // of a consumer: what it is held against
}

// RolloutRevision is one revision of a service and what it has to do with the plan.
type RolloutRevision struct {
	Ref, Commit string
	Role        RolloutRole
	Left        time.Duration // of one that was sent: how long its events may still be read
	Sends       []RolloutContract
	ReadsFrom   []RolloutContract
}

// RolloutRole says why a revision takes part.
type RolloutRole string

const (
	RunsNow    RolloutRole = "runs"   // it runs and stays
	RunsThen   RolloutRole = "target" // it shall run
	RunsNoMore RolloutRole = "leaves" // it runs and shall not
	OnTheWay   RolloutRole = "between"
	WasSent    RolloutRole = "sent" // it runs no longer, and what it sent may still be read
)

// RolloutContract is an event and the revision of its contract.
type RolloutContract struct{ Event, Revision string }

// RolloutSLO is a promise of a consumer.
type RolloutSLO struct {
	Event         string
	OldestMessage time.Duration
	HandlingP95   time.Duration
	RetryRatio    float64
}

// RolloutFormats is every format of a plan by its name.
var RolloutFormats = map[string]func(w io.Writer, r *Rollout, o Options) error{
	"text":     RolloutText,
	"json":     RolloutJSON,
	"markdown": RolloutMarkdown,
	"svg":      RolloutSVG,
}

// RolloutNames lists them in alphabetical order.
func RolloutNames() []string { return slices.Sorted(maps.Keys(RolloutFormats)) }

// headline sums a plan up in one line.
func (r *Rollout) headline() string {
	p := r.Plan
	at := fmt.Sprintf("rollout of %s to %s", r.Target, r.Environment)
	switch {
	case p.Verdict != rollout.Safe:
		return fmt.Sprintf("%s: %s, %s", at, p.Verdict, count(len(p.Blocks), "obstacle"))
	case len(p.Steps) == 0 && len(p.Standing) > 0:
		return at + ": nothing to do"
	case len(p.Steps) == 0:
		return at + ": nothing to do, and every pair holds"
	case len(p.Through) > 0:
		return fmt.Sprintf("%s: safe in %s, by way of %s", at, count(len(p.Steps), "step"), partyList(p.Through))
	}
	return fmt.Sprintf("%s: safe in %s", at, count(len(p.Steps), "step"))
}

func partyList(parties []rollout.Party) string {
	words := make([]string, len(parties))
	for i, p := range parties {
		words[i] = partyName(p)
	}
	return strings.Join(words, ", ")
}

func partyName(p rollout.Party) string { return plain(p.Service) + " " + plain(p.Revision) }

func revisions(names []string) string {
	words := make([]string, len(names))
	for i, n := range names {
		words[i] = plain(n)
	}
	return strings.Join(words, " and ")
}

// does says what a step does.
func does(s *rollout.Step) string {
	name := plain(s.Service)
	fresh, old := minus(s.To, s.From), minus(s.From, s.To)
	switch {
	case s.Kind == rollout.Wait && s.Time == 0:
		return fmt.Sprintf("make sure that nothing of %s can be read any more: its time is over", partyList(s.Drained))
	case s.Kind == rollout.Wait:
		return fmt.Sprintf("wait until nothing of %s can be read any more, at most %s", partyList(s.Drained), lasts(s.Time))
	case len(s.From) == 0:
		return fmt.Sprintf("deploy %s %s, which is new", name, revisions(s.To))
	case len(s.To) == 0:
		return fmt.Sprintf("stop %s %s", name, revisions(s.From))
	case len(fresh) == 0:
		return fmt.Sprintf("stop %s %s; %s goes on", name, revisions(old), revisions(s.To))
	case len(old) == 0:
		return fmt.Sprintf("deploy %s %s beside %s", name, revisions(fresh), revisions(s.From))
	}
	return fmt.Sprintf("deploy %s %s in place of %s", name, revisions(fresh), revisions(old))
}

func minus(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

// lasts writes how long something takes in days and hours, no shorter than it is.
func lasts(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d == 0:
		return "no time"
	case d <= 2*day || d%day == 0:
		return shortTime.Replace(span(d) + " ")
	}
	hours := (d + time.Hour - 1) / time.Hour
	if hours%24 == 0 {
		return fmt.Sprintf("%dd", hours/24)
	}
	return fmt.Sprintf("%dd%dh", hours/24, hours%24)
}

var shortTime = strings.NewReplacer("h0m0s ", "h", "m0s ", "m", " ", "")

// cannot says what speaks against a pair, in one line.
func (r *Rollout) cannot(m rollout.Meeting) string {
	verb := "cannot read"
	if m.Answer == rollout.Unknown {
		verb = "may not be able to read"
	}
	line := fmt.Sprintf("%s %s what %s sends", partyName(m.Reader), verb, partyName(m.Writer))
	if f := r.worst(m.Pair); f != nil && !r.said[m.Pair] {
		if r.said != nil {
			r.said[m.Pair] = true
		}
		line += fmt.Sprintf(": %s (%s)", plain(f.Message), f.Rule)
	}
	return line
}

// accepted tells what waivers accept, so that a pair which holds by one is never
// taken for one that holds by itself.
func (r *Rollout) accepted() []string {
	var lines []string
	pairs := map[string][]string{}
	for _, m := range r.Plan.Meetings {
		for i := range r.Findings[m.Pair] {
			f := &r.Findings[m.Pair][i]
			if f.Waived == nil {
				continue
			}
			line := fmt.Sprintf("%s (%s), %s", plain(f.Message), f.Rule, plain(waiver(f.Waived)))
			if pairs[line] == nil {
				lines = append(lines, line)
			}
			pairs[line] = append(pairs[line], fmt.Sprintf("%s reads %s", partyName(m.Reader), partyName(m.Writer)))
		}
	}
	for i, line := range lines {
		lines[i] = shortenList(pairs[line], 3) + ": " + line
	}
	return lines
}

// worst is the finding that speaks most against a pair.
func (r *Rollout) worst(p rollout.Pair) *rule.Finding {
	var worst *rule.Finding
	for i := range r.Findings[p] {
		f := &r.Findings[p][i]
		if f.Waived == nil && (worst == nil || f.Severity > worst.Severity) {
			worst = f
		}
	}
	return worst
}

var meetingSigns = map[rollout.Answer]string{rollout.Holds: "✓", rollout.Refuted: "✗", rollout.Unknown: "?", rollout.Nothing: "·"}

// wayBack says how the way back stands after a step.
func (r *Rollout) wayBack(s *rollout.Step) []string {
	var lines, atOnce []string
	for _, a := range s.Back.Alone {
		if len(a.Forbid) > 0 {
			lines = append(lines, fmt.Sprintf("not %s at once: %s", plain(a.Service), r.cannot(a.Forbid[0])))
		} else {
			atOnce = append(atOnce, plain(a.Service))
		}
	}
	if len(lines) == 0 && s.Back.Possible && !s.Back.Waits {
		if len(s.Back.Steps) == 0 {
			return nil
		}
		return []string{"at once: " + deeds(s.Back.Steps)}
	}
	if len(atOnce) > 0 {
		alone := "at once, alone: "
		if len(atOnce) > 1 {
			alone = "at once, each alone: "
		}
		lines = append([]string{alone + strings.Join(atOnce, ", ")}, lines...)
	}
	return append(lines, r.wholeWay(&s.Back))
}

// wholeWay says how long it takes to bring everything back.
func (r *Rollout) wholeWay(b *rollout.Back) string {
	switch {
	case !b.Possible:
		return "all of it: in no order in which every step is safe"
	case b.Wait > r.Rollback:
		return fmt.Sprintf("all of it takes %s, longer than the %s for which a release may be rolled back: %s", lasts(b.Wait), lasts(r.Rollback), deeds(b.Steps))
	case b.Waits:
		return fmt.Sprintf("all of it takes %s: %s", lasts(b.Wait), deeds(b.Steps))
	}
	return "all of it, at once: " + deeds(b.Steps)
}

func deeds(steps []rollout.Step) string {
	words := make([]string, len(steps))
	for i := range steps {
		s := &steps[i]
		words[i] = fmt.Sprintf("%s to %s", plain(s.Service), revisions(s.To))
		switch {
		case s.Kind == rollout.Wait:
			words[i] = fmt.Sprintf("wait %s for %s to drain", lasts(s.Time), partyList(s.Drained))
		case len(s.To) == 0:
			words[i] = "stop " + plain(s.Service)
		}
	}
	const most = 8
	if len(words) > most+1 {
		words = append(words[:most:most], fmt.Sprintf("%d more", len(words)-most))
	}
	return strings.Join(words, ", then ")
}

// noReturn says from which step on a service has no quick way back.
func (r *Rollout) noReturn(n rollout.NoReturn) string {
	return fmt.Sprintf("%s can go back to %s until step %d begins, not after it: %s",
		plain(n.Service), orNone(revisions(n.Revision)), n.Step, r.cannot(n.Because[0]))
}

func orNone(s string) string {
	if s == "" {
		return "not running"
	}
	return s
}

// obstacle says in words why a block blocks, and what would unblock it.
type obstacle struct {
	title string
	pairs []rollout.Link
	fixes []string
}

func (r *Rollout) obstacle(b *rollout.Block) obstacle {
	l := b.Links[0]
	o := obstacle{pairs: b.Links}
	reader, writer := plain(l.Reader.Service), plain(l.Writer.Service)
	switch b.Reason {
	case rollout.ReaderStays:
		o.title = fmt.Sprintf("%s %s stays, and cannot read what comes", reader, plain(l.Reader.Revision))
		o.fixes = []string{fmt.Sprintf("consumers first: roll %s out too, to a revision that reads %s (--to %s=REF)", reader, partyName(l.Writer), reader)}
	case rollout.WriterStays:
		o.title = fmt.Sprintf("%s %s stays, and what comes cannot read what it sends", writer, plain(l.Writer.Revision))
		o.fixes = []string{fmt.Sprintf("producers first: roll %s out too, and its old events must be drained (--to %s=REF)", writer, writer),
			fmt.Sprintf("make what %s does not send optional in %s first", writer, reader)}
	case rollout.BothNew:
		o.title = "what shall run does not fit together, in whatever order"
		o.fixes = []string{fmt.Sprintf("change %s or %s: no order helps", reader, writer)}
	case rollout.NobodyMoves:
		o.title = "it does not fit together today, and the rollout does not mend it"
		o.fixes = []string{fmt.Sprintf("roll out a revision of %s or %s that mends it", reader, writer)}
	case rollout.OwnEvents:
		o.title = fmt.Sprintf("%s reads its own events, and old and new run side by side while it is deployed", reader)
	case rollout.Circle:
		o.title = circle(b.Links)
	default:
		o.title = "whichever revision of the canary is kept, something blocks"
	}
	o.fixes = append(o.fixes, r.unblocks(b)...)
	if o.sign() == meetingSigns[rollout.Unknown] {
		o.title += " (nobody can tell)"
		o.fixes = append(o.fixes, "or find out: the reason is in the finding, evcontract explain undecided says more, and a waiver accepts it for a time")
	}
	return o
}

// sign is a question mark where no pair of an obstacle is refuted.
func (o obstacle) sign() string {
	if slices.ContainsFunc(o.pairs, func(l rollout.Link) bool { return l.Answer == rollout.Refuted }) {
		return meetingSigns[rollout.Refuted]
	}
	return meetingSigns[rollout.Unknown]
}

// circle says who waits for whom.
func circle(links []rollout.Link) string {
	words := make([]string, len(links))
	for i, l := range links {
		words[i] = fmt.Sprintf("%s must go before %s", plain(l.First), plain(l.Then))
		if l.Wait {
			words[i] += " and be drained"
		}
	}
	return strings.Join(words, ", ")
}

// unblocks says which change of a contract would be enough.
func (r *Rollout) unblocks(b *rollout.Block) []string {
	var fixes []string
	seen := map[string]bool{}
	for _, l := range b.Links {
		var fix string
		switch {
		case b.Reason == rollout.Circle && l.Wait:
			fix = r.readsAsWell(l)
		case b.Reason != rollout.NobodyMoves:
			fix = fmt.Sprintf("let %s go on sending what %s reads: publish the new form as the next major version beside it, and retire the old one later", plain(l.Writer.Service), partyName(l.Reader))
		}
		if fix != "" && !seen[fix] {
			seen[fix] = true
			fixes = append(fixes, fix)
		}
	}
	if len(b.Links) > 1 && len(r.Plan.Blocks) == 1 && !slices.ContainsFunc(b.Links, func(l rollout.Link) bool { return !l.Unblocks }) {
		fixes = append(fixes, "any one of these changes is enough")
	}
	return fixes
}

// readsAsWell is what a reader can do so that it need not wait for what was sent to
// be drained; where something around the payload moved it can do nothing, and the
// rule says what the producer can.
func (r *Rollout) readsAsWell(l rollout.Link) string {
	fix := fmt.Sprintf("release a %s first that reads what %s sends as well", plain(l.Reader.Service), partyName(l.Writer))
	f := r.worst(l.Pair)
	switch {
	case f == nil:
		return fix
	case f.Rule == "field-missing":
		return fix + ": make the field optional there"
	case f.Witness == nil && f.Rule != rule.UndecidedRule:
		return lowerFirst(strings.TrimSuffix(plain(f.Fix), "."))
	}
	return fix
}

func lowerFirst(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(first)) + s[size:]
}
