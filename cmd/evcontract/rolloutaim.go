package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/evcontract/evcontract/internal/compat"
	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// target is what was asked for, in words.
func (f *fleet) target() string {
	if len(f.options.to) == 0 {
		return "HEAD"
	}
	return strings.Join(f.options.to, ", ")
}

// aim reads --to into what shall run.
func (f *fleet) aim(ctx context.Context) error {
	general := ""
	for _, to := range f.options.to {
		service, refs, named := strings.Cut(to, "=")
		switch {
		case named && service == "":
			return fmt.Errorf("--to %s: which service? Write --to SERVICE=REF, or --to %s for all", to, refs)
		case named:
			if err := f.aimService(ctx, service, strings.Split(refs, ",")); err != nil {
				return fmt.Errorf("--to %s: %w", to, err)
			}
		case general != "":
			return fmt.Errorf("--to %s and --to %s: all of them can go to one place only; for one service write --to SERVICE=REF", general, to)
		default:
			general = to
		}
	}
	if len(f.options.to) > 0 && general == "" {
		return nil
	}
	if _, isEnvironment := f.set.Workspace.Environments[general]; isEnvironment {
		return f.aimEnvironment(ctx, general)
	}
	if general == "" {
		general = "HEAD"
	}
	return f.aimOwn(ctx, general)
}

// aimService sends one service to revisions; it may be new.
func (f *fleet) aimService(ctx context.Context, name string, refs []string) error {
	s := f.ship(name)
	if s == nil {
		s = &ship{name: name, repo: f.repos.Own()}
		if repo := f.repos.Repo(name); repo != nil {
			s.repo = repo
		}
		f.services = append(f.services, s)
	}
	for _, ref := range refs {
		b, err := f.revision(ctx, s, strings.TrimSpace(ref))
		if err != nil {
			return err
		}
		if !b.declared() {
			return fmt.Errorf("%s of %s declares neither a producer nor a consumer named %s: %s", ref, s.repo.Path, name, f.noService(name, declaredIn(b.Set)))
		}
		s.to = append(s.to, b)
	}
	return s.settle()
}

func (f *fleet) ship(name string) *ship {
	for _, s := range f.services {
		if s.name == name {
			return s
		}
	}
	return nil
}

// settle drops an aim that is what runs already.
func (s *ship) settle() error {
	if len(s.to) == len(s.now) && !slices.ContainsFunc(s.to, func(b berth) bool {
		return !slices.ContainsFunc(s.now, func(n berth) bool { return n.Ref == b.Ref })
	}) {
		s.to = nil
	}
	return nil
}

// revision loads one revision of a service. One that runs already keeps the name
// by which it runs.
func (f *fleet) revision(ctx context.Context, s *ship, ref string) (berth, error) {
	word := ref
	switch {
	case ref == "":
		return berth{}, errors.New("an empty ref")
	case ref == ".":
		word = ""
	}
	set, err := s.repo.Set(ctx, word)
	if err != nil {
		return berth{}, err
	}
	for _, b := range s.now {
		if b.Set == set {
			ref = b.Ref
		}
	}
	return berth{Party: compat.Party{Service: s.name, Ref: ref, Set: set}}, nil
}

func (b berth) declared() bool { return b.Consumer() != nil || len(b.Sends()) > 0 }

// aimOwn sends the services of the workspace's own repository to one ref, those
// whose contracts differ there. What --to sends elsewhere is left alone.
func (f *fleet) aimOwn(ctx context.Context, ref string) error {
	if !f.repos.Own().HasRefs() && ref != "." {
		return fmt.Errorf("--to %s: the workspace is in no git repository, so that it has no refs: --to . means its files as they are", ref)
	}
	var same, gone []string
	var set *contract.Set
	for _, s := range f.services {
		if s.repo != f.repos.Own() || s.moves() {
			continue
		}
		b, err := f.revision(ctx, s, ref)
		if err != nil && f.ship(ref) != nil {
			return fmt.Errorf("--to %s: %s is a service: write --to %s=REF", ref, ref, ref)
		}
		if err != nil {
			return fmt.Errorf("--to %s: %w", ref, err)
		}
		set = b.Set
		switch {
		case !b.declared():
			gone = append(gone, s.name)
		case slices.ContainsFunc(s.now, func(n berth) bool { return n.Says() != b.Says() }):
			s.to = []berth{b}
		default:
			same = append(same, s.name)
		}
	}
	if set == nil && len(f.options.to) < 2 {
		return fmt.Errorf("no service of %s is in this repository: say which one goes where, --to SERVICE=REF", f.options.env)
	}
	if len(same) > 0 {
		f.notes = append(f.notes, fmt.Sprintf("any time: %s; %s changes none of what they send and read", strings.Join(same, ", "), ref))
	}
	for _, name := range gone {
		f.notes = append(f.notes, fmt.Sprintf("%s no longer declares %s: it is taken to stay as it runs", ref, name))
	}
	if set != nil {
		f.noteNew(set, ref)
	}
	return nil
}

// noteNew names the services that a revision declares and the environment does
// not run.
func (f *fleet) noteNew(set *contract.Set, ref string) {
	var fresh []string
	for _, name := range declaredIn(set) {
		if f.ship(name) == nil {
			fresh = append(fresh, name)
		}
	}
	if len(fresh) > 0 {
		f.notes = append(f.notes, fmt.Sprintf("%s also declares %s, of which nothing runs in %s: --to %s=%s plans a first deployment",
			ref, strings.Join(fresh, ", "), f.options.env, fresh[0], ref))
	}
}

// aimEnvironment sends every service to what runs of it in another environment.
func (f *fleet) aimEnvironment(ctx context.Context, name string) error {
	file, err := f.environmentFile(name, f.options.store)
	if err != nil {
		return err
	}
	env, err := file.parse()
	if err != nil {
		return err
	}
	running, err := f.repos.Running(ctx, env)
	if err != nil {
		return err
	}
	for _, r := range running {
		s := f.ship(r.Service.Name.Value)
		if s == nil {
			s = &ship{name: r.Service.Name.Value, repo: r.Repo}
			f.services = append(f.services, s)
		}
		if s.moves() {
			continue
		}
		for _, i := range r.Instances {
			b, err := f.revision(ctx, s, i.Ref.Value)
			if err != nil {
				return err
			}
			s.to = append(s.to, b)
		}
		if err := s.settle(); err != nil {
			return err
		}
	}
	return nil
}

// declaredIn are the producers and consumers of a revision.
func declaredIn(set *contract.Set) []string {
	var names []string
	for _, e := range set.Events {
		names = append(names, e.Producer.Value)
	}
	for _, c := range set.Consumers {
		names = append(names, c.Name.Value)
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(n string) bool { return n == "" })
}

// noService says which services there are.
func (f *fleet) noService(name string, known []string) string {
	if near := source.Suggest(name, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if len(known) == 0 {
		return "there are none"
	}
	return "there are " + strings.Join(known, ", ")
}
