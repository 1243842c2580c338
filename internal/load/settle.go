package load

import (
	"time"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// settle fills what a workspace leaves out. A value that nobody wrote keeps its
// zero place, so that a rule can tell it from one that was written.
func settle(w *contract.Workspace) {
	fill(&w.Contracts, "contracts")
	fill(&w.Compatibility, contract.Full)
	fill(&w.Writers, contract.ClosedWriters)
	fill(&w.Formats, contract.Annotate)
	fill(&w.Window.Retention, days(7))
	fill(&w.Window.Rollback, days(3))
	d := &w.Defaults
	fill(&d.Retry.Attempts, 8)
	fill(&d.Retry.Initial, contract.Duration(time.Second))
	fill(&d.Retry.Max, contract.Duration(5*time.Minute))
	fill(&d.Retry.Jitter, 0.2)
	fill(&d.Quarantine.ResolveWithin, days(1))
	fill(&d.Quarantine.Keep, days(30))
	fill(&d.SLO.OldestMessage, contract.Duration(time.Minute))
	fill(&d.SLO.HandlingP95, contract.Duration(250*time.Millisecond))
	fill(&d.SLO.RetryRatio, 0.01)
	fill(&d.Remember, days(30))
	if len(w.ProtoPaths) == 0 {
		w.ProtoPaths = []source.At[string]{{Value: w.Contracts.Value}}
	}
}

func days(n int) contract.Duration { return contract.Duration(time.Duration(n) * 24 * time.Hour) }

func fill[T any](at *source.At[T], def T) {
	if at.Pos.IsZero() {
		at.Value = def
	}
}
