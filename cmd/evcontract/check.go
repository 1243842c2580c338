package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/evcontract/evcontract/internal/compat"
	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/lint"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// checkOptions is the command line of check.
type checkOptions struct {
	against       []string
	env           []string
	window        bool
	asOf          string
	store         string
	direction     string
	message       string
	encoding      string
	unknownFields string
	unknownEnums  string
	writers       string
	assertFormats bool
	limit         limit
}

func (a *app) checkCommand() *cobra.Command {
	var out output
	var o checkOptions
	cmd := &cobra.Command{
		Use:   "check [PATH] --against REF",
		Short: "May this change ship? Refuse what deployed consumers cannot read, with proof",
		Long: `check compares contracts, or bare schemas, with what REF holds. A branch means
its merge base with HEAD (on the branch itself: HEAD's parent); a tag or a commit
means itself. PATH and REF may be a workspace, a folder of schemas or one schema
file; REF may also be a git ref or an archive.`,
		Example: `  evcontract check                                     # against the workspace's base
  evcontract check --against v1.4.0 --against v1.5.0
  evcontract check --window                            # every release that may still be read
  evcontract check --env prod                          # what runs there
  evcontract check new.json --against old.json
  evcontract check new.proto --against old.proto --message orders.v1.OrderPaid
  evcontract check --format github -o sarif=check.sarif`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, _, err := out.sinks(); err != nil {
				return err
			}
			return a.check(cmd.Context(), args, o, &out)
		},
	}
	out.bind(cmd)
	o.bind(cmd)
	o.limit.bind(cmd)
	return cmd
}

func (o *checkOptions) bind(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&o.against, "against", nil, "what to compare with: a git `REF`, a folder, a file, an archive; may be repeated, folders from the oldest to the newest")
	f.StringArrayVar(&o.env, "env", nil, "compare with what runs in this `ENVIRONMENT`; may be repeated")
	f.BoolVar(&o.window, "window", false, "compare with every release whose events may still be read, and with what runs")
	f.StringVar(&o.store, "store", "", "with --window: what is in flight is what this database holds, and who reads is whom its inboxes report, not what releases' dates say: sqlite:`PATH` or postgres://…")
	f.StringVar(&o.asOf, "as-of", "", "what counts as now, for --window and waivers: a `DATE` such as 2026-11-30, or 2026-11-30T09:00:00Z")
	f.StringVar(&o.direction, "direction", "", "forward (deployed consumers read new events), backward (new consumers read old events), full")
	f.StringVar(&o.message, "message", "", "the Protobuf message that is the event, `NEW[=OLD]`")
	f.StringVar(&o.encoding, "encoding", "", "what really travels: json or protobuf")
	f.StringVar(&o.unknownFields, "unknown-fields", "", "what readers do with unknown fields: ignore or reject")
	f.StringVar(&o.unknownEnums, "unknown-enums", "", "what readers do with unknown enum values: ignore or reject")
	f.StringVar(&o.writers, "writers", "", "closed: writers emit only the fields they declare; open: anything the schema allows")
	f.BoolVar(&o.assertFormats, "assert-formats", false, "a JSON Schema format is an assertion, not an annotation")
}

// compat reads the flags into what compat asks for.
func (o *checkOptions) compat() (compat.Options, error) {
	var c compat.Options
	read := func(flag, text string, into interface{ UnmarshalText([]byte) error }) error {
		if text == "" {
			return nil
		}
		if err := into.UnmarshalText([]byte(text)); err != nil {
			return fmt.Errorf("--%s: %w", flag, err)
		}
		return nil
	}
	err := errors.Join(
		read("direction", o.direction, &c.Compatibility),
		read("encoding", o.encoding, &c.Encoding),
		read("unknown-fields", o.unknownFields, &c.UnknownFields),
		read("unknown-enums", o.unknownEnums, &c.UnknownEnums),
		read("writers", o.writers, &c.Writers),
	)
	if next, prev, ok := strings.Cut(o.message, "="); ok {
		c.Renamed = map[string]string{next: prev}
	}
	return c, err
}

func (a *app) check(ctx context.Context, args []string, o checkOptions, out *output) error {
	c, err := within(ctx, o.limit, func(ctx context.Context) (judgement, error) {
		j, r, err := a.checked(ctx, args, o)
		return judgement{j, r}, err
	})
	if err != nil {
		return err
	}
	return out.print(a, c.report, c.of.files)
}

// whyNothing says why a check may have had nothing to ask, where that is not plain:
// new events and drafts are asked for by nobody.
func (b *bases) whyNothing(o checkOptions) string {
	switch {
	case b.j.set.Workspace.Compatibility.Value == contract.None:
		return "compatibility is none"
	case len(b.list) == 0 && len(o.env) > 0:
		return "nothing runs in " + strings.Join(o.env, ", ")
	}
	return ""
}

// changedDrafts are the events that are not what they were in a base where they
// were drafts. A check says nothing else of them.
func (b *bases) changedDrafts() []*contract.Event {
	var changed []*contract.Event
	for _, next := range b.j.set.Events {
		if slices.ContainsFunc(b.list, func(base *base) bool { return draftOf(base.set, next) }) {
			changed = append(changed, next)
		}
	}
	return changed
}

func draftOf(set *contract.Set, next *contract.Event) bool {
	return slices.ContainsFunc(set.Events, func(e *contract.Event) bool {
		return e.Name.Value == next.Name.Value && e.Status.Value == contract.Draft && differ(e, next)
	})
}

// differ compares what is known without reading a schema that was put off.
func differ(a, b *contract.Event) bool {
	if a.Content != "" && b.Content != "" {
		return a.Content != b.Content
	}
	return a.Schema != nil && b.Schema != nil && a.Revision() != b.Revision()
}

// judgement is a report and what it is about.
type judgement struct {
	of     *judged
	report *rule.Report
}

// checked is everything that a check has to say.
func (a *app) checked(ctx context.Context, args []string, o checkOptions) (*judged, *rule.Report, error) {
	options, err := o.compat()
	if err != nil {
		return nil, nil, err
	}
	next, prev, _ := strings.Cut(o.message, "=")
	if prev == "" {
		prev = next
	}
	j, err := a.open(ctx, args, load.Options{Message: next, AssertFormats: o.assertFormats, Defer: true})
	if err != nil {
		return nil, nil, err
	}
	fitHeap()
	now, err := o.now(a.now())
	if err != nil {
		return nil, nil, err
	}
	if o.store != "" && !o.window {
		return nil, nil, errors.New("--store says what is in flight: it goes with --window")
	}
	all := &rule.Report{Command: "check", Docs: compat.Docs()}
	b := &bases{app: a, j: j, now: now, longer: map[string]time.Duration{}}
	var wrong *source.Error
	switch err := b.gather(ctx, &o, load.Options{Message: prev, AssertFormats: o.assertFormats, Defer: true}); {
	case errors.As(err, &wrong):
		for _, f := range load.UnreadableAt(err) {
			f.New.File = j.shown(f.New.File)
			all.Findings = append(all.Findings, f)
		}
	case err != nil:
		return nil, nil, err
	default:
		fitHeap()
		all.Merge(b.judge(options))
		all.Scope = b.scope(o, all.Scope)
	}
	own := &rule.Report{Command: "check", Docs: compat.Docs(), Findings: slices.Clone(j.set.Findings)}
	own.Findings = append(own.Findings, lint.Only(j.set, now, waiverRules...)...)
	j.show(own, "")
	all.Merge(own)
	if why := b.whyNothing(o); len(all.Reads) == 0 && !all.Reaches(rule.Error) && why != "" {
		fmt.Fprintln(a.err, "evcontract: nothing was compared: "+why)
	}
	for _, e := range b.changedDrafts() {
		fmt.Fprintf(a.err, "evcontract: %s was a draft, which promises nothing: its change was not judged; status: stable has it judged from the next change on\n", e.Name.Value)
	}
	j.settle(all, now)
	all.Docs = append(all.Docs, docsOf(lint.Docs(), waiverRules)...)
	return j, all, nil
}

// waiverRules are the lints that say which waivers accept nothing: whoever only
// checks is told as well.
var waiverRules = []string{"waiver-expired", "waiver-incomplete"}

func docsOf(docs []rule.Doc, ids []string) []rule.Doc {
	return slices.DeleteFunc(docs, func(d rule.Doc) bool { return !slices.Contains(ids, d.ID) })
}

// now is what --as-of names: the end of a day, or a time.
func (o *checkOptions) now(now time.Time) (time.Time, error) {
	if o.asOf == "" {
		return now, nil
	}
	if day, err := time.Parse(time.DateOnly, o.asOf); err == nil {
		return day.AddDate(0, 0, 1).Add(-time.Second), nil
	}
	at, err := time.Parse(time.RFC3339, o.asOf)
	if err != nil {
		return now, fmt.Errorf("--as-of: %q is no date: write 2026-11-30, or 2026-11-30T09:00:00Z", o.asOf)
	}
	return at, nil
}

// refs is what the command line names, else the workspace's own base. What runs,
// and the releases of a window, stand in for it.
func (o *checkOptions) refs(set *contract.Set) ([]string, error) {
	switch {
	case len(o.against) > 0 || o.window || len(o.env) > 0:
		return o.against, nil
	case set.Workspace.Against.Value != "":
		return []string{set.Workspace.Against.Value}, nil
	}
	return nil, errors.New("nothing to compare with: name a base, like --against main, or write against: main into evcontract.yaml")
}

// gather opens everything that is compared with.
func (b *bases) gather(ctx context.Context, o *checkOptions, how load.Options) error {
	refs, err := o.refs(b.j.set)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		set, err := b.app.base(ctx, b.j, ref, how)
		if source.IsNoPast(err) && len(o.against) == 0 {
			fmt.Fprintf(b.app.err, "evcontract: nothing to compare with yet: %v\n", err)
			continue // a hook must not keep the first commits from being made
		}
		if err != nil {
			return err
		}
		if len(set.Events) == 0 {
			if err := knowsMessage(how.Message, set); err != nil {
				return err
			}
		}
		root := b.j.root
		if set.Tree.Dir != "" {
			root = set.Tree.Dir
		}
		b.add(&base{Base: rule.Base{Ref: ref, Commit: set.Tree.Commit, Why: []string{"against"}}, set: set, root: root})
	}
	if !o.window && len(o.env) == 0 && len(b.j.set.Workspace.Repos) == 0 {
		return nil
	}
	how.Defer = how.Defer && o.store == "" // a schema that is not read has no revision
	if b.repos, err = load.OpenRepos(ctx, b.j.set, how); err != nil {
		return err
	}
	return b.collect(ctx, o)
}

// scope is told where more was compared than one base that was named.
func (b *bases) scope(o checkOptions, s *rule.Scope) *rule.Scope {
	if b.repos == nil && len(b.list) <= 1 {
		return nil
	}
	if o.window {
		s.AsOf, s.Span, s.Longer = b.now, load.Span(b.j.set), b.longer
	}
	return s
}

// compare checks one set against one base and shows places as the user types
// them.
func (a *app) compare(j *judged, base *contract.Set, baseRoot string, o compat.Options) *rule.Report {
	r := compat.Check(j.set, base, o)
	for _, f := range base.Findings {
		f.Old, f.New = f.New, f.Old
		r.Findings = append(r.Findings, f)
	}
	j.show(r, baseRoot)
	return r
}
