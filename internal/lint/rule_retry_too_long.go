package lint

import (
	_ "embed"
	"fmt"
	"math"
	"time"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/retry-too-long.txtar
var retryTooLongExample string

var retryTooLong = &Rule{rule.Doc{
	ID: "retry-too-long", Kind: rule.Lint, Severity: rule.Error,
	Title:   "A consumer retries longer than events are kept",
	Why:     "When the last attempt fails, the event and those that waited behind it may be gone from the broker: nothing can be replayed.",
	Fix:     "Make fewer attempts, or shorter pauses, or keep events longer (window: {retention: …}).",
	Example: retryTooLongExample,
}, checkRetryTooLong}

func checkRetryTooLong(p *Pass) {
	kept := time.Duration(p.Set.Workspace.Window.Retention.Value)
	for _, c := range p.Set.Consumers {
		if total := retryTotal(c.Retry); kept > 0 && total > kept {
			p.consumer(c, c.Retry.Attempts.Pos, "consumer %s retries for up to %s and events are kept for %s: what it gives up on is gone", c.Name.Value, rounded(total), contract.Duration(kept))
		}
	}
}

// longest stands for more than a duration can say.
const longest = time.Duration(math.MaxInt64)

// retryTotal is the longest time between the first and the last attempt: pauses
// that double up to the maximum, each moved up by the whole jitter.
func retryTotal(r contract.Retry) time.Duration {
	pause, most := float64(r.Initial.Value), float64(r.Max.Value)
	total, left := 0.0, r.Attempts.Value-1
	for ; left > 0 && pause < most && pause > 0; left-- {
		total += pause
		pause *= 2
	}
	if left > 0 {
		total += float64(left) * most
	}
	total *= 1 + min(max(r.Jitter.Value, 0), 1)
	if total >= float64(longest) {
		return longest
	}
	return time.Duration(total)
}

// rounded is a duration as a person says it.
func rounded(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d == longest:
		return "centuries"
	case d >= 2*day:
		return fmt.Sprintf("%.1f days", float64(d)/float64(day))
	}
	return d.Round(time.Minute).String()
}
