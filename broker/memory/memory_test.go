package memory_test

import (
	"testing"
	"time"

	"github.com/evcontract/evcontract/broker/memory"
	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/delivery/deliverytest"
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
