package memory_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/evcontract/evcontract/broker/memory"
	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/delivery/deliverytest"
	"github.com/evcontract/evcontract/event"
)

func TestBroker(t *testing.T) {
	deliverytest.Broker(t, deliverytest.Features{Redelivery: 100 * time.Millisecond}, func(testing.TB) func(string) delivery.Broker {
		h := new(memory.Hub)
		return func(group string) delivery.Broker { return h.Broker(group) }
	})
}

func TestFaults(t *testing.T) {
	h := &memory.Hub{Faults: memory.Faults{Seed: 1, Duplicate: 0.2, Delay: time.Millisecond, DropAck: 0.2}}
	deliverytest.Broker(t, deliverytest.Features{Redelivery: time.Second}, func(testing.TB) func(string) delivery.Broker {
		h = &memory.Hub{Faults: h.Faults}
		return func(group string) delivery.Broker { return struct{ delivery.Broker }{h.Broker(group)} } // its backlog counts what it stored twice
	})
}

// A panic of the handling comes out where the caller can recover it, and the
// partition is free for the next one.
func TestPanic(t *testing.T) {
	b := new(memory.Hub).Broker("g")
	b.Publish(t.Context(), []event.Message{{Topic: "t", PartitionKey: "k"}})
	func() {
		defer func() {
			if v := recover(); v == nil || !strings.Contains(fmt.Sprint(v), "memory_test.go") {
				t.Errorf("recovered %v, want the panic with its stack", v)
			}
		}()
		_ = b.Consume(t.Context(), []string{"t"}, func(context.Context, []event.Message) error { panic("at the disco") })
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	got := 0
	err := b.Consume(ctx, []string{"t"}, func(_ context.Context, ms []event.Message) error {
		got += len(ms)
		cancel()
		return nil
	})
	if err != nil || got != 1 {
		t.Errorf("%d messages (%v), want 1", got, err)
	}
}
