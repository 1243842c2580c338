package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/internal/compat"
	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

// reader is a consumer as its inboxes report it to their database.
type reader struct {
	delivery.ConsumerStatus
	found bool // in a release, or as it is in the workspace
}

// readReaders lists the consumers that a database knows and whose code says
// which contracts it was generated from.
func readReaders(ctx context.Context, store delivery.Store) ([]*reader, error) {
	operator, ok := store.(delivery.OperatorStore)
	if !ok {
		return nil, errors.New("--store: this database does not tell which consumers run")
	}
	status, err := operator.Status(ctx)
	if err != nil {
		return nil, err
	}
	var list []*reader
	for _, c := range status.Consumers {
		if c.Revision != "" {
			list = append(list, &reader{ConsumerStatus: c})
		}
	}
	return list, nil
}

// reported finds, of each consumer that a database reports, the newest release
// that it was generated from, and enters it: whatever a release's date says, it
// reads what this change sends. It gives those that run now and that no release
// declares.
func (b *bases) reported(ctx context.Context, list []*reader) (unknown []*reader, err error) {
	find(list, b.j.set) // as it is here it reads itself
	missing := func(r *reader) bool { return !r.found }
	if !slices.ContainsFunc(list, missing) {
		return nil, nil
	}
	for release, err := range b.repos.Releases(ctx) {
		if err != nil {
			return nil, err
		}
		if runs := find(list, release.Set); len(runs) > 0 {
			x := baseOf(release.Repo, release.Set, release.Name, "runs")
			x.runs = runs
			b.add(x)
		}
		if !slices.ContainsFunc(list, missing) {
			return nil, nil
		}
	}
	for _, r := range list {
		if !r.found && r.Members > 0 {
			unknown = append(unknown, r)
		}
	}
	return unknown, nil
}

// find marks the consumers that a set declares in the revision that they report,
// and names them.
func find(list []*reader, set *contract.Set) (names []string) {
	for _, r := range list {
		for _, c := range set.Consumers {
			if !r.found && c.Name.Value == r.Consumer && c.Revision(set) == r.Revision {
				r.found = true
				names = append(names, r.Consumer)
			}
		}
	}
	return names
}

// unknownReader says that nobody can tell what a consumer that runs can read.
func unknownReader(r *reader) rule.Finding {
	doc := compat.ByID(rule.UndecidedRule)
	return rule.Finding{
		Rule: doc.ID, Severity: doc.Severity, Path: r.Consumer,
		Message: fmt.Sprintf("%s runs, generated from revision %s of its contracts, and no release declares that: nobody can tell what it can read",
			r.Consumer, r.Revision),
		Fix:         "Tag the commit that it was built from, or name its repository under repos: in evcontract.yaml.",
		Fingerprint: rule.Fingerprint(doc.ID, r.Consumer, r.Revision),
	}
}
