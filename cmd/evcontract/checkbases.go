package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/internal/compat"
	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// base is one revision that a check compares with.
type base struct {
	rule.Base
	set  *contract.Set
	root string       // that its places are relative to
	runs []string     // the services that run it; nil: all that it declares
	span compatWindow // which of the windows it is in
	repo *load.Repo   // nil: what was named on the command line

	flying bool // only its events that a database still holds, for the readers here
}

// compatWindow says which window a release of another repository is in: that of
// what it wrote, or also that of what it may be rolled back to.
type compatWindow uint8

const (
	inBoth    compatWindow = iota // its events may be read, and it may read
	onlyWrote                     // it is too old to run again
)

// bases collects what a check compares with, each commit of each repository once.
type bases struct {
	app   *app
	j     *judged
	repos *load.Repos
	now   time.Time
	says  *contract.Set // whose environments tell what runs; nil: as they are here
	list  []*base

	longer  map[string]time.Duration // windows of repositories whose own manifest says more
	exact   bool                     // a database says what is in flight
	unknown []delivery.InFlight      // revisions that it holds and no release declares
	unread  []*reader                // consumers that run, of which the same is true
}

// add enters a revision, or one more reason for it.
func (b *bases) add(next *base) {
	for _, known := range b.list {
		same := known.Commit != "" && known.Commit == next.Commit && known.Repo == next.Repo
		if known.flying || known.set != next.set && !same {
			continue
		}
		for _, why := range next.Why {
			if !slices.Contains(known.Why, why) {
				known.Why = append(known.Why, why)
			}
		}
		if known.runs == nil || next.runs == nil {
			known.runs = nil
		} else {
			known.runs = append(known.runs, next.runs...)
		}
		known.span = min(known.span, next.span)
		if known.Released.IsZero() {
			known.Released, known.Until = next.Released, next.Until
		}
		return
	}
	b.list = append(b.list, next)
}

// at enters a ref of a repository.
func (b *bases) at(ctx context.Context, repo *load.Repo, ref, why string) (*base, error) {
	set, err := repo.Set(ctx, ref)
	if errors.Is(err, fs.ErrNotExist) && repo == b.repos.Own() {
		return nil, nil // the folder did not exist there: everything is new
	}
	if err != nil {
		return nil, err
	}
	return baseOf(repo, set, ref, why), nil
}

// baseOf is a ref of a repository as a base.
func baseOf(repo *load.Repo, set *contract.Set, ref, why string) *base {
	return &base{
		Base: rule.Base{Repo: set.Repo, Ref: ref, Commit: set.Tree.Commit, Why: []string{why}},
		set:  set, root: repo.Dir(), repo: repo,
	}
}

// window enters the releases of a repository that are in the window. What
// another repository's consumers ran longer ago than a rollback goes, they don't
// run again; its producers' events may still be read.
func (b *bases) window(ctx context.Context, repo *load.Repo) error {
	if !repo.HasRefs() {
		return b.disk(ctx, repo)
	}
	theirs, err := b.sayOf(ctx, repo)
	if err != nil {
		return err
	}
	span, rollback := load.Span(b.j.set, theirs...), load.Rollback(b.j.set, theirs...)
	if b.exact { // then only what may be rolled back to is told by dates
		span = rollback
	}
	if usual := load.Span(b.j.set); span > usual && !b.exact {
		b.longer[repo.Name] = span
	}
	releases, err := repo.Window(ctx, span, b.now)
	if err != nil {
		return err
	}
	if len(releases) == 0 {
		return noRelease(repo, b.now)
	}
	if repo.Shallow() {
		fmt.Fprintf(b.app.err, "evcontract: the repository at %s is a shallow clone, where releases may be missing: run there\n  git fetch --unshallow --tags\n", repo.Path)
	}
	for _, r := range releases {
		at, err := b.at(ctx, repo, r.Name, "window")
		if err != nil {
			return err
		}
		if at == nil {
			continue
		}
		at.Released, at.Until = r.Date, r.Until
		if repo != b.repos.Own() && !r.Until.IsZero() && b.now.Sub(r.Until) >= rollback {
			at.span = onlyWrote
		}
		b.add(at)
	}
	return nil
}

// noRelease says that a repository has no release that could be in a window.
func noRelease(repo *load.Repo, now time.Time) error {
	glob, at := repo.Glob(), repo.Pos
	which := "no tag"
	if glob.Value != "" {
		which, at = fmt.Sprintf("no tag that fits %q", glob.Value), glob.Pos
	}
	message := fmt.Sprintf("the repository at %s has %s up to %s: tag its releases, or fetch them with git fetch --tags", repo.Path, which, now.UTC().Format(time.DateTime))
	if at.IsZero() {
		return errors.New(message)
	}
	return source.Errorf(at, "%s", message)
}

// disk enters what has no refs.
func (b *bases) disk(ctx context.Context, repo *load.Repo) error {
	if repo == b.repos.Own() {
		return fmt.Errorf("%s is in no git repository, so that it has no releases: name what to compare with, like --against FOLDER", b.j.set.Tree.Name)
	}
	at, err := b.at(ctx, repo, "", "disk")
	if err == nil {
		b.add(at)
	}
	return err
}

// running enters what runs in an environment.
func (b *bases) running(ctx context.Context, name string) error {
	env, err := load.Environment(cmp.Or(b.says, b.j.set), name)
	if err != nil {
		return err
	}
	running, err := b.repos.Running(ctx, env)
	if err != nil {
		return err
	}
	for _, r := range running {
		b.app.warnMoving(b.j.placed, r)
		for _, i := range r.Instances {
			b.add(&base{
				Base: rule.Base{Repo: i.Set.Repo, Ref: i.Ref.Value, Commit: i.Set.Tree.Commit, Why: []string{name}},
				set:  i.Set, root: r.Repo.Dir(), repo: r.Repo, runs: []string{r.Service.Name.Value},
			})
		}
	}
	return nil
}

// newest enters the newest release of a repository of which no environment says
// anything; a repository without releases as it is in HEAD.
func (b *bases) newest(ctx context.Context, repo *load.Repo) error {
	if !repo.HasRefs() {
		return b.disk(ctx, repo)
	}
	all, err := repo.Tags(ctx)
	if err != nil {
		return err
	}
	tags := slices.DeleteFunc(slices.Clone(all), func(t source.Tag) bool { return t.Date.After(b.now) })
	ref := "HEAD"
	switch {
	case len(tags) > 0:
		ref = tags[len(tags)-1].Name
	case len(all) > 0 && b.says != nil:
		return nil // it came later
	case len(all) > 0 || repo.Glob().Value != "":
		return noRelease(repo, b.now)
	}
	at, err := b.at(ctx, repo, ref, "newest")
	if err == nil && at != nil {
		if len(tags) > 0 {
			at.Released = tags[len(tags)-1].Date
		}
		b.add(at)
	}
	return err
}

// known reports whether anything of a repository was entered.
func (b *bases) known(repo *load.Repo) bool {
	return slices.ContainsFunc(b.list, func(x *base) bool { return x.repo == repo })
}

// collect decides what is compared with: what --against names; what runs in the
// environment that --env names; with --window every release that is in it; and
// of the other repositories what runs in any environment, else their newest
// release.
func (b *bases) collect(ctx context.Context, o *checkOptions) error {
	if o.store != "" {
		flying, readers, err := readInFlight(ctx, o.store)
		if err != nil {
			return err
		}
		b.exact = true
		if b.unknown, err = b.inFlight(ctx, flying); err != nil {
			return err
		}
		if b.unread, err = b.reported(ctx, readers); err != nil {
			return err
		}
	}
	if o.window {
		for _, repo := range b.repos.All() {
			if err := b.window(ctx, repo); err != nil {
				return err
			}
		}
	}
	environments := o.env
	if len(environments) == 0 {
		environments = slices.Sorted(maps.Keys(cmp.Or(b.says, b.j.set).Workspace.Environments))
	}
	for _, name := range slices.Compact(environments) {
		if err := b.running(ctx, name); err != nil {
			return err
		}
	}
	if o.window || len(o.env) > 0 {
		return nil
	}
	// An environment says what runs of the others; this one has its own base.
	b.list = slices.DeleteFunc(b.list, func(x *base) bool { return x.repo == b.repos.Own() })
	for _, repo := range b.repos.All()[1:] {
		if !b.known(repo) {
			if err := b.newest(ctx, repo); err != nil {
				return err
			}
		}
	}
	return nil
}

// judge checks the workspace against every base, and says what that were.
func (b *bases) judge(options compat.Options) *rule.Report {
	all := &rule.Report{Scope: &rule.Scope{}}
	options.Memory = &compat.Memory{OneBase: len(b.list) == 1 && b.repos == nil}
	own := b.own()
	for _, x := range b.list {
		o := options
		o.Runs, o.Since = x.runs, b.since(x)
		if x.flying {
			all.Scope.Bases = append(all.Scope.Bases, x.Base)
			all.Merge(b.judgeFlying(x, o))
			continue
		}
		foreign := x.repo != nil && x.repo != b.repos.Own()
		if foreign && x.span == onlyWrote && len(b.writers(x, own).Events) == 0 {
			continue // its consumers ran too long ago, and nothing of what it wrote is read here
		}
		all.Scope.Bases = append(all.Scope.Bases, x.Base)
		if !foreign {
			all.Merge(b.app.compare(b.j, x.set, x.root, o))
			continue
		}
		if x.span == inBoth {
			o.Side = compat.Readers
			for _, readers := range b.readers(x, own) {
				all.Merge(b.app.compare(b.j, readers.set, readers.root, o))
			}
		}
		o.Side = compat.Writers
		all.Merge(b.app.compare(b.j, b.writers(x, own), x.root, o))
	}
	for _, f := range b.unknown {
		all.Findings = append(all.Findings, unknownRevision(b.j, f))
	}
	for _, r := range b.unread {
		all.Findings = append(all.Findings, unknownReader(r))
	}
	all.Scope.Pairs = options.Memory.Pairs()
	return all
}

// since lists what the repository of a base released after it, the oldest first.
func (b *bases) since(x *base) []*contract.Set {
	var later []*base
	for _, y := range b.list {
		if y != x && !y.flying && (y.repo == x.repo || b.ours(x) && b.ours(y)) && y.after(b.list, x) {
			later = append(later, y)
		}
	}
	slices.SortStableFunc(later, func(y, z *base) int { return y.date().Compare(z.date()) })
	sets := make([]*contract.Set, len(later))
	for i, y := range later {
		sets[i] = y.set
	}
	return sets
}

// date is when a base was released, or its commit made.
func (x *base) date() time.Time {
	if x.Released.IsZero() {
		return x.set.Tree.Committed
	}
	return x.Released
}

// after tells the order of two bases by their dates; of two without, folders and
// archives, by the order in which they were named.
func (x *base) after(list []*base, other *base) bool {
	if x.date().IsZero() && other.date().IsZero() || x.date().Equal(other.date()) {
		return slices.Index(list, x) > slices.Index(list, other)
	}
	return !x.date().IsZero() && !other.date().IsZero() && x.date().After(other.date())
}

// ours reports whether a base is of the workspace's own repository.
func (b *bases) ours(x *base) bool { return x.repo == nil || x.repo == b.repos.Own() }

// own lists the bases that are earlier revisions of the workspace itself.
func (b *bases) own() []*base {
	var own []*base
	for _, x := range b.list {
		if !x.flying && b.ours(x) {
			own = append(own, x)
		}
	}
	return own
}
