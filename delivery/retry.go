package delivery

import (
	"math/rand/v2"
	"time"

	"github.com/evcontract/evcontract/event"
)

// withDefaults fills in what a policy leaves out.
func withDefaults(p event.Policy) event.Policy {
	p.Retry = retryDefaults(p.Retry)
	p.Quarantine.ResolveWithin = or(p.Quarantine.ResolveWithin, 24*time.Hour)
	p.Quarantine.Keep = or(p.Quarantine.Keep, 30*24*time.Hour)
	p.SLO.OldestMessage = or(p.SLO.OldestMessage, time.Minute)
	p.SLO.HandlingP95 = or(p.SLO.HandlingP95, 250*time.Millisecond)
	p.SLO.RetryRatio = or(p.SLO.RetryRatio, 0.01)
	p.Remember = or(p.Remember, 30*24*time.Hour)
	return p
}

func retryDefaults(r event.Retry) event.Retry {
	r.Attempts = or(r.Attempts, 8)
	r.Initial = or(r.Initial, time.Second)
	r.Max = or(r.Max, 5*time.Minute)
	r.Jitter = or(r.Jitter, 0.2)
	return r
}

// Longest is the most that anything waits at a time. Stores take a time that
// lies an hour further ahead for what a clock that was set back has left behind,
// and don't wait for it. A lease is never longer than half an hour.
const Longest = 12 * time.Hour

// Wait is the pause after the given failed attempt, counted from 1: Initial
// doubled each time, at most Max and Longest, moved by up to Jitter of itself so that many
// lanes that failed together don't come back together.
func Wait(r event.Retry, attempt int) time.Duration {
	r = retryDefaults(r)
	d := r.Initial
	for i := 1; i < attempt && d < r.Max; i++ {
		d *= 2
	}
	d = min(d, r.Max)
	if r.Jitter > 0 {
		d += time.Duration((rand.Float64()*2 - 1) * min(r.Jitter, 1) * float64(d))
	}
	return min(d, Longest)
}

// or is the value, or the default where the value is zero.
func or[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}

// atLeast is the value, or the least that makes sense where it is less; the
// default where it is zero. A loop that waits for nothing would never rest.
func atLeast[T int | time.Duration](v, least, def T) T {
	return max(or(v, def), least)
}
