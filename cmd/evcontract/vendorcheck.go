package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evcontract/evcontract/internal/compat"
	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/rule"
)

// vendorCheck compares what was vendored with what its producers write now, for
// the consumers here.
func (a *app) vendorCheck(ctx context.Context, args []string, l limit, out *output) error {
	if _, _, err := out.sinks(); err != nil {
		return err
	}
	c, err := within(ctx, l, func(ctx context.Context) (judgement, error) { return a.behindAll(ctx, args) })
	if err != nil {
		return err
	}
	return out.print(a, c.report, c.of.files)
}

// behindAll is everything that vendor --check has to say.
func (a *app) behindAll(ctx context.Context, args []string) (judgement, error) {
	var none judgement
	j, err := a.workspace(ctx)
	if err != nil {
		return none, err
	}
	repos, err := load.OpenRepos(ctx, j.set, load.Options{})
	if err != nil {
		return none, j.placed(err)
	}
	defer repos.Close()
	groups := vendoredFrom(j.set)
	for _, arg := range args {
		if groups[originOf(arg)] == nil {
			return none, fmt.Errorf("nothing was vendored from %s: it was from %s", arg, orDash(slices.Sorted(maps.Keys(groups))))
		}
	}
	if len(groups) == 0 && len(j.set.Findings) == 0 {
		return none, fmt.Errorf("no contract was vendored here: evcontract vendor orders@v1.4.0 copies those that a consumer reads")
	}
	all := &rule.Report{Command: "vendor", Docs: append(compat.Docs(), load.VendoredBehind)}
	all.Findings = append(all.Findings, j.set.Findings...)
	j.show(all, "")
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		if len(args) > 0 && !slices.ContainsFunc(args, func(arg string) bool { return originOf(arg) == name }) {
			continue
		}
		r, err := a.movedOn(ctx, j, repos, groups[name])
		if err != nil {
			return none, err
		}
		all.Merge(r)
	}
	waive(all, j.set.Workspace, a.now())
	return judgement{j, all}, nil
}

// vendoredFrom lists the vendored events by where they came from.
func vendoredFrom(set *contract.Set) map[string][]*contract.Event {
	groups := map[string][]*contract.Event{}
	for _, e := range set.Events {
		if v := set.Lock.Of(e.Pos.File); e.Vendored && v != nil {
			groups[originOf(v.From.Value)] = append(groups[originOf(v.From.Value)], e)
		}
	}
	return groups
}

// movedOn asks for each consumer here whether it can read what the producer of
// some copies writes now.
func (a *app) movedOn(ctx context.Context, j *judged, repos *load.Repos, copies []*contract.Event) (*rule.Report, error) {
	entry := j.set.Lock.Of(copies[0].Pos.File)
	arg := entry.From.Value
	if repos.Repo(originOf(arg)) != nil {
		arg = originOf(arg) // its newest release
	} else if where, rest, _ := strings.Cut(arg, "#"); !filepath.IsAbs(where) {
		arg = filepath.Join(j.root, filepath.FromSlash(where))
		if rest != "" {
			arg += "#" + rest
		}
	}
	now, err := vendorOrigin(ctx, repos, j.root, arg)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", j.shown(contract.LockFile), err)
	}
	mine := *j.set
	mine.Events, mine.Findings = copies, nil
	mine.Tree = called(mine.Tree, entry.From.Value)
	theirs := *now.set
	theirs.Events = slices.DeleteFunc(slices.Clone(theirs.Events), func(e *contract.Event) bool { return e.Vendored })
	r := compat.Check(&theirs, &mine, compat.Options{Compatibility: contract.Forward, Side: compat.Readers})
	for i := range r.Findings {
		f := &r.Findings[i]
		f.New.File, f.Old.File = near(now.root, f.New.File), j.shown(f.Old.File)
	}
	for _, f := range now.set.Findings {
		f.New.File = near(now.root, f.New.File)
		r.Findings = append(r.Findings, f)
	}
	for _, e := range copies {
		if f := behind(j, r, e, now); f != nil {
			r.Findings = append(r.Findings, *f)
		}
	}
	return r, nil
}

// behind tells that a copy is another revision than the producer's newest.
func behind(j *judged, r *rule.Report, e *contract.Event, now origin) *rule.Finding {
	newest := now.set.Event(e.Name.Value)
	if newest == nil || newest.Revision() == e.Revision() {
		return nil
	}
	var hit []string
	for _, read := range r.Reads {
		if read.Event == e.Name.Value.String() && read.Answer != rule.Holds {
			hit = append(hit, read.Reader.Consumer)
		}
	}
	text := "every consumer here can read it"
	if len(hit) > 0 {
		text = "which matters to " + strings.Join(slices.Compact(hit), ", ")
	}
	v := j.set.Lock.Of(e.Pos.File)
	at := v.Pos
	at.File = j.shown(contract.LockFile)
	doc := load.VendoredBehind
	name := e.Name.Value.String()
	return &rule.Finding{
		Rule: doc.ID, Severity: doc.Severity, Path: name, Fix: "Run evcontract vendor " + now.from + ", then evcontract check and evcontract generate.",
		Message:     fmt.Sprintf("%s was copied from %s, and %s has another revision of it: %s", name, v.From.Value, now.from, text),
		New:         at,
		Fingerprint: rule.Fingerprint(doc.ID, name, e.Revision(), newest.Revision()),
	}
}
