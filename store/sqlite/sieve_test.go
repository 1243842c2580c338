package sqlite

import (
	"fmt"
	"testing"

	"github.com/evcontract/evcontract/event"
)

// TestSieve: what was put in is there, and little else.
func TestSieve(t *testing.T) {
	s := sieve{least: 1 << 10}
	s.begin(0)
	const consumers, keys = 3, 60_000
	key := func(n int) event.Key { return event.NewKey("OrderPaid", fmt.Sprint(n)) }
	for n := range keys {
		s.add(int64(n%consumers), key(n))
	}
	wrong := 0
	for n := range keys {
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
	if wrong > keys/50 { // of twice as many
		t.Errorf("%d of %d keys are there that were not put in", wrong, 2*keys)
	}
	t.Logf("%d of %d in %d layers", wrong, 2*keys, len(s.layers))
}

// TestSieveEnds: there is an end to its room, and then nothing is in it.
func TestSieveEnds(t *testing.T) {
	s := sieve{least: sieveMost / 4}
	if s.begin(sieveMost); len(s.layers) != 0 {
		t.Error("begun with more than there is room for")
	}
	s.begin(0)
	s.layers[0].held = s.layers[0].room
	s.add(1, event.NewKey("OrderPaid", "1"))
	if len(s.layers) != 0 {
		t.Error("it goes on growing")
	}
	s.add(1, event.NewKey("OrderPaid", "2"))
}
