package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/evcontract/evcontract/internal/compat"
	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// fleet is what runs in an environment and what shall run there.
type fleet struct {
	*app
	*judged
	repos    *load.Repos
	options  *rolloutOptions
	now      time.Time
	file     string // the environment's, as the user would name it
	services []*ship
	notes    []string
	supposes []string // services of which nobody knows until when they ran what

	tags     map[*load.Repo][]source.Tag
	meetings compat.Meetings
	waived   map[*rule.Report]bool
}

// ship is one service of a fleet.
type ship struct {
	name      string
	repo      *load.Repo
	now, to   []berth
	held      []berth // where it would go without --only
	via, sent []berth
	keeps     time.Duration
}

// berth is one revision of a service.
type berth struct {
	compat.Party
	left     time.Duration // of one that was sent
	released time.Time     // the date of its tag; zero where it has none
}

// gather finds out all that a plan needs.
func (f *fleet) gather(ctx context.Context) error {
	file, err := f.environmentFile(f.options.env, f.options.store)
	if err != nil {
		return err
	}
	f.file = file.shown()
	env, err := file.parse()
	if err != nil {
		return err
	}
	if len(env.Services) == 0 {
		return fmt.Errorf("%s says nothing of what runs: evcontract deployed set --env %s SERVICE=REF", file.shown(), f.options.env)
	}
	running, err := f.repos.Running(ctx, env)
	if err != nil {
		return err
	}
	for _, r := range running {
		s := &ship{name: r.Service.Name.Value, repo: r.Repo}
		for _, said := range r.Moving() {
			f.notes = append(f.notes, said.Error())
		}
		for _, i := range r.Instances {
			s.now = append(s.now, berth{Party: compat.Party{Service: s.name, Ref: i.Ref.Value, Set: i.Set}})
		}
		f.services = append(f.services, s)
	}
	if err := f.aim(ctx); err != nil {
		return err
	}
	if err := f.limit(); err != nil {
		return err
	}
	if !slices.ContainsFunc(f.services, (*ship).moves) {
		f.nothing()
	}
	for _, s := range f.services {
		s.keeps = f.keeps(s)
		if err := f.date(ctx, s); err != nil {
			return err
		}
	}
	if err := f.history(ctx, file); err != nil {
		return err
	}
	if err := f.readable(); err != nil {
		return err
	}
	return f.known()
}

func (s *ship) moves() bool { return len(s.to) > 0 }

// limit keeps the services still that --only does not name.
func (f *fleet) limit() error {
	var names []string
	for _, s := range f.services {
		names = append(names, s.name)
	}
	for _, only := range f.options.only {
		if !slices.Contains(names, only) {
			return fmt.Errorf("--only %s: %s", only, f.noService(only, names))
		}
	}
	if len(f.options.only) > 0 {
		for _, s := range f.services {
			if !slices.Contains(f.options.only, s.name) {
				s.held, s.to = s.to, nil
			}
		}
		f.services = slices.DeleteFunc(f.services, func(s *ship) bool { return len(s.now) == 0 && len(s.to) == 0 && len(s.held) == 0 })
	}
	return nil
}

// nothing notes why nothing moves. What runs is judged all the same.
func (f *fleet) nothing() {
	var runs []string
	for _, s := range f.services {
		for _, b := range s.now {
			runs = append(runs, b.Service+" "+b.Ref)
		}
	}
	f.notes = append(f.notes, fmt.Sprintf("there is nothing to roll out: %s changes no contract of what runs in %s (%s); --to SERVICE=REF plans a revision all the same",
		f.target(), f.options.env, strings.Join(runs, ", ")))
}

// keeps is how long an event of a service may be read after it was sent: in its
// topic, and then in the quarantine of a consumer that reads it, or that knows an
// event of it that it no longer sends. Of two that say something of the topics,
// this workspace and the repository of the service, the longer counts.
func (f *fleet) keeps(s *ship) time.Duration {
	w := f.set.Workspace
	retention, keep := time.Duration(w.Window.Retention.Value), time.Duration(0)
	sends := map[contract.Name]bool{}
	for _, b := range slices.Concat(s.now, s.to) {
		if said := b.Set.Workspace.Window.Retention; s.repo != f.repos.Own() && !said.Pos.IsZero() {
			retention = max(retention, time.Duration(said.Value))
		}
		for _, e := range b.Sends() {
			sends[e.Name.Value] = true
		}
	}
	for _, other := range f.services {
		for _, b := range slices.Concat(other.now, other.to) {
			if c := b.Consumer(); c != nil && slices.ContainsFunc(c.Reads, func(r contract.Reading) bool {
				known := b.Set.Event(r.Event.Value)
				return sends[r.Event.Value] || known != nil && known.Producer.Value == s.name
			}) {
				keep = max(keep, time.Duration(c.Quarantine.Keep.Value))
			}
		}
	}
	if keep == 0 {
		keep = time.Duration(w.Defaults.Quarantine.Keep.Value)
	}
	return retention + keep
}

// date finds out when the revisions of a service were released.
func (f *fleet) date(ctx context.Context, s *ship) error {
	if _, known := f.tags[s.repo]; !known {
		tags, err := s.repo.Tags(ctx)
		if err != nil {
			return err
		}
		if f.tags == nil {
			f.tags = map[*load.Repo][]source.Tag{}
		}
		f.tags[s.repo] = tags
	}
	for _, berths := range [][]berth{s.now, s.to} {
		for i := range berths {
			berths[i].released = f.tagged(s, berths[i].Set.Tree.Commit)
		}
	}
	return nil
}

// readable refuses revisions of which something could not be read: what is missing
// would pass for what is not there.
func (f *fleet) readable() error {
	var errs []error
	seen := map[*contract.Set]bool{}
	for _, s := range f.services {
		for _, b := range slices.Concat(s.now, s.to, s.via, s.sent) {
			if seen[b.Set] {
				continue
			}
			seen[b.Set] = true
			for _, finding := range b.Set.Findings {
				if finding.Rule == load.Unreadable.ID {
					errs = append(errs, fmt.Errorf("%s %s: %s: %s", b.Service, b.Ref, finding.New, finding.Message))
				}
			}
		}
	}
	const most = 10
	if len(errs) > most {
		errs = append(errs[:most], fmt.Errorf("and %d more", len(errs)-most))
	}
	return errors.Join(errs...)
}

// known refuses a consumer of an event whose producer the environment does not
// know, and notes one of an event that nobody produces.
func (f *fleet) known() error {
	sends, names := map[contract.Name]bool{}, map[string]bool{}
	for _, s := range f.services {
		names[s.name] = true
		for _, b := range slices.Concat(s.now, s.to, s.sent) {
			for _, e := range b.Sends() {
				sends[e.Name.Value] = true
			}
		}
	}
	noted := map[string]bool{}
	for _, s := range f.services {
		for _, b := range slices.Concat(s.now, s.to) {
			c := b.Consumer()
			if c == nil {
				continue
			}
			for _, r := range c.Reads {
				if sends[r.Event.Value] {
					continue
				}
				if e := b.Set.Event(r.Event.Value); e != nil && e.Producer.Value != "" && !names[e.Producer.Value] {
					return fmt.Errorf("%s %s reads %s of %s, and %s does not say what runs of %s: evcontract deployed set --env %s %s=REF",
						b.Service, b.Ref, r.Event.Value, e.Producer.Value, f.options.env, e.Producer.Value, f.options.env, e.Producer.Value)
				}
				note := fmt.Sprintf("%s %s reads %s, which no service in %s produces: nothing was judged for it", b.Service, b.Ref, r.Event.Value, f.options.env)
				if !noted[note] {
					noted[note] = true
					f.notes = append(f.notes, note)
				}
			}
		}
	}
	return nil
}
