package main

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// busy is a system that is in trouble everywhere, ten seconds after calm.
func busy() (before, now look, l limits) {
	c := delivery.ConsumerStatus{Consumer: "order-status", Owner: "team-fulfilment", Members: 12, Counts: delivery.Counts{Handled: 1_000_000, Failed: 10}}
	c.Counts.Slow[0] = 1_000_000
	before = look{
		at:       time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC),
		status:   delivery.Status{Outbox: delivery.OutboxStatus{Newest: 1000}, Consumers: []delivery.ConsumerStatus{c}},
		backlogs: map[string]delivery.Backlog{"order-status": {Topics: 1, Events: 40_000}},
	}
	c.Counts.Handled += 900
	c.Counts.Failed += 100
	c.Counts.Duplicates, c.Counts.Stale = 123_456, 12_345
	c.Counts.Slow[8] += 900
	c.ParkedLanes, c.ParkedEvents, c.OldestParked = 300, 12_000, 11*time.Minute+7*time.Second
	c.Open, c.Overdue, c.OldestCase = 120, 7, 30*time.Hour
	c.CasesByReason = map[delivery.Reason]int{delivery.ReasonExhausted: 100, delivery.ReasonGap: 20}
	now = look{
		at: before.at.Add(10 * time.Second),
		status: delivery.Status{
			Outbox:    delivery.OutboxStatus{Pending: 123_456, Oldest: 3 * time.Hour, Newest: 3000, Held: 3},
			Consumers: []delivery.ConsumerStatus{c},
			Effects:   []delivery.EffectStatus{{Name: "mail", States: map[delivery.CallState]int{delivery.CallUnknown: 2, delivery.CallConfirmed: 7}, Oldest: time.Hour}},
		},
		backlogs: map[string]delivery.Backlog{"order-status": {Topics: 1, Events: 45_000, Oldest: 25 * time.Minute}},
	}
	slo := contract.SLO{
		OldestMessage: source.At[contract.Duration]{Value: contract.Duration(time.Minute)},
		HandlingP95:   source.At[contract.Duration]{Value: contract.Duration(250 * time.Millisecond)},
		RetryRatio:    source.At[float64]{Value: 0.01},
	}
	l = limits{workspace: true, outbox: time.Minute, consumers: []*contract.Consumer{{Name: source.At[string]{Value: "order-status"}, SLO: slo}}}
	return before, now, l
}

func TestStatusJudges(t *testing.T) {
	before, now, l := busy()
	r := judge(before, now, l)
	c := r.Consumers[0]
	for _, figure := range []struct {
		name      string
		got, want float64
	}{
		{"published", r.Outbox.Published, 200},
		{"handled", c.Handled, 90},
		{"growth", c.Backlog.Growth, 500},
		{"oldest", c.oldest(), 25 * 60},
		{"P95 of the window", c.P95, 0.5},
		{"retry ratio of the window", c.RetryRatio, 0.1},
	} {
		if figure.got != figure.want {
			t.Errorf("%s is %v, want %v", figure.name, figure.got, figure.want)
		}
	}
	want := []string{
		"outbox: oldest_message is 3h, at most 1m",
		"order-status: oldest_message is 25m, at most 1m",
		"order-status: handling_p95 is 500ms, at most 250ms",
		"order-status: retry_ratio is 10%, at most 1%",
		"order-status: 7 in quarantine past the deadline",
	}
	if got := strings.Join(r.Broken, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("broken:\n%s", got)
	}
}

// TestStatusTotals: too few events between two looks say nothing of a share.
func TestStatusTotals(t *testing.T) {
	before, now, l := busy()
	was := &before.status.Consumers[0].Counts
	*was = now.status.Consumers[0].Counts
	was.Handled -= enough - 1
	r := judge(before, now, l)
	if c := r.Consumers[0]; c.Measured != "total" || c.P95 != 0.001 || c.RetryRatio > 0.001 {
		t.Errorf("measured %s, P95 %v, retry ratio %v", c.Measured, c.P95, c.RetryRatio)
	}
}

// TestStatusFits: a terminal of 80 columns is wide enough.
func TestStatusFits(t *testing.T) {
	var b strings.Builder
	if err := judge(busy()).text(&b); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	t.Log("\n" + b.String())
}
