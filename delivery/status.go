package delivery

import "time"

// Status is the running system as its database knows it.
type Status struct {
	Outbox    OutboxStatus
	Consumers []ConsumerStatus
	Effects   []EffectStatus
}

// OutboxStatus is what waits to be sent.
type OutboxStatus struct {
	Pending int           // rows
	Oldest  time.Duration // age of the oldest
	Held    int           // lanes whose head could not be published
	Relays  int           // with a lease; the loops of one are one
	Newest  int64         // the sequence of the newest event: what it grows by was published
}

// ConsumerStatus is one consumer. Totals count from the first member on.
type ConsumerStatus struct {
	Consumer string
	Owner    string
	Revision string // of the member that joined last
	Build    string
	Members  int // seen within the last minute, and not stopped since
	Paused   bool
	PausedBy string

	Counts Counts
	P95    time.Duration // of handling, as an upper bound of its bucket

	ParkedLanes  int
	ParkedEvents int
	OldestParked time.Duration

	Open          int // cases
	Overdue       int
	OldestCase    time.Duration
	CasesByReason map[Reason]int
}

// EffectStatus counts the calls of one effect by state.
type EffectStatus struct {
	Name   string
	States map[CallState]int
	Oldest time.Duration // of those that are not settled
}

// RetryRatio is failed attempts to all attempts.
func (s ConsumerStatus) RetryRatio() float64 {
	all := s.Counts.Handled + s.Counts.Failed
	if all == 0 {
		return 0
	}
	return float64(s.Counts.Failed) / float64(all)
}

// Percentile is the upper bound of the bucket that the given share of handling
// times stays within; the last bucket answers twice the last bound.
func (c Counts) Percentile(share float64) time.Duration {
	total := 0
	for _, n := range c.Slow {
		total += n
	}
	if total == 0 {
		return 0
	}
	need, have := int(share*float64(total)+0.999999), 0
	for i, n := range c.Slow {
		if have += n; have >= need && i < len(SlowBounds) {
			return SlowBounds[i]
		}
	}
	return 2 * SlowBounds[len(SlowBounds)-1]
}

// Add adds other counts to these.
func (c *Counts) Add(o Counts) {
	c.Handled += o.Handled
	c.Duplicates += o.Duplicates
	c.Stale += o.Stale
	c.Parked += o.Parked
	c.Failed += o.Failed
	c.Quarantined += o.Quarantined
	for i, n := range o.Slow {
		c.Slow[i] += n
	}
}

// slot counts one handling time.
func (c *Counts) slot(d time.Duration) {
	for i, bound := range SlowBounds {
		if d <= bound {
			c.Slow[i]++
			return
		}
	}
	c.Slow[len(SlowBounds)]++
}
