package main

import (
	"fmt"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/internal/contract"
)

// statusReport is what status prints as json. Times are seconds.
type statusReport struct {
	Tool      string           `json:"tool"`
	Version   string           `json:"version"`
	At        time.Time        `json:"at"`
	Over      float64          `json:"over_seconds"` // between the two looks
	Workspace bool             `json:"workspace"`    // whether contracts were at hand
	Outbox    outboxReport     `json:"outbox"`
	Consumers []consumerReport `json:"consumers"`
	Effects   []effectReport   `json:"effects"`
	Broken    []string         `json:"broken"`
}

type outboxReport struct {
	Pending   int         `json:"pending"`
	Oldest    float64     `json:"oldest_seconds"`
	HeldLanes int         `json:"held_lanes"`
	Relays    int         `json:"relays"`
	Published float64     `json:"published_per_second"` // by services, into the outbox
	SLO       []objective `json:"slo"`
}

type consumerReport struct {
	Consumer string `json:"consumer"`
	Owner    string `json:"owner"`
	Revision string `json:"revision"`
	Build    string `json:"build"`
	Members  int    `json:"members"`
	Paused   bool   `json:"paused"`
	PausedBy string `json:"paused_by,omitempty"`

	Backlog *backlogReport `json:"backlog"` // null: its broker doesn't say
	Handled float64        `json:"handled_per_second"`

	Measured   string  `json:"measured"` // what the next two are of: window or total
	P95        float64 `json:"handling_p95_seconds"`
	RetryRatio float64 `json:"retry_ratio"`

	Total      totalsReport     `json:"total"`
	Parked     parkedReport     `json:"parked"`
	Quarantine quarantineReport `json:"quarantine"`
	SLO        []objective      `json:"slo"` // empty without a contract
}

type backlogReport struct {
	Events int     `json:"events"`
	More   bool    `json:"more"` // there are at least so many
	Oldest float64 `json:"oldest_seconds"`
	Growth float64 `json:"growth_per_second"` // produced minus consumed
}

type totalsReport struct {
	Handled     int `json:"handled"`
	Duplicates  int `json:"duplicates"`
	Stale       int `json:"stale"`
	Failed      int `json:"failed_attempts"`
	Quarantined int `json:"quarantined"`
}

type parkedReport struct {
	Lanes  int     `json:"lanes"`
	Events int     `json:"events"`
	Oldest float64 `json:"oldest_seconds"`
}

type quarantineReport struct {
	Open     int                     `json:"open"`
	Overdue  int                     `json:"overdue"`
	Oldest   float64                 `json:"oldest_seconds"`
	ByReason map[delivery.Reason]int `json:"by_reason"`
}

type effectReport struct {
	Name   string                     `json:"effect"`
	States map[delivery.CallState]int `json:"states"`
	Oldest float64                    `json:"oldest_unsettled_seconds"`
}

// objective is one promise and what is true of it.
type objective struct {
	Name   string  `json:"name"`
	Limit  float64 `json:"limit"`
	Value  float64 `json:"value"`
	Broken bool    `json:"broken"`
}

// limits are the promises that a status is held against.
type limits struct {
	workspace bool
	consumers []*contract.Consumer
	outbox    time.Duration
}

func (l limits) of(consumer string) (contract.SLO, bool) {
	for _, c := range l.consumers {
		if c.Name.Value == consumer {
			return c.SLO, true
		}
	}
	return contract.SLO{}, false
}

// enough is how many events must have been handled between two looks for a
// share of them to say something.
const enough = 100

// judge makes a report of two looks.
func judge(before, now look, l limits) *statusReport {
	over := max(now.at.Sub(before.at).Seconds(), 1e-3)
	r := &statusReport{
		Tool: "evcontract", Version: version(), At: now.at.UTC(), Over: over, Workspace: l.workspace,
		Consumers: []consumerReport{}, Effects: []effectReport{}, Broken: []string{},
	}
	r.outbox(before, now, l)
	for _, c := range now.status.Consumers {
		r.consumer(before, now, c, l)
	}
	for _, e := range now.status.Effects {
		r.Effects = append(r.Effects, effectReport{e.Name, e.States, e.Oldest.Seconds()})
	}
	return r
}

func (r *statusReport) outbox(before, now look, l limits) {
	o := now.status.Outbox
	r.Outbox = outboxReport{
		Pending: o.Pending, Oldest: o.Oldest.Seconds(), HeldLanes: o.Held, Relays: o.Relays,
		Published: max(0, float64(o.Newest-before.status.Outbox.Newest)) / r.Over, SLO: []objective{},
	}
	if l.workspace {
		r.Outbox.SLO = append(r.Outbox.SLO, r.hold("outbox", oldestMessage, l.outbox.Seconds(), o.Oldest.Seconds()))
	}
}

// The names of objectives, as a contract has them.
const (
	oldestMessage = "oldest_message"
	handlingP95   = "handling_p95"
	retryRatio    = "retry_ratio"
)

func (r *statusReport) consumer(before, now look, c delivery.ConsumerStatus, l limits) {
	counts, measured := c.Counts, "total"
	was := countsOf(before, c.Consumer)
	if w := minus(c.Counts, was); w.Handled >= enough {
		counts, measured = w, "window"
	}
	rep := consumerReport{
		Consumer: c.Consumer, Owner: c.Owner, Revision: c.Revision, Build: c.Build,
		Members: c.Members, Paused: c.Paused, PausedBy: c.PausedBy,
		Backlog:  r.backlog(before, now, c.Consumer),
		Handled:  max(0, float64(c.Counts.Handled-was.Handled)) / r.Over,
		Measured: measured, P95: counts.Percentile(0.95).Seconds(),
		RetryRatio: delivery.ConsumerStatus{Counts: counts}.RetryRatio(),
		Total: totalsReport{
			Handled: c.Counts.Handled, Duplicates: c.Counts.Duplicates, Stale: c.Counts.Stale,
			Failed: c.Counts.Failed, Quarantined: c.Counts.Quarantined,
		},
		Parked:     parkedReport{c.ParkedLanes, c.ParkedEvents, c.OldestParked.Seconds()},
		Quarantine: quarantineReport{c.Open, c.Overdue, c.OldestCase.Seconds(), c.CasesByReason},
		SLO:        []objective{},
	}
	if slo, ok := l.of(c.Consumer); ok {
		rep.SLO = append(rep.SLO,
			r.hold(c.Consumer, oldestMessage, time.Duration(slo.OldestMessage.Value).Seconds(), rep.oldest()),
			r.hold(c.Consumer, handlingP95, time.Duration(slo.HandlingP95.Value).Seconds(), rep.P95),
			r.hold(c.Consumer, retryRatio, slo.RetryRatio.Value, rep.RetryRatio))
	}
	if c.Overdue > 0 {
		r.Broken = append(r.Broken, fmt.Sprintf("%s: %d in quarantine past the deadline", c.Consumer, c.Overdue))
	}
	r.Consumers = append(r.Consumers, rep)
}

// oldest is the age of the oldest message that the consumer has not handled.
func (c *consumerReport) oldest() float64 {
	if c.Backlog == nil {
		return c.Parked.Oldest
	}
	return max(c.Backlog.Oldest, c.Parked.Oldest)
}

func (r *statusReport) backlog(before, now look, consumer string) *backlogReport {
	lag, ok := now.backlogs[consumer]
	if !ok {
		return nil
	}
	b := &backlogReport{Events: lag.Events, More: lag.Events >= delivery.BacklogMost, Oldest: lag.Oldest.Seconds()}
	if was, ok := before.backlogs[consumer]; ok {
		b.Growth = float64(lag.Events-was.Events) / r.Over
	}
	return b
}

// hold holds a value against its limit.
func (r *statusReport) hold(who, name string, limit, value float64) objective {
	o := objective{Name: name, Limit: limit, Value: value, Broken: value > limit}
	if o.Broken {
		r.Broken = append(r.Broken, fmt.Sprintf("%s: %s is %s, at most %s", who, name, o.shown(value), o.shown(limit)))
	}
	return o
}

func (o objective) shown(v float64) string {
	if o.Name == retryRatio {
		return percent(v)
	}
	return span(v)
}

func countsOf(l look, consumer string) delivery.Counts {
	for _, c := range l.status.Consumers {
		if c.Consumer == consumer {
			return c.Counts
		}
	}
	return delivery.Counts{}
}

// minus is what was counted since.
func minus(c, was delivery.Counts) delivery.Counts {
	c.Handled -= was.Handled
	c.Failed -= was.Failed
	for i, n := range was.Slow {
		c.Slow[i] -= n
	}
	return c
}
