package deliverytest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
)

// operatorInFlight publishes events of two revisions and parks one of a third:
// each is told once, with the time of its newest event.
func operatorInFlight(t *testing.T, b *bench) {
	revisions, ok := b.store.(delivery.RevisionStore)
	if !ok {
		t.Skip("the store does not tell revisions")
	}
	told := func() string {
		list, err := revisions.InFlight(b.ctx)
		b.must(err)
		var words []string
		for _, f := range list {
			words = append(words, f.Event+"/"+f.Revision+" "+f.Newest.Format("15:04"))
		}
		slices.Sort(words)
		return strings.Join(words, ", ")
	}
	b.want("an empty database", told(), "")
	for i, revision := range []string{"aaaa", "aaaa", "bbbb"} {
		d := fact("o-1", uint64(i+1)).Draft("OrderPaid.v1")
		d.Revision = revision
		_, err := b.append(d)
		b.must(err)
		b.clock.Advance(time.Minute)
	}
	m := b.join("one")
	parked := message("o-2", 1)
	parked.Schema = delivery.SchemaOf("OrderPaid.v1", "cccc")
	foreign := message("o-2", 2)
	foreign.Schema = "https://schemas.example.com/order"
	b.work(m, delivery.Changes{
		Outcomes: []delivery.Changed{{Key: key("a"), Outcome: delivery.Parked}, {Key: key("b"), Outcome: delivery.Parked}},
		Block:    []delivery.Block{{Lane: lane("o-2"), Why: delivery.WhyRetry, For: time.Second}},
		Park: []delivery.Waiting{
			{Key: key("a"), Lane: lane("o-2"), Version: 1, Message: parked},
			{Key: key("b"), Lane: lane("o-2"), Version: 2, Message: foreign},
		},
	}, entry("a", "o-2"), entry("b", "o-2"))
	b.want("in flight", told(), "OrderPaid.v1/aaaa 08:01, OrderPaid.v1/bbbb 08:02, OrderPaid.v1/cccc 08:03")
}
