package deliverytest

import (
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

// stamped is a fact of the second topic, with what came before it there.
func (f Fact) stamped(previous uint64) event.Message {
	f.Event = Shipped
	return f.Message(previous)
}

// contiguousTopics has a lane on two topics, between which no order is kept:
// what comes late on one is no older step of the other, and each has its gaps.
func contiguousTopics(t *testing.T, w *World) {
	w.Ships = true
	i := w.start(t, delivery.Inbox{GapWithin: time.Hour}, w.Consumer(Audit))
	i.deliver(fact("o", 2).stamped(0), fact("o", 4).stamped(2))
	i.deliver(fact("o", 1).Message(0))
	i.want("applied", i.versions(Audit), []int64{2, 4, 1})
	i.deliver(fact("o", 5).Message(3), fact("o", 6).stamped(4))
	i.want("a gap of one topic holds the lane", i.versions(Audit), []int64{2, 4, 1})
	i.deliver(fact("o", 3).Message(1))
	i.eventually("applied", []int64{2, 4, 1, 3, 5, 6}, func() any { return i.versions(Audit) })
}

// contiguousLate discards an event whose predecessor is missing, which then
// comes after all.
func contiguousLate(t *testing.T, w *World) {
	i := w.start(t, delivery.Inbox{GapWithin: 50 * time.Millisecond}, w.Consumer(Audit))
	i.deliver(fact("o", 1).Message(0), fact("o", 3).Message(2))
	i.eventually("gaps", 1, func() any { return len(i.cases(delivery.ReasonGap)) })
	if err := w.DB.Store.Discard(t.Context(), []int64{i.cases(delivery.ReasonGap)[0].ID}, "me", "never mind"); err != nil {
		t.Fatal(err)
	}
	i.deliver(fact("o", 4).Message(3))
	i.eventually("applied", []int64{1, 4}, func() any { return i.versions(Audit) })
	i.deliver(fact("o", 2).Message(1), fact("o", 5).Message(4))
	i.want("the lane goes on", i.versions(Audit), []int64{1, 4, 5})
	i.want("what was left behind", i.outcome(fact("o", 2)), delivery.Quarantined)
	late := i.cases(delivery.ReasonLate)
	i.want("cases", []any{len(late), late[0].Version, late[0].Holds}, []any{1, 2, false})
}

// contiguousBehindGap has a lane whose mark reaches the version that waits for a
// gap, by the other event of that version: what comes behind still waits.
func contiguousBehindGap(t *testing.T, w *World) {
	i := w.start(t, delivery.Inbox{GapWithin: time.Hour}, w.Consumer(Audit))
	i.deliver(
		fact("o", 1).Message(0), fact("o", 3).Message(2), // 2 is missing
		fact("o", 2).Message(1), shipped(fact("o", 3), 2), fact("o", 4).Message(3), // the mark is at 3, and 3 still waits
	)
	i.eventually("applied", []int64{1, 2, 3, 4}, func() any { return i.versions(Audit) })
}

// contiguousCases has two cases in a lane and something between them.
func contiguousCases(t *testing.T, w *World) {
	i := w.start(t, delivery.Inbox{GapWithin: 50 * time.Millisecond}, w.Consumer(Audit))
	two, four := fact("o", 2), fact("o", 4)
	two.Fault, four.Fault = "permanent", "permanent"
	i.deliver(fact("o", 1).Message(0), four.Message(3))
	i.eventually("gaps", 1, func() any { return len(i.cases(delivery.ReasonGap)) })
	i.deliver(two.Message(1), fact("o", 3).Message(2), fact("o", 5).Message(4), fact("o", 6).Message(5))
	i.want("applied", i.versions(Audit), []int64{1})
	open := i.cases("")
	i.want("cases", []any{len(open), open[0].Version, open[1].Version}, []any{2, 4, 2})
	discard := func(id int64) {
		if err := w.DB.Store.Discard(t.Context(), []int64{id}, "me", "known"); err != nil {
			t.Fatal(err)
		}
	}
	discard(open[1].ID)
	i.eventually("between the cases", []int64{1, 3}, func() any { return i.versions(Audit) })
	i.eventually("lanes that are due", 0, func() any {
		return must(w.DB.Count(t.Context(), "SELECT count(*) FROM evc_block WHERE wake_at IS NOT NULL"))
	})
	i.want("nothing else is quarantined", len(i.cases("")), 2)
	discard(open[0].ID)
	i.eventually("behind both", []int64{1, 3, 5, 6}, func() any { return i.versions(Audit) })
}
