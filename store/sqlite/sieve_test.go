package sqlite

import (
	"fmt"
	"testing"

	"github.com/evcontract/evcontract/event"
)

// TestSieve: what was put in is there, and little else.
func TestSieve(t *testing.T) {
	s := sieve{least: sieveLeast}
	s.make(0)
	const consumers = 3
	key := func(n int) event.Key { return event.NewKey("OrderPaid", fmt.Sprint(n)) }
	for n := range s.room {
		s.add(int64(n%consumers), key(n))
	}
	wrong := 0
	for n := range s.room {
		if !s.has(int64(n%consumers), key(n)) {
			t.Fatalf("key %d is not there", n)
		}
		if s.has(int64(n%consumers)+1, key(n)) {
			wrong++
		}
		if s.has(int64(n%consumers), key(-1-n)) {
			wrong++
		}
	}
	if wrong > s.room/50 { // of twice as many
		t.Errorf("%d of %d keys are there that were not put in", wrong, 2*s.room)
	}
	t.Logf("%d of %d", wrong, 2*s.room)
	if s.make(sieveMost); len(s.blocks) != 0 {
		t.Error("there is no end to its room")
	}
}
