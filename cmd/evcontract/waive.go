package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// waiveOptions is the command line of waive.
type waiveOptions struct {
	checkOptions
	reason, owner, until string
	anyway               bool
}

func (a *app) waiveCommand() *cobra.Command {
	var o waiveOptions
	cmd := &cobra.Command{
		Use:   "waive FINGERPRINT|RULE PLACE --reason TEXT --until DAY",
		Short: "Accept a finding until a day: reports go on showing it, as waived",
		Long: `waive writes a waiver into evcontract.yaml, where comments and all other lines
stay. It names a finding of lint or check by the id that a report shows, of which
the first digits are enough, or by rule and place. Every waiver has a reason, an
owner (left out: the event's) and an end. After its end it is an error.

The finding is looked for as lint and check find it; of check all that says what
is compared, and how, may be said here too.`,
		Example: `  evcontract waive 6c1f0e22 --reason "never filled" --until 2027-01-31
  evcontract waive field-unsent OrderPaid.v1/coupon --reason "never filled" --until 2027-01-31 --owner team-orders
  evcontract waive 6c1f0e22 --window --reason "loyalty was asked" --until 2027-01-31`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error { return a.waive(cmd.Context(), args, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.reason, "reason", "", "why it does no harm, a `TEXT`")
	f.StringVar(&o.until, "until", "", "the last `DAY` on which it holds, like 2027-01-31")
	f.StringVar(&o.owner, "owner", "", "the `TEAM` that answers for it; left out: the event's owner")
	f.BoolVar(&o.anyway, "anyway", false, "write it though nothing here matches it")
	o.bind(cmd)
	o.limit.bind(cmd)
	return cmd
}

// end reads the end of a waiver, which must be to come.
func (o *waiveOptions) end(now time.Time) (contract.Day, error) {
	var end contract.Day
	switch {
	case strings.TrimSpace(o.reason) == "":
		return end, errors.New(`say why it does no harm: --reason "never filled"`)
	case o.until == "":
		return end, fmt.Errorf("say until when: --until %s", now.AddDate(0, 3, 0).Format(time.DateOnly))
	}
	if err := end.UnmarshalText([]byte(o.until)); err != nil {
		return end, fmt.Errorf("--until: %w", err)
	}
	if time.Time(end).AddDate(0, 0, 1).Before(now) {
		return end, fmt.Errorf("--until %s is over already", o.until)
	}
	return end, nil
}

func (a *app) waive(ctx context.Context, args []string, o waiveOptions) error {
	now, err := o.now(a.now())
	if err != nil {
		return err
	}
	end, err := o.end(now)
	if err != nil {
		return err
	}
	type waiving struct {
		in *judged
		w  rule.Waiver
	}
	found, err := within(ctx, o.limit, func(ctx context.Context) (waiving, error) {
		w := rule.Waiver{Reason: strings.TrimSpace(o.reason), Owner: o.owner, Until: time.Time(end)}
		j, err := a.waived(ctx, &w, args, o)
		return waiving{j, w}, err
	})
	if err != nil {
		return err
	}
	return a.writeWaiver(found.in, found.w)
}

// waived finds what a waiver is about, and who answers for it.
func (a *app) waived(ctx context.Context, w *rule.Waiver, args []string, o waiveOptions) (*judged, error) {
	j, err := a.workspace(ctx)
	if err != nil {
		return nil, err
	}
	if err := a.target(ctx, j, w, args, o); err != nil {
		return nil, err
	}
	if w.Owner == "" {
		name, _, _ := strings.Cut(w.At, "/")
		if parsed, err := contract.ParseName(name); err == nil && j.set.Event(parsed) != nil {
			w.Owner = j.set.Event(parsed).Owner.Value
		}
	}
	if w.Owner == "" {
		return nil, errors.New("say who answers for it: --owner team-orders")
	}
	return j, notTwice(j, *w)
}

var fullFingerprint = regexp.MustCompile(`^[0-9a-f]{16}$`)

// target finds out what is waived.
func (a *app) target(ctx context.Context, j *judged, w *rule.Waiver, args []string, o waiveOptions) error {
	found, err := a.allFindings(ctx, j, o)
	if err != nil {
		return err
	}
	var hit []rule.Finding
	for _, f := range found {
		byPlace := len(args) == 2 && f.Rule == args[0] && f.Path == args[1]
		if byPlace || len(args) == 1 && strings.HasPrefix(f.Fingerprint, args[0]) {
			hit = append(hit, f)
		}
	}
	switch {
	case len(args) == 2:
		return placeTarget(w, args[0], args[1], len(hit) > 0 || o.anyway, found)
	case len(args[0]) < 6:
		return fmt.Errorf("%q: want six digits of a finding's id at least", args[0])
	}
	slices.SortFunc(hit, func(x, y rule.Finding) int { return strings.Compare(x.Fingerprint, y.Fingerprint) })
	hit = slices.CompactFunc(hit, func(x, y rule.Finding) bool { return x.Fingerprint == y.Fingerprint })
	switch {
	case len(hit) == 1:
		w.Fingerprint, w.Rule, w.At = hit[0].Fingerprint, hit[0].Rule, hit[0].Path
	case len(hit) > 1:
		return fmt.Errorf("%q begins the ids of %d findings: give more digits", args[0], len(hit))
	case o.anyway && fullFingerprint.MatchString(args[0]):
		w.Fingerprint = args[0]
	default:
		return fmt.Errorf("neither lint nor check finds anything here whose id begins with %s: look against another base, with --against, --window or --env, or write it with --anyway", args[0])
	}
	return nil
}

func placeTarget(w *rule.Waiver, id, at string, known bool, found []rule.Finding) error {
	var ids, places []string
	for _, d := range allDocs() {
		ids = append(ids, d.ID)
	}
	if !slices.Contains(ids, id) {
		if near := source.Suggest(id, ids); near != "" {
			return fmt.Errorf("there is no rule %q: did you mean %q?", id, near)
		}
		return fmt.Errorf("there is no rule %q: see evcontract rules", id)
	}
	for _, f := range found {
		if f.Rule == id {
			places = append(places, f.Path)
		}
	}
	if strings.TrimSpace(at) == "" {
		return fmt.Errorf("say where: evcontract waive %s OrderPaid.v1/coupon", id)
	}
	if !known {
		hint := "look against another base, with --against, --window or --env, or write it with --anyway"
		if len(places) > 0 {
			hint = "there is one at " + strings.Join(slices.Compact(places), ", ")
		}
		return fmt.Errorf("neither lint nor check finds %s at %s here: %s", id, at, hint)
	}
	w.Rule, w.At = id, at
	return nil
}

// allFindings are those of lint, and of check if there is something to compare
// with. Findings that say what cannot be read are for nobody to accept.
func (a *app) allFindings(ctx context.Context, j *judged, o waiveOptions) ([]rule.Finding, error) {
	findings := a.lintReport(j.set).Findings
	if len(o.against) > 0 || o.window || len(o.env) > 0 || j.set.Workspace.Against.Value != "" {
		_, r, err := a.checked(ctx, nil, o.checkOptions)
		if err != nil {
			return nil, err
		}
		findings = append(findings, r.Findings...)
	}
	return slices.DeleteFunc(findings, func(f rule.Finding) bool {
		return f.Rule == load.Unreadable.ID || f.Rule == rule.WaiverUnmatched.ID || slices.Contains(waiverRules, f.Rule)
	}), nil
}

// notTwice refuses what is waived already, and says which expired waiver is in
// the way.
func notTwice(j *judged, w rule.Waiver) error {
	for _, v := range j.set.Workspace.Waivers {
		same := w.Fingerprint != "" && v.Fingerprint.Value == w.Fingerprint ||
			w.Fingerprint == "" && v.Fingerprint.Value == "" && v.Rule.Value == w.Rule && v.At.Value == w.At
		if same {
			at := v.Pos
			at.File = j.shown(at.File)
			return fmt.Errorf("%s: it has a waiver already, until %s: change that one", at, v.Until.Value)
		}
	}
	return nil
}

func (a *app) writeWaiver(j *judged, w rule.Waiver) error {
	name := filepath.Join(j.set.Tree.Dir, contract.WorkspaceFile)
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	edit, problem := source.NewEdit(j.shown(contract.WorkspaceFile), data)
	if problem != nil {
		return problem
	}
	data, problem = edit.Append("waivers", waiverText(w))
	if problem != nil {
		return problem
	}
	if err := source.WriteFiles(j.set.Tree.Dir, map[string][]byte{contract.WorkspaceFile: data}); err != nil {
		return err
	}
	what := w.Fingerprint
	if w.At != "" {
		what = w.Rule + " at " + w.At
	}
	fmt.Fprintf(a.out, "wrote %s: %s is waived until %s, by %s\n", j.shown(contract.WorkspaceFile), plain(what), w.Until.Format(time.DateOnly), plain(w.Owner))
	return nil
}

// waiverText is a waiver as a line of YAML.
func waiverText(w rule.Waiver) string {
	var parts []string
	add := func(key, value string) {
		if value != "" {
			parts = append(parts, key+": "+value)
		}
	}
	if w.Fingerprint != "" {
		add("fingerprint", `"`+w.Fingerprint+`"`)
	}
	add("rule", w.Rule)
	if w.At != "" {
		add("at", source.Scalar(w.At))
	}
	add("reason", quoted(w.Reason))
	add("owner", source.Scalar(w.Owner))
	add("until", w.Until.Format(time.DateOnly))
	return "{" + strings.Join(parts, ", ") + "}"
}

// quoted is a text in quotes, as people write reasons.
func quoted(text string) string {
	if s := source.Scalar(text); strings.HasPrefix(s, `"`) {
		return s
	}
	return `"` + strings.ReplaceAll(text, `\`, `\\`) + `"`
}
