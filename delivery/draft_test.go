package delivery_test

import (
	"strings"
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

// TestCheckDraft: what some database, broker or reader could not take is refused
// before the business transaction commits.
func TestCheckDraft(t *testing.T) {
	year := func(y int) time.Time { return time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC) }
	for _, tt := range []struct {
		name  string
		spoil func(*event.Draft)
		says  string // empty: it is taken
	}{
		{"nothing", func(*event.Draft) {}, ""},
		{"a header with a zero byte", func(d *event.Draft) { d.Headers = map[string]string{"a": "\x00"} }, ""},
		{"the first year", func(d *event.Draft) { d.Time = year(0) }, ""},
		{"the last year", func(d *event.Draft) { d.Time = year(9999) }, ""},
		{"the longest lane", func(d *event.Draft) { d.Lane.ID = strings.Repeat("x", delivery.LongestLane-len(d.Lane.Type)) }, ""},
		{"the last version", func(d *event.Draft) { d.Version = 1<<63 - 1 }, ""},
		{"a longer lane", func(d *event.Draft) { d.Lane.ID = strings.Repeat("x", delivery.LongestLane) }, "too long"},
		{"a zero byte in the lane", func(d *event.Draft) { d.Lane.ID = "a\x00" }, "zero byte"},
		{"a lane type that is not UTF-8", func(d *event.Draft) { d.Lane.Type = "\xff" }, "not UTF-8"},
		{"a zero byte in the partition key", func(d *event.Draft) { d.PartitionKey = "a\x00" }, "zero byte"},
		{"a source that is not UTF-8", func(d *event.Draft) { d.Source = "\xff" }, "not UTF-8"},
		{"a header that is not UTF-8", func(d *event.Draft) { d.Headers = map[string]string{"a": "\xff"} }, `header "a"`},
		{"a year before", func(d *event.Draft) { d.Time = year(-1) }, "year -1"},
		{"a year behind", func(d *event.Draft) { d.Time = year(10000) }, "year 10000"},
		{"a version behind", func(d *event.Draft) { d.Version = 1 << 63 }, "version 9223372036854775808"},
		{"no version of an aggregate that is none", func(d *event.Draft) { d.Lane = event.Lane{} }, "without an aggregate"},
	} {
		d := event.Draft{
			Event: "OrderPaid.v1", Topic: "orders", Key: event.Key{1}, ID: event.ID{1},
			Lane: event.Lane{Type: "order", ID: "o-1"}, Version: 1, Time: year(2026),
		}
		tt.spoil(&d)
		switch err := delivery.CheckDraft(d); {
		case tt.says == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says)):
			t.Errorf("%s: got %v, want one that says %q", tt.name, err, tt.says)
		}
	}
}

// TestBucketOf: whatever time arrives, its day is one that a store can hold.
func TestBucketOf(t *testing.T) {
	for at, want := range map[int64]int{0: 0, 86400: 1, -86400: -1, 1 << 60: delivery.Forever - 1, -1 << 60: -delivery.Forever} {
		if got := delivery.BucketOf(event.Identity{Time: time.Unix(at, 0)}, event.Message{}); got != want {
			t.Errorf("%d s: bucket %d, want %d", at, got, want)
		}
	}
}
