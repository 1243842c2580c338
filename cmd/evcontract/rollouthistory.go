package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/evcontract/evcontract/internal/compat"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/source"
)

// history finds, for each service, what ran before and may have left events that
// can still be read, and the releases between what runs and what shall run.
//
// What ran is what the environment's file said, commit by commit. Where it does
// not go back far enough, every release before what runs may have run until the
// next one came, and the last of them until the file first says something else.
func (f *fleet) history(ctx context.Context, file environmentFile) error {
	ran, since, err := f.ran(ctx, file)
	if err != nil {
		return err
	}
	for _, s := range f.services {
		if err := f.between(ctx, s); err != nil {
			return err
		}
		if err := f.recorded(ctx, s, ran[s.name]); err != nil {
			return err
		}
		if since.IsZero() || f.now.Sub(since) < s.keeps {
			if err := f.supposed(ctx, s, since); err != nil {
				return err
			}
		}
		slices.SortStableFunc(s.sent, func(a, b berth) int { return a.released.Compare(b.released) })
	}
	if len(f.supposes) > 0 {
		f.notes = append(f.notes, fmt.Sprintf("nothing says until when the release before ran of %s: it is taken to have run until now; commit %s whenever it changes",
			strings.Join(f.supposes, ", "), f.file))
	}
	return nil
}

// stay is a ref that ran, and when it was last said to.
type stay struct {
	ref   string
	until time.Time
}

// ran reads the file's history: what it said of each service, the newest first,
// and since when it says anything. Times after now are not known yet.
func (f *fleet) ran(ctx context.Context, file environmentFile) (map[string][]stay, time.Time, error) {
	repo, err := source.OpenRepository(ctx, file.dir)
	if source.IsNoRepository(err) {
		return nil, time.Time{}, nil
	}
	if err != nil {
		return nil, time.Time{}, err
	}
	defer repo.Close()
	changes, err := repo.Changes(ctx, file.file)
	if err != nil {
		return nil, time.Time{}, err
	}
	longest := time.Duration(0)
	for _, s := range f.services {
		longest = max(longest, s.keeps)
	}
	ran := map[string][]stay{}
	var since time.Time
	until := f.now
	for _, c := range changes {
		if c.Date.After(f.now) {
			continue
		}
		if f.now.Sub(until) >= longest {
			break
		}
		if err := said(ctx, repo, file, c, until, ran); err != nil {
			return nil, since, err
		}
		since, until = c.Date, c.Date
	}
	if repo.Shallow {
		since = time.Time{} // what is missing may be what ran
		f.notes = append(f.notes, "the clone is shallow: what ran before is guessed from the tags that are there; fetch all of it (fetch-depth: 0)")
	}
	return ran, since, nil
}

// said enters what the file said in one commit. A text that cannot be read is an
// error: it may name what ran.
func said(ctx context.Context, repo *source.Repository, file environmentFile, c source.Change, until time.Time, ran map[string][]stay) error {
	tree, err := repo.Tree(ctx, c.Commit)
	if err != nil {
		return err
	}
	data, err := tree.ReadFile(file.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was deleted there
	}
	if err != nil {
		return err
	}
	env, err := load.ParseEnvironment(file.name, file.shown(), data)
	if err != nil {
		return fmt.Errorf("as of commit %.12s: %w", c.Commit, err)
	}
	for _, s := range env.Services {
		for _, ref := range s.Runs {
			known := slices.ContainsFunc(ran[s.Name.Value], func(r stay) bool { return r.ref == ref.Value })
			if !known {
				ran[s.Name.Value] = append(ran[s.Name.Value], stay{ref.Value, until})
			}
		}
	}
	return nil
}

// recorded adds what ran and runs no longer.
func (f *fleet) recorded(ctx context.Context, s *ship, ran []stay) error {
	for _, r := range ran {
		left := s.keeps - f.now.Sub(r.until)
		if left <= 0 || slices.ContainsFunc(s.now, func(b berth) bool { return b.Ref == r.ref }) {
			continue
		}
		set, err := s.repo.Set(ctx, r.ref)
		if err != nil {
			return fmt.Errorf("%s ran %s until %s, and its events may still be read: %w", s.name, r.ref, r.until.Format(time.DateOnly), err)
		}
		if moves, err := s.repo.Moves(r.ref); err == nil && moves {
			f.notes = append(f.notes, fmt.Sprintf("%s ran %s until %s, as %s said, and that is a branch, which moves on: what it sent is taken for what its newest commit sends, %.12s",
				s.name, r.ref, r.until.Format(time.DateOnly), f.file, set.Tree.Commit))
		}
		s.remember(&s.sent, berth{compat.Party{Service: s.name, Ref: r.ref, Set: set}, left, f.tagged(s, set.Tree.Commit)})
	}
	return nil
}

// between adds the releases between what runs and what shall run.
func (f *fleet) between(ctx context.Context, s *ship) error {
	tags := f.tags[s.repo]
	newest, aim := -1, len(tags)
	for i, t := range tags {
		if slices.ContainsFunc(s.now, func(b berth) bool { return b.Set.Tree.Commit == t.Commit }) {
			newest = i
		}
		if aim == len(tags) && slices.ContainsFunc(s.to, func(b berth) bool { return b.Set.Tree.Commit == t.Commit }) {
			aim = i
		}
	}
	if newest < 0 || !s.moves() {
		return nil
	}
	for i := newest + 1; i < aim; i++ {
		if err := f.add(ctx, s, &s.via, tags[i], 0); err != nil {
			return err
		}
	}
	return nil
}

// supposed adds the releases before what runs, as if each had run until the next.
// The last of them may have run longer than that: until the file says what runs,
// or until now where it was never committed.
func (f *fleet) supposed(ctx context.Context, s *ship, since time.Time) error {
	before, err := f.before(ctx, s)
	if err != nil {
		return err
	}
	until, told := since, len(s.sent)
	if since.IsZero() {
		until = f.now
	}
	tags := f.tags[s.repo]
	for i := before; i >= 0; i-- {
		if next := i + 1; next < len(tags) && (i < before || tags[next].Date.After(until)) {
			until = tags[next].Date
		}
		left := s.keeps - f.now.Sub(until)
		if left <= 0 {
			break
		}
		if err := f.add(ctx, s, &s.sent, tags[i], left); err != nil {
			return err
		}
	}
	if len(s.sent) > told && since.IsZero() {
		f.supposes = append(f.supposes, s.name)
	}
	return nil
}

// before is the place among the tags of the last release before all that runs of
// a service, -1 where there is none.
func (f *fleet) before(ctx context.Context, s *ship) (int, error) {
	tags := f.tags[s.repo]
	first := len(tags)
	for _, b := range s.now {
		at := slices.IndexFunc(tags, func(t source.Tag) bool { return b.Set.Tree.Commit == t.Commit })
		if at < 0 && len(tags) > 0 { // no release of its own
			merged, err := s.repo.Merged(ctx, b.Set.Tree.Commit)
			if err != nil {
				return -1, err
			}
			for i, t := range tags {
				if merged[t.Name] {
					at = i + 1
				}
			}
		}
		first = min(first, max(at, 0))
	}
	if len(s.now) == 0 {
		return -1, nil
	}
	return first - 1, nil
}

func (f *fleet) add(ctx context.Context, s *ship, to *[]berth, tag source.Tag, left time.Duration) error {
	set, err := s.repo.Set(ctx, tag.Name)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	s.remember(to, berth{compat.Party{Service: s.name, Ref: tag.Name, Set: set}, left, tag.Date})
	return nil
}

// remember adds a revision unless it says what another one of the service says
// already that is there as long: of what was sent, only what it sends counts.
func (s *ship) remember(to *[]berth, b berth) {
	if !b.declared() {
		return // it did not exist then
	}
	same := func(o berth) bool { return o.Says() == b.Says() }
	if b.left > 0 {
		same = func(o berth) bool { return o.Writes() == b.Writes() }
		for i := range s.sent {
			if same(s.sent[i]) {
				s.sent[i].left = max(s.sent[i].left, b.left)
				return
			}
		}
		if slices.ContainsFunc(s.now, same) {
			return
		}
	} else if slices.ContainsFunc(slices.Concat(s.now, s.to, s.via), same) {
		return
	}
	*to = append(*to, b)
}

// tagged is the date of the release that a commit is, zero where it is none.
func (f *fleet) tagged(s *ship, commit string) time.Time {
	for _, t := range f.tags[s.repo] {
		if t.Commit == commit {
			return t.Date
		}
	}
	return time.Time{}
}
