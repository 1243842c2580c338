package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/evcontract/evcontract/delivery"
)

// text prints a report for a person, within 80 columns where names are short.
func (r *statusReport) text(w io.Writer) error {
	out := bufio.NewWriter(w)
	r.outboxText(out)
	if len(r.Consumers) == 0 {
		fmt.Fprintln(out, "\nno inbox has ever joined this database: nobody handles events here")
	}
	width := len("CONSUMER")
	for _, c := range r.Consumers {
		width = max(width, len(c.Consumer))
	}
	for i, c := range r.Consumers {
		if i == 0 {
			fmt.Fprintf(out, "\n%-*s  %-10s %8s %9s %7s %7s %6s %6s\n", width, "CONSUMER", "STATE", "BACKLOG", "GROWTH", "OLDEST", "DONE/S", "P95", "RETRY")
		}
		c.text(out, width)
	}
	for _, e := range r.Effects {
		e.text(out)
	}
	r.verdict(out)
	return out.Flush()
}

func (r *statusReport) outboxText(out *bufio.Writer) {
	o := r.Outbox
	fmt.Fprintf(out, "outbox  %s", plural(o.Pending, "event waits", "events wait"))
	if o.Pending > 0 {
		fmt.Fprintf(out, ", the oldest for %s", span(o.Oldest))
	}
	fmt.Fprintf(out, " · %s/s published · %s\n", rate(o.Published), plural(o.Relays, "relay", "relays"))
	if o.HeldLanes > 0 {
		fmt.Fprintf(out, "        %s: the broker refused their first event\n", plural(o.HeldLanes, "lane is held", "lanes are held"))
	}
	if o.Pending > 0 && o.Relays == 0 {
		fmt.Fprintln(out, "        no relay is running: start one in the service, or evcontract relay")
	}
}

func (c *consumerReport) text(out *bufio.Writer, width int) {
	backlog, growth := "?", "?"
	if b := c.Backlog; b != nil {
		backlog, growth = fmt.Sprint(b.Events), rate(b.Growth)+"/s"
		if b.More {
			backlog += "+"
		}
		if b.Growth > 0 {
			growth = "+" + growth
		}
	}
	fmt.Fprintf(out, "%-*s  %-10s %8s %9s %7s %7s %6s %6s\n", width, c.Consumer, c.state(),
		backlog, growth, span(c.oldest()), rate(c.Handled), span(c.P95), percent(c.RetryRatio))
	fmt.Fprintf(out, "  handled %d · dedupe hits %d · stale skips %d\n", c.Total.Handled, c.Total.Duplicates, c.Total.Stale)
	if c.Parked.Lanes > 0 {
		fmt.Fprintf(out, "  parked %s in %s, the oldest for %s\n", plural(c.Parked.Events, "event", "events"),
			plural(c.Parked.Lanes, "lane", "lanes"), span(c.Parked.Oldest))
	}
	if q := c.Quarantine; q.Open > 0 {
		fmt.Fprintf(out, "  quarantine %d open, %d overdue, the oldest for %s · owner %s\n", q.Open, q.Overdue, span(q.Oldest), c.Owner)
		fmt.Fprintf(out, "  quarantined as %s\n", reasons(q.ByReason))
	}
	if c.Paused {
		fmt.Fprintf(out, "  paused by %s\n", c.PausedBy)
	}
	if len(c.SLO) == 0 {
		return
	}
	parts := make([]string, len(c.SLO))
	for i, o := range c.SLO {
		mark := "✓"
		if o.Broken {
			mark = "✗"
		}
		parts[i] = fmt.Sprintf("%s %s %s of %s", mark, objectiveWords[o.Name], o.shown(o.Value), o.shown(o.Limit))
	}
	fmt.Fprintf(out, "  %s\n", strings.Join(parts, "  "))
}

var objectiveWords = map[string]string{oldestMessage: "oldest message", handlingP95: "P95", retryRatio: "retry ratio"}

func (c *consumerReport) state() string {
	switch {
	case c.Paused:
		return "paused"
	case c.Members == 0:
		return "none seen"
	}
	return fmt.Sprintf("%d seen", c.Members)
}

func (e *effectReport) text(out *bufio.Writer) {
	var parts []string
	for _, state := range []delivery.CallState{delivery.CallPending, delivery.CallSent, delivery.CallUnknown, delivery.CallConfirmed, delivery.CallFailed} {
		if n := e.States[state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	fmt.Fprintf(out, "\neffect %s: %s", e.Name, strings.Join(parts, ", "))
	if e.Oldest > 0 {
		fmt.Fprintf(out, "; the oldest unsettled for %s", span(e.Oldest))
	}
	fmt.Fprintln(out)
}

func (r *statusReport) verdict(out *bufio.Writer) {
	fmt.Fprintln(out)
	for _, b := range r.Broken {
		fmt.Fprintln(out, "✗", b)
	}
	var without []string
	for _, c := range r.Consumers {
		if len(c.SLO) == 0 {
			without = append(without, c.Consumer)
		}
	}
	switch {
	case !r.Workspace:
		fmt.Fprintln(out, "no workspace here: only deadlines of the quarantine are judged (--workspace FOLDER)")
	case len(without) > 0:
		fmt.Fprintf(out, "no contract here of %s: no slo to hold against\n", strings.Join(without, ", "))
	case len(r.Broken) == 0:
		fmt.Fprintln(out, "every slo holds")
	}
}

func reasons(by map[delivery.Reason]int) string {
	var parts []string
	for _, reason := range slices.Sorted(maps.Keys(by)) {
		parts = append(parts, fmt.Sprintf("%d %s", by[reason], reason))
	}
	return strings.Join(parts, ", ")
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// rate is a number a second, with a decimal where it is small.
func rate(perSecond float64) string {
	if a := max(perSecond, -perSecond); a == 0 || a >= 10 {
		return fmt.Sprintf("%.0f", perSecond)
	}
	return fmt.Sprintf("%.1f", perSecond)
}

func percent(ratio float64) string {
	if ratio == 0 || ratio >= 0.1 {
		return fmt.Sprintf("%.0f%%", 100*ratio)
	}
	return fmt.Sprintf("%.2g%%", 100*ratio)
}

// span is a time in its largest units: 10ms, 2.5s, 4m10s, 26h, 3d.
func span(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < 5*time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < time.Second:
		return d.Round(time.Millisecond / 2).String()
	case d < 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d < time.Minute:
		return d.Round(time.Second).String()
	case d < time.Hour:
		return units(d, time.Minute, "m", time.Second, "s")
	case d < 48*time.Hour:
		return units(d, time.Hour, "h", time.Minute, "m")
	}
	return units(d, 24*time.Hour, "d", time.Hour, "h")
}

func units(d, large time.Duration, first string, small time.Duration, second string) string {
	text := fmt.Sprintf("%d%s", d/large, first)
	if rest := d % large / small; rest > 0 {
		text += fmt.Sprintf("%d%s", rest, second)
	}
	return text
}
