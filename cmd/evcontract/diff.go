package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/evcontract/evcontract/internal/compat"
	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

func (a *app) diffCommand() *cobra.Command {
	var l limit
	var format, message string
	cmd := &cobra.Command{
		Use:   "diff OLD [NEW]",
		Short: "Tell every change in words, breaking or not, and which version it asks for",
		Long: `diff compares the workspace with what it was in OLD, or two paths, or two git
refs of the workspace. Who reads the events is told as it is now; where NEW is a
tag, as it was when that was made: what ran by then, and the waivers of that day.`,
		Example: `  evcontract diff main
  evcontract diff v1.4.0 --format markdown > CHANGES.md
  evcontract diff v1.4.0 v1.5.0    # between two releases
  evcontract diff old.json new.json`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			write, known := diffFormats[format]
			if !known {
				return fmt.Errorf("--format: %q: want text, json or markdown", format)
			}
			log, err := within(cmd.Context(), l, func(ctx context.Context) (*changelog, error) { return a.diff(ctx, args, message) })
			if err != nil {
				return err
			}
			return write(a.out, log)
		},
	}
	l.bind(cmd)
	cmd.Flags().StringVar(&format, "format", "text", "text, json or markdown")
	cmd.Flags().StringVar(&message, "message", "", "the Protobuf message that is the event, `NEW[=OLD]`")
	return cmd
}

// changelog is what a diff has to say.
type changelog struct {
	from, to string // what was compared
	released bool   // the newer one is a git ref
	changes  []compat.Change
	advice   []compat.Advice
}

func (a *app) diff(ctx context.Context, args []string, message string) (*changelog, error) {
	next, prev, renames := strings.Cut(message, "=")
	if !renames {
		prev = next
	}
	o := load.Options{Message: next}
	paths, ref := args[1:], ""
	if len(paths) > 0 && !isThere(paths[0]) && workspaceAbove(".") != "" {
		paths, ref = nil, paths[0] // a release of the workspace here
	}
	j, err := a.open(ctx, paths, o)
	if err != nil {
		return nil, err
	}
	base, err := a.base(ctx, j, args[0], load.Options{Message: prev})
	if err != nil {
		return nil, err
	}
	here, day := j, a.now()
	if ref != "" {
		if j, day, err = here.at(ctx, ref, o, day); err != nil {
			return nil, err
		}
	}
	for _, f := range append(j.set.Findings, base.Findings...) {
		return nil, fmt.Errorf("%s: %s", f.New, f.Message)
	}
	renamed := map[string]string{next: prev}
	log := &changelog{from: base.Tree.Name, to: j.set.Tree.Name, released: ref != "", changes: compat.Diff(j.set, base, renamed)}
	for i := range log.changes {
		log.changes[i].New.File = j.shown(log.changes[i].New.File)
	}
	if len(log.changes) > 0 {
		others, err := a.otherReaders(ctx, here, j.set, base, day)
		if err != nil {
			return nil, err
		}
		accept := func(r *rule.Report) { waive(r, j.set.Workspace, day) }
		log.advice = compat.Advise(j.set, base, compat.Options{Renamed: renamed}, accept, others...)
	}
	return log, nil
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// at is the workspace as it was in a git ref, and the day of that: a branch means
// its tip, now; a tag the day on which it was made.
func (j *judged) at(ctx context.Context, ref string, o load.Options, now time.Time) (*judged, time.Time, error) {
	repo, err := source.OpenRepository(ctx, j.root)
	if source.IsNoRepository(err) {
		return nil, now, fmt.Errorf("%q is no file or folder, and %s is in no git repository, so that it cannot be a git ref", ref, j.set.Tree.Name)
	}
	if err != nil {
		return nil, now, err
	}
	tree, err := repo.Tree(ctx, ref) // read until the context ends
	if err != nil {
		return nil, now, err
	}
	set, err := load.Set(ctx, tree, o)
	if err != nil {
		return nil, now, err
	}
	if err := knowsMessage(o.Message, set); err != nil {
		return nil, now, err
	}
	if day, released, err := repo.Released(ctx, ref); err != nil || released {
		now = day
	}
	return &judged{set: set, origin: map[string]string{}}, now, err
}

// otherReaders are the consumers of other repositories as they ran on a day, or
// as their newest release of then has them, with the contracts that they read by.
// What ran is what the environments of the newer side say.
func (a *app) otherReaders(ctx context.Context, j *judged, next, prev *contract.Set, day time.Time) ([]*contract.Set, error) {
	if len(j.set.Workspace.Repos) == 0 || j.set.Tree.Dir == "" {
		return nil, nil
	}
	repos, err := load.OpenRepos(ctx, j.set, load.Options{})
	if err != nil {
		return nil, j.placed(err)
	}
	defer repos.Close()
	b := &bases{app: a, j: j, repos: repos, now: day, says: next}
	err = b.collect(ctx, &checkOptions{})
	if err != nil && next != j.set {
		// Nobody can mend what an old release said of repositories that have moved since.
		fmt.Fprintf(a.err, "evcontract: who read the events on %s is not known, told is who reads them now: %v\n", day.Format(time.DateOnly), j.placed(err))
		b = &bases{app: a, j: j, repos: repos, now: a.now()}
		err = b.collect(ctx, &checkOptions{})
	}
	if err != nil {
		return nil, j.placed(err)
	}
	var others []*contract.Set
	for _, x := range b.list {
		for _, readers := range b.readers(x, []*base{{set: prev}}) {
			others = append(others, readers.set)
		}
	}
	return others, nil
}

// until names the release that a changelog ends with.
func (l *changelog) until() string {
	if !l.released {
		return ""
	}
	return " up to " + markdown(l.to)
}

// of gives the advice about what a change is of, nil for a consumer.
func (l *changelog) of(event string) *compat.Advice {
	for i := range l.advice {
		if l.advice[i].Event.Name.Value.String() == event {
			return &l.advice[i]
		}
	}
	return nil
}

// sections groups the changes by event and consumer, in their order.
func (l *changelog) sections() [][]compat.Change {
	var all [][]compat.Change
	for i, c := range l.changes {
		if i == 0 || c.Event != l.changes[i-1].Event {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], c)
	}
	return all
}

var diffFormats = map[string]func(io.Writer, *changelog) error{
	"text": diffText, "json": diffJSON, "markdown": diffMarkdown,
}

func diffText(w io.Writer, l *changelog) error {
	if len(l.changes) == 0 {
		fmt.Fprintln(w, "no changes")
		return nil
	}
	for _, section := range l.sections() {
		fmt.Fprintln(w, section[0].Event)
		for _, c := range section {
			fmt.Fprintf(w, "  %s %s\n", c.Mark, plain(strings.TrimSpace(c.Path+"  "+c.Text)))
		}
		if advice := l.of(section[0].Event); advice != nil {
			fmt.Fprintf(w, "  → %s\n", plain(advice.String()))
		}
	}
	return nil
}

// diffMarkdown is a changelog to send to the teams that read the events.
func diffMarkdown(w io.Writer, l *changelog) error {
	fmt.Fprintf(w, "## Events: what changed since %s%s\n", markdown(l.from), l.until())
	if len(l.changes) == 0 {
		fmt.Fprint(w, "\nNothing.\n")
	}
	for _, section := range l.sections() {
		fmt.Fprintf(w, "\n### %s\n\n", section[0].Event)
		advice := l.of(section[0].Event)
		if advice != nil {
			diffHead(w, advice)
		}
		for _, c := range section {
			path := ""
			if c.Path != "" {
				path = "`" + strings.ReplaceAll(c.Path, "`", "'") + "` "
			}
			fmt.Fprintf(w, "- %s %s%s\n", changeWords[c.Mark], path, markdown(c.Text))
		}
		if advice != nil {
			diffReasons(w, advice)
		}
	}
	return nil
}

// diffHead says in front of an event's changes what it is, who reads it and
// which version the changes ask for.
func diffHead(w io.Writer, a *compat.Advice) {
	if text := a.Event.Summary.Value; text != "" {
		fmt.Fprintf(w, "%s\n\n", markdown(text))
	}
	fmt.Fprintf(w, "**Version:** %s.\n", markdown(a.String()))
	var readers []string
	for _, c := range a.Readers {
		text := markdown(c.Name.Value)
		if c.Owner.Value != "" {
			text += " (" + markdown(c.Owner.Value) + ")"
		}
		readers = append(readers, text)
	}
	if len(readers) > 0 {
		fmt.Fprintf(w, "**Read by:** %s.\n", strings.Join(readers, ", "))
	}
	fmt.Fprintln(w)
}

func diffReasons(w io.Writer, a *compat.Advice) {
	if len(a.Because) == 0 {
		return
	}
	fmt.Fprint(w, "\nWhat breaks:\n\n")
	for _, b := range a.Because {
		accepted := ""
		if v := b.Waived; v != nil {
			accepted = fmt.Sprintf("; accepted until %s by %s: %s", v.Until.Format(time.DateOnly), markdown(v.Owner), markdown(v.Reason))
		}
		fmt.Fprintf(w, "- %s: %s (%s)%s\n", markdown(strings.Join(b.Consumers, ", ")), markdown(b.Message), b.Rule, accepted)
	}
}

// markdown makes a text of a contract show itself.
func markdown(s string) string {
	return markdownMarkup.Replace(plain(s))
}

var markdownMarkup = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "&", "&amp;", "<", "&lt;", ">", "&gt;", "@", "@<!-- -->", "#", `\#`)

var changeWords = map[compat.Mark]string{compat.Added: "added", compat.Removed: "removed", compat.Changed: "changed"}

func diffJSON(w io.Writer, l *changelog) error {
	type place struct {
		File   string `json:"file"`
		Line   int    `json:"line"`
		Column int    `json:"column"`
	}
	type change struct {
		Event string `json:"event"`
		Kind  string `json:"kind"`
		Path  string `json:"path"`
		Text  string `json:"text"`
		New   *place `json:"new"`
		Old   *place `json:"old"`
	}
	type waived struct {
		Reason string `json:"reason"`
		Owner  string `json:"owner"`
		Until  string `json:"until"`
	}
	type reason struct {
		Rule      string   `json:"rule"`
		Path      string   `json:"path"`
		Message   string   `json:"message"`
		Consumers []string `json:"consumers"`
		Waived    *waived  `json:"waived"`
	}
	type advice struct {
		Event   string         `json:"event"`
		Version compat.Version `json:"version"`
		Next    *string        `json:"next"`
		Text    string         `json:"text"`
		Because []reason       `json:"because"`
	}
	at := func(pos source.Pos) *place {
		if pos.IsZero() {
			return nil
		}
		return &place{pos.File, pos.Line, pos.Column}
	}
	changes, advices := []change{}, []advice{}
	for _, c := range l.changes {
		changes = append(changes, change{c.Event, changeWords[c.Mark], c.Path, c.Text, at(c.New), at(c.Old)})
	}
	for _, a := range l.advice {
		one := advice{Event: a.Event.Name.Value.String(), Version: a.Version, Text: a.String(), Because: []reason{}}
		if a.Next != "" {
			one.Next = &a.Next
		}
		for _, b := range a.Because {
			because := reason{Rule: b.Rule, Path: b.Path, Message: b.Message, Consumers: b.Consumers}
			if w := b.Waived; w != nil {
				because.Waived = &waived{w.Reason, w.Owner, w.Until.Format(time.DateOnly)}
			}
			one.Because = append(one.Because, because)
		}
		advices = append(advices, one)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(map[string]any{"tool": "evcontract", "version": version(), "changes": changes, "advice": advices})
}

// plain lets no control character of a contract through to a terminal.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) {
			return '\uFFFD'
		}
		return r
	}, s)
}
