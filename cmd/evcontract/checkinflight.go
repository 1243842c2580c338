package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/internal/compat"
	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/rule"
)

// readInFlight asks the database of a running system which revisions it holds,
// and which consumers read from it.
func readInFlight(ctx context.Context, store string) (list []delivery.InFlight, readers []*reader, err error) {
	db, err := openStore(ctx, store, false)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	revisions, ok := db.Store.(delivery.RevisionStore)
	if !ok {
		return nil, nil, errors.New("--store: this database does not tell the revisions in flight")
	}
	if list, err = revisions.InFlight(ctx); err != nil {
		return nil, nil, err
	}
	readers, err = readReaders(ctx, db.Store)
	return list, readers, err
}

// inFlight enters, of each revision that the database holds, the newest release
// that declares it. It gives the revisions of events known here that no release
// declares.
func (b *bases) inFlight(ctx context.Context, list []delivery.InFlight) (unknown []delivery.InFlight, err error) {
	wanted := map[string]bool{}
	for _, f := range list {
		wanted[f.Event+"/"+f.Revision] = true
	}
	for _, e := range b.j.set.Events {
		if e.Deferred != nil {
			e.Deferred()
			e.Deferred = nil
		}
		delete(wanted, e.Name.Value.String()+"/"+e.Revision()) // it reads itself
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	for release, err := range b.repos.Releases(ctx) {
		if err != nil {
			return nil, err
		}
		if b.holds(release, wanted); len(wanted) == 0 {
			return nil, nil
		}
	}
	for _, f := range list {
		name, err := contract.ParseName(f.Event)
		if wanted[f.Event+"/"+f.Revision] && err == nil && b.j.set.Event(name) != nil {
			unknown = append(unknown, f)
		}
	}
	return unknown, nil
}

// holds enters a release for the wanted revisions that it declares.
func (b *bases) holds(release load.Tagged, wanted map[string]bool) {
	only := *release.Set
	only.Events, only.Consumers, only.Findings = nil, nil, nil
	for _, e := range release.Set.Events {
		key := e.Name.Value.String() + "/" + e.Revision()
		if e.Vendored || !wanted[key] {
			continue
		}
		delete(wanted, key)
		if b.j.set.Event(e.Name.Value) != nil {
			only.Events = append(only.Events, e)
		}
	}
	if len(only.Events) > 0 {
		at := baseOf(release.Repo, &only, release.Name, "in flight")
		at.flying = true
		b.list = append(b.list, at)
	}
}

// judgeFlying asks whether the readers here can read what is in flight; nothing
// else of that release matters.
func (b *bases) judgeFlying(x *base, o compat.Options) *rule.Report {
	demanded := o.Compatibility
	if demanded == "" {
		demanded = b.j.set.Workspace.Compatibility.Value
	}
	if demanded != contract.Full && demanded != contract.Backward {
		return &rule.Report{}
	}
	o.Compatibility = contract.Backward
	if x.repo != b.repos.Own() {
		o.Side = compat.Writers
	}
	return b.app.compare(b.j, x.set, x.root, o)
}

// unknownRevision says that nobody can tell whether events in flight are read.
func unknownRevision(j *judged, f delivery.InFlight) rule.Finding {
	doc := compat.ByID(rule.UndecidedRule)
	finding := rule.Finding{
		Rule: doc.ID, Severity: doc.Severity, Path: f.Event,
		Message: fmt.Sprintf("%s: the database holds events of revision %s, the newest of %s, and no release declares it: nobody can tell whether they are readable",
			f.Event, f.Revision, f.Newest.UTC().Format("2006-01-02 15:04 MST")),
		Fix:         "Tag the commit that they were sent from, or name its repository under repos: in evcontract.yaml.",
		Fingerprint: rule.Fingerprint(doc.ID, f.Event, f.Revision),
	}
	if name, err := contract.ParseName(f.Event); err == nil && j.set.Event(name) != nil {
		finding.New = j.set.Event(name).Name.Pos
		finding.New.File = j.shown(finding.New.File)
	}
	return finding
}
