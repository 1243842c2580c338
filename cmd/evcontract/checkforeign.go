package main

import (
	"context"
	"slices"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/load"
)

// sayOf is the manifest of another repository's newest release: how long its own
// topics keep events, and how far back it is rolled.
func (b *bases) sayOf(ctx context.Context, repo *load.Repo) ([]*contract.Workspace, error) {
	if repo == b.repos.Own() {
		return nil, nil
	}
	newest, err := repo.Window(ctx, 0, b.now)
	if err != nil || len(newest) == 0 {
		return nil, err
	}
	set, err := repo.Set(ctx, newest[0].Name)
	if err != nil {
		return nil, err
	}
	return []*contract.Workspace{set.Workspace}, nil
}

// readers are the consumers of another repository as a base of this workspace:
// one with the copies of the contracts that their repository has, since that is
// their revision, and for readings of which it has no copy one with the contracts
// of each base of the workspace.
func (b *bases) readers(x *base, own []*base) []*base {
	written := b.written(own)
	copies := *x.set
	copies.Events = nil
	for _, e := range x.set.Events {
		if written[e.Name.Value] {
			copies.Events = append(copies.Events, e)
		}
	}
	copies.Workspace = b.workspaceOf(own)
	all := []*base{{set: &copies, root: x.root}}
	lent := borrowing(x.set, written)
	if len(lent) == 0 {
		return all
	}
	for _, o := range own {
		borrowed := *o.set
		borrowed.Tree, borrowed.Repo, borrowed.Consumers, borrowed.Findings = called(o.set.Tree, x.set.Tree.Ref), x.set.Repo, lent, nil
		all = append(all, &base{set: &borrowed, root: o.root})
	}
	return all
}

// borrowing lists consumers with those of their readings of which their own set
// has no contract.
func borrowing(set *contract.Set, written map[contract.Name]bool) []*contract.Consumer {
	var lent []*contract.Consumer
	for _, c := range set.Consumers {
		one := *c
		one.Reads = slices.DeleteFunc(slices.Clone(c.Reads), func(r contract.Reading) bool {
			return !written[r.Event.Value] || set.Event(r.Event.Value) != nil
		})
		if len(one.Reads) > 0 {
			lent = append(lent, &one)
		}
	}
	return lent
}

// written are the events that the workspace itself declares or declared.
func (b *bases) written(own []*base) map[contract.Name]bool {
	names := map[contract.Name]bool{}
	sets := []*contract.Set{b.j.set}
	for _, o := range own {
		sets = append(sets, o.set)
	}
	for _, set := range sets {
		for _, e := range set.Events {
			if !e.Vendored {
				names[e.Name.Value] = true
			}
		}
	}
	return names
}

// workspaceOf is the manifest whose demands a change cannot lift by itself.
func (b *bases) workspaceOf(own []*base) *contract.Workspace {
	if len(own) > 0 {
		return own[len(own)-1].set.Workspace
	}
	return b.j.set.Workspace
}

// writers are the events of another repository of which the workspace has copies.
func (b *bases) writers(x *base, own []*base) *contract.Set {
	writers := *x.set
	writers.Events, writers.Workspace = nil, b.workspaceOf(own)
	if x.span == inBoth {
		writers.Findings = nil // its readers' report has them
	}
	for _, e := range x.set.Events {
		if own := b.j.set.Event(e.Name.Value); own != nil && own.Vendored && !e.Vendored {
			writers.Events = append(writers.Events, e)
		}
	}
	return &writers
}
