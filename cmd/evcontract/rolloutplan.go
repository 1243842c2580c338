package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/evcontract/evcontract/internal/compat"
	"github.com/evcontract/evcontract/internal/compat/rollout"
	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/report"
	"github.com/evcontract/evcontract/internal/rule"
)

// ages orders the revisions of a rollout: who is newer than whom.
const (
	ageSent = iota
	ageNow
	ageVia
	ageTo
)

// aged is a revision with its age.
type aged struct {
	berth
	age int
}

// plan asks who can read whom and finds the order.
func (f *fleet) plan() (*report.Rollout, error) {
	r := &report.Rollout{
		Version: version(), Environment: f.options.env, Target: f.target(), AsOf: f.now,
		Rollback: time.Duration(f.set.Workspace.Window.Rollback.Value),
		Findings: map[rollout.Pair][]rule.Finding{}, Reads: map[rollout.Pair][]string{}, Notes: f.notes,
	}
	parties := map[rollout.Party]aged{}
	var p rollout.Problem
	for _, s := range f.services {
		service := rollout.Service{Name: s.name, Keeps: s.keeps}
		enter := func(all []berth, age int) []string {
			var refs []string
			for _, b := range all {
				refs = append(refs, b.Ref)
				if _, there := parties[rollout.Party{Service: s.name, Revision: b.Ref}]; !there {
					parties[rollout.Party{Service: s.name, Revision: b.Ref}] = aged{b, age}
				}
			}
			return refs
		}
		service.Now, service.To, service.Via = enter(s.now, ageNow), enter(s.to, ageTo), enter(s.via, ageVia)
		for i, ref := range enter(s.sent, ageSent) {
			service.Sent = append(service.Sent, rollout.Sent{Revision: ref, Left: s.sent[i].left})
		}
		p.Services = append(p.Services, service)
		r.Services = append(r.Services, s.told())
	}
	p.Read = func(pair rollout.Pair) rollout.Answer {
		met := f.meet(parties[pair.Reader], parties[pair.Writer])
		for _, read := range met.Reads {
			if !slices.Contains(r.Reads[pair], read.Event) {
				r.Reads[pair] = append(r.Reads[pair], read.Event)
			}
		}
		r.Findings[pair] = met.Findings
		return rollout.Answer(compat.AnswerOf(met))
	}
	plan, err := rollout.Solve(p)
	r.Plan = plan
	if err == nil && plan.Verdict != rollout.Safe {
		f.together(r)
	}
	return r, err
}

// together notes that there is an order if the services may move that --only
// keeps still.
func (f *fleet) together(r *report.Rollout) {
	whole := &fleet{app: f.app, judged: f.judged, repos: f.repos, options: f.options, now: f.now}
	var held []string
	for _, s := range f.services {
		c := *s
		if len(c.held) > 0 {
			c.to, c.held = c.held, nil
			held = append(held, c.name)
		}
		whole.services = append(whole.services, &c)
	}
	if len(held) == 0 {
		return
	}
	all, err := whole.plan()
	if err == nil && all.Plan.Verdict == rollout.Safe {
		r.Notes = append(r.Notes, fmt.Sprintf("together with %s there is a safe order: leave --only out, or name them too", strings.Join(held, ", ")))
	}
}

// meet asks whether one revision can read another: a forward read if the writer
// is the newer of the two.
func (f *fleet) meet(reader, writer aged) *rule.Report {
	m := compat.Meeting{Reader: reader.Party, Writer: writer.Party, Direction: rule.Backward,
		Handled: f.ship(reader.Service).handled(), Received: f.ship(writer.Service).received()}
	if writer.follows(reader) {
		m.Direction = rule.Forward
	}
	met := f.meetings.Meet(m)
	if f.waived == nil {
		f.waived = map[*rule.Report]bool{}
	}
	if !f.waived[met] {
		f.waived[met] = true
		waive(met, f.set.Workspace, f.now)
	}
	return met
}

// handled are the events that any revision of a service reads.
func (s *ship) handled() []contract.Name {
	var names []contract.Name
	for _, b := range slices.Concat(s.sent, s.now, s.via, s.to) {
		if c := b.Consumer(); c != nil {
			for _, r := range c.Reads {
				names = append(names, r.Event.Value)
			}
		}
	}
	return distinct(names)
}

// received are the events that a service sends, or has sent.
func (s *ship) received() []contract.Name {
	var names []contract.Name
	for _, b := range slices.Concat(s.sent, s.now) {
		for _, e := range b.Sends() {
			names = append(names, e.Name.Value)
		}
	}
	return distinct(names)
}

func distinct(names []contract.Name) []contract.Name {
	slices.SortFunc(names, func(a, b contract.Name) int {
		return cmp.Or(cmp.Compare(a.Base, b.Base), cmp.Compare(a.Major, b.Major))
	})
	return slices.Compact(names)
}

// follows reports whether a revision is newer than another or as new: by their
// tags, which a rollback needs, else by what the rollout does with them.
func (a aged) follows(b aged) bool {
	if !a.released.IsZero() && !b.released.IsZero() {
		return !a.released.Before(b.released)
	}
	return a.age > b.age || a.age == ageTo
}

// told is a service as reports show it.
func (s *ship) told() report.RolloutService {
	t := report.RolloutService{Name: s.name, Keeps: s.keeps, Repo: s.repo.Name}
	runs := func(b berth, among []berth) bool {
		return slices.ContainsFunc(among, func(o berth) bool { return o.Ref == b.Ref })
	}
	add := func(all []berth, role func(b berth) report.RolloutRole) {
		for _, b := range all {
			if !slices.ContainsFunc(t.Revisions, func(v report.RolloutRevision) bool { return v.Ref == b.Ref }) {
				t.Revisions = append(t.Revisions, b.told(role(b)))
			}
		}
	}
	add(slices.DeleteFunc(slices.Clone(s.sent), func(b berth) bool { return runs(b, s.to) }), func(berth) report.RolloutRole { return report.WasSent })
	add(s.now, func(b berth) report.RolloutRole {
		if !s.moves() || runs(b, s.to) {
			return report.RunsNow
		}
		return report.RunsNoMore
	})
	add(s.via, func(berth) report.RolloutRole { return report.OnTheWay })
	add(s.to, func(berth) report.RolloutRole { return report.RunsThen })
	for _, b := range slices.Concat(s.to, s.now) {
		if t.Owner == "" {
			t.Owner = b.owner()
		}
		if t.SLO == nil {
			t.SLO = b.slo()
		}
	}
	return t
}

func (b berth) told(role report.RolloutRole) report.RolloutRevision {
	v := report.RolloutRevision{Ref: b.Ref, Commit: b.Set.Tree.Commit, Role: role, Left: b.left}
	for _, e := range b.Sends() {
		v.Sends = append(v.Sends, report.RolloutContract{Event: e.Name.Value.String(), Revision: e.Revision()})
	}
	if c := b.Consumer(); c != nil {
		for _, r := range c.Reads {
			read := report.RolloutContract{Event: r.Event.Value.String()}
			if e := b.Set.Event(r.Event.Value); e != nil {
				read.Revision = e.Revision()
			}
			v.ReadsFrom = append(v.ReadsFrom, read)
		}
	}
	return v
}

func (b berth) owner() string {
	if c := b.Consumer(); c != nil && c.Owner.Value != "" {
		return c.Owner.Value
	}
	for _, e := range b.Sends() {
		if e.Owner.Value != "" {
			return e.Owner.Value
		}
	}
	return ""
}

// slo are the promises of a consumer, for each event.
func (b berth) slo() []report.RolloutSLO {
	var all []report.RolloutSLO
	c := b.Consumer()
	if c == nil {
		return nil
	}
	for _, r := range c.Reads {
		all = append(all, report.RolloutSLO{
			Event: r.Event.Value.String(), OldestMessage: time.Duration(c.SLO.OldestMessage.Value),
			HandlingP95: time.Duration(c.SLO.HandlingP95.Value), RetryRatio: c.SLO.RetryRatio.Value,
		})
	}
	return all
}

func (f *fleet) recordFormat() func(io.Writer, *report.Rollout, report.Options) error {
	o := f.options
	again := "evcontract rollout --env " + report.ShellWord(o.env)
	add := func(flag string, values ...string) {
		for _, v := range values {
			again += " " + flag + " " + report.ShellWord(v)
		}
	}
	if o.store != "" {
		add("--store", o.store)
	}
	add("--only", o.only...)
	add("--to", o.to...)
	made := again
	if o.asOf != "" {
		made += " --as-of " + report.ShellWord(o.asOf)
	}
	return report.RolloutRecord{Command: made, Again: again, File: f.file, Deploy: f.set.Workspace.Deploy.Value, Owner: o.owner, Observe: o.observe}.Write
}
