package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/evcontract/evcontract/internal/compat/rollout"
)

// RolloutRecord is what a change board wants to know beside the plan.
type RolloutRecord struct {
	Command string        // the command line that made it
	Again   string        // the one that asks again, as things stand then
	File    string        // the environment's file, as commands name it
	Deploy  string        // the command that deploys, with {service}, {ref} and {environment}; may be empty
	Owner   string        // who is responsible; empty: the services' owners
	Observe time.Duration // how long to watch after each step
}

// Write writes the change record: what is to be done, by whom, how it is watched,
// what brings it back, and a table for what then happened.
func (c RolloutRecord) Write(w io.Writer, r *Rollout, _ Options) error {
	b := record{r: r.telling(), c: c}
	fmt.Fprintf(&b, "# Change record: %s to %s\n\n", prose(plain(r.Target)), prose(plain(r.Environment)))
	b.head()
	b.versions()
	b.contracts()
	b.plan()
	b.thresholds()
	b.rollback()
	b.result()
	_, err := io.WriteString(w, b.String())
	return err
}

type record struct {
	strings.Builder
	r *Rollout
	c RolloutRecord
}

// table writes a table, nothing where it has no rows.
func (b *record) table(title string, columns []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "## %s\n\n| %s |\n|%s\n", title, strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	for _, row := range rows {
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
	}
	b.WriteString("\n")
}

func (b *record) head() {
	owner := b.c.Owner
	if owner == "" {
		owner = strings.Join(b.owners(), ", ")
	}
	fmt.Fprintf(b, "- verdict: **%s**. %s\n- as of: %s, evcontract %s\n- owner: %s\n", b.r.Plan.Verdict, prose(b.r.headline()),
		b.r.AsOf.UTC().Format(time.RFC3339), prose(plain(b.r.Version)), prose(plain(orNobody(owner))))
	fmt.Fprintf(b, "- observed after each step: %s; a release may be rolled back for %s\n", lasts(b.c.Observe), lasts(b.r.Rollback))
	fmt.Fprintf(b, "- made with: %s\n", code(plain(b.c.Command)))
	for _, s := range b.r.Plan.Standing {
		fmt.Fprintf(b, "- broken already: %s; %s\n", prose(b.r.cannot(s.Meeting)), ends(s, b.r.Plan.Verdict == rollout.Safe))
	}
	for _, line := range b.r.accepted() {
		fmt.Fprintf(b, "- holds by a waiver: %s\n", prose(line))
	}
	for _, n := range b.r.Notes {
		fmt.Fprintf(b, "- note: %s\n", prose(plain(n)))
	}
	b.WriteString("\n")
}

func orNobody(s string) string {
	if s == "" {
		return "nobody yet: name one"
	}
	return s
}

// owners are those of the services that move, each once.
func (b *record) owners() []string {
	var owners []string
	seen := map[string]bool{"": true}
	for i := range b.r.Services {
		if s := &b.r.Services[i]; s.moves() && !seen[s.Owner] {
			seen[s.Owner] = true
			owners = append(owners, s.Owner)
		}
	}
	return owners
}

func (s *RolloutService) moves() bool {
	for _, v := range s.Revisions {
		if v.Role == RunsThen || v.Role == RunsNoMore {
			return true
		}
	}
	return false
}

func (b *record) versions() {
	var rows [][]string
	for _, s := range b.r.Services {
		for _, v := range s.Revisions {
			if v.Role != OnTheWay || b.passes(s.Name, v.Ref) {
				rows = append(rows, []string{prose(plain(s.Name)), prose(plain(s.Owner)), roleWords[v.Role], code(plain(v.Ref)), code(plain(orNone(v.Commit)))})
			}
		}
	}
	b.table("Versions", []string{"service", "owner", "", "revision", "commit"}, rows)
}

func (b *record) passes(service, revision string) bool {
	for _, p := range b.r.Plan.Through {
		if p.Service == service && p.Revision == revision {
			return true
		}
	}
	return false
}

// contracts is the lock: which revision of which contract each version holds.
func (b *record) contracts() {
	var rows [][]string
	for _, s := range b.r.Services {
		for _, v := range s.Revisions {
			if v.Role == OnTheWay && !b.passes(s.Name, v.Ref) {
				continue
			}
			add := func(verb string, contracts []RolloutContract) {
				for _, c := range contracts {
					rows = append(rows, []string{prose(plain(s.Name)), code(plain(v.Ref)), verb, prose(plain(c.Event)), code(orNone(c.Revision))})
				}
			}
			add("sends", v.Sends)
			add("reads", v.ReadsFrom)
		}
	}
	b.table("Contracts", []string{"service", "revision", "", "event", "digest of the contract"}, rows)
}

func (b *record) plan() {
	if b.r.Plan.Verdict != rollout.Safe {
		b.WriteString("## What blocks it\n\n")
		b.r.markdownBlocks(&b.Builder)
		return
	}
	b.WriteString("## Steps\n\n")
	for i := range b.r.Plan.Steps {
		b.step(i)
	}
}

func (b *record) step(i int) {
	s := &b.r.Plan.Steps[i]
	fmt.Fprintf(b, "### %d. %s\n\n", i+1, prose(does(s)))
	for _, line := range b.r.becauses(s) {
		fmt.Fprintf(b, "- because: %s\n", prose(line))
	}
	if held := b.r.heldReads(s); held != "" {
		fmt.Fprintf(b, "- depends on: %s\n", prose(held))
	}
	b.WriteString("\n")
	var rows [][]string
	for _, c := range b.commands(s) {
		rows = append(rows, []string{c.does, code(c.run), c.expect})
	}
	b.rows([]string{"", "command", "expected"}, rows)
	for _, line := range b.r.wayBack(s) {
		fmt.Fprintf(b, "- way back: %s\n", prose(line))
	}
	b.WriteString("\n")
}

func (b *record) rows(columns []string, rows [][]string) {
	fmt.Fprintf(b, "| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	for _, row := range rows {
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
	}
	b.WriteString("\n")
}

// recordLine is something to run and what it must show.
type recordLine struct{ does, run, expect string }

// commands of one step. How a service is deployed is the user's to say; that it is
// deployed is recorded, so that the next look starts from there.
func (b *record) commands(s *rollout.Step) []recordLine {
	env, name := ShellWord(b.r.Environment), ShellWord(s.Service)
	if s.Kind == rollout.Wait {
		var lines []recordLine
		for _, p := range s.Drained {
			lines = append(lines, recordLine{"nothing of " + prose(partyName(p)) + " waits in quarantine", "evcontract quarantine list",
				"exit code 0, and no event of the contracts that " + prose(partyName(p)) + " sends"})
		}
		return append(lines, recordLine{"the topic and the outbox", "evcontract status", fmt.Sprintf("exit code 0, no backlog; not before %s have passed", lasts(s.Time))})
	}
	all := []recordLine{{"look once more", plain(b.c.Again), fmt.Sprintf("exit code 0, %s", code(fmt.Sprintf("rollout of %s to %s: safe …", plain(b.r.Target), plain(b.r.Environment))))}}
	wrote := "exit code 0, " + code("wrote "+plain(b.c.File))
	fresh := minus(s.To, s.From)
	for _, command := range b.deploys(s.Service, fresh) {
		all = append(all, recordLine{"deploy", plain(command), "exit code 0"})
	}
	if len(fresh) > 0 && len(s.From) > 0 {
		all = append(all, recordLine{"the new beside the old", fmt.Sprintf("evcontract deployed set --env %s %s+=%s", env, name, ShellWord(strings.Join(fresh, ","))), wrote})
	}
	return append(all,
		recordLine{fmt.Sprintf("watch for %s", lasts(b.c.Observe)), "evcontract status", "exit code 0: every threshold below is kept"},
		recordLine{"the old has stopped", fmt.Sprintf("evcontract deployed set --env %s %s=%s", env, name, refsWord(s.To)), wrote})
}

// deploys are the user's own commands for some revisions of a service.
func (b *record) deploys(service string, revisions []string) []string {
	var commands []string
	for _, ref := range revisions {
		if b.c.Deploy != "" {
			commands = append(commands, strings.NewReplacer("{service}", ShellWord(service), "{ref}", ShellWord(ref),
				"{environment}", ShellWord(b.r.Environment)).Replace(b.c.Deploy))
		}
	}
	return commands
}

// refsWord are refs as a command takes them; none is nothing.
func refsWord(refs []string) string {
	if len(refs) == 0 {
		return ""
	}
	return ShellWord(strings.Join(refs, ","))
}

// ShellWord quotes what a shell would take apart.
func ShellWord(s string) string {
	if s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-/,@+", r))
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(plain(s), "'", `'\''`) + "'"
}

// thresholds are what is watched: by event version and consumer group.
func (b *record) thresholds() {
	var rows [][]string
	for _, s := range b.r.Services {
		for _, slo := range s.SLO {
			rows = append(rows, []string{
				prose(plain(slo.Event)), prose(b.versionsOf(slo.Event)), prose(plain(s.Name)), lasts(slo.OldestMessage), slo.HandlingP95.String(),
				fmt.Sprintf("%g %%", slo.RetryRatio*100), prose(plain(s.Owner)),
			})
		}
	}
	b.table("Thresholds", []string{"event", "revisions on the way", "consumer group", "oldest message", "handling P95", "retries", "owner"}, rows)
}

// versionsOf are the revisions of an event that travel during the rollout.
func (b *record) versionsOf(event string) string {
	var all []string
	seen := map[string]bool{}
	for _, s := range b.r.Services {
		for _, v := range s.Revisions {
			for _, c := range v.Sends {
				if c.Event == event && !seen[c.Revision] && (v.Role != OnTheWay || b.passes(s.Name, v.Ref)) {
					seen[c.Revision] = true
					all = append(all, c.Revision)
				}
			}
		}
	}
	return strings.Join(all, ", ")
}

func (b *record) rollback() {
	if b.r.Plan.Verdict != rollout.Safe {
		return
	}
	fmt.Fprintf(b, "## Rollback\n\nWhat triggers it, within %s after a step:\n\n", lasts(b.c.Observe))
	b.WriteString("- a threshold above is broken for longer than five minutes: `evcontract status` ends with 1\n" +
		"- an event of a revision that came with the step is quarantined: `evcontract quarantine list` shows it\n" +
		"- a business figure of an owner is off\n\n" +
		"First pause the consumer that fails: `evcontract pause CONSUMER`. Never delete a queue or skip what failed.\n\n")
	for _, n := range b.r.Plan.NoReturn {
		fmt.Fprintf(b, "- point of no return: %s\n", prose(b.r.noReturn(n)))
	}
	if len(b.r.Plan.NoReturn) > 0 {
		b.WriteString("\n")
	}
	b.waysBack()
}

// waysBack lists what brings everything back after each step. What is done after
// an earlier step as well, and first, is not listed again.
func (b *record) waysBack() {
	var ways [][]string
	for i := range b.r.Plan.Steps {
		s := &b.r.Plan.Steps[i]
		fmt.Fprintf(b, "After step %d:\n\n", i+1)
		var way []string
		for j := range s.Back.Steps {
			way = append(way, b.undo(&s.Back.Steps[j]))
		}
		ways = append(ways, way)
		known, number := beginsAs(ways[:i], way), 1
		switch {
		case !s.Back.Possible:
			way = []string{"there is no way back in which every step is safe"}
		case len(way) == 0:
			way = []string{"nothing has to be done"}
		case known >= 0:
			way = append([]string{fmt.Sprintf("all that is to be done after step %d", known+1)}, way[len(ways[known]):]...)
		}
		for _, line := range way {
			fmt.Fprintf(b, "%d. %s\n", number, line)
			number++
		}
		b.WriteString("\n")
	}
}

// beginsAs finds the longest earlier way with which a way begins, or which it is;
// -1 where none has three lines or more.
func beginsAs(earlier [][]string, way []string) int {
	best := -1
	for k, e := range earlier {
		if len(e) >= 3 && len(e) <= len(way) && slices.Equal(e, way[:len(e)]) && (best < 0 || len(e) > len(earlier[best])) {
			best = k
		}
	}
	return best
}

func (b *record) undo(s *rollout.Step) string {
	if s.Kind == rollout.Wait {
		return prose(does(s))
	}
	line := prose(does(s)) + ": "
	for _, command := range b.deploys(s.Service, minus(s.To, s.From)) {
		line += code(plain(command)) + ", then "
	}
	return line + code(fmt.Sprintf("evcontract deployed set --env %s %s=%s",
		ShellWord(b.r.Environment), ShellWord(s.Service), refsWord(s.To)))
}

func (b *record) result() {
	var rows [][]string
	for i := range b.r.Plan.Steps {
		rows = append(rows, []string{fmt.Sprint(i + 1), "", "", "", "", ""})
	}
	b.table("Result", []string{"step", "began", "ended", "exit code", "what was seen", "by"}, rows)
}
