package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/examples/orders/shop"
	"github.com/evcontract/evcontract/store/sqlite"
)

// demoLease is short, so that the demo need not wait for the leases of the
// processes that it kills.
const demoLease = 400 * time.Millisecond

// demoStores are the three databases: of the order service, of the broker, and
// of the consumers.
type demoStores struct {
	service, broker, consumers *sqlite.Store
}

func openDemo(dir string) (*demoStores, error) {
	s := &demoStores{}
	for name, store := range map[string]**sqlite.Store{"service": &s.service, "broker": &s.broker, "consumers": &s.consumers} {
		opened, err := sqlite.Open(filepath.Join(dir, name+".db"))
		if err != nil {
			s.close()
			return nil, err
		}
		*store = opened
	}
	return s, nil
}

func (s *demoStores) close() {
	for _, store := range []*sqlite.Store{s.service, s.broker, s.consumers} {
		if store != nil {
			store.Close()
		}
	}
}

// topics is the broker as a group of consumers sees it.
func (s *demoStores) topics(group string) *sqlite.Broker {
	b := s.broker.NewBroker(group)
	b.Lease, b.Poll, b.Backoff = demoLease, 5*time.Millisecond, 20*time.Millisecond
	return b
}

func (s *demoStores) relay(to delivery.Broker) delivery.Relay {
	return delivery.Relay{Store: s.service, Broker: to, Lease: demoLease, Poll: 10 * time.Millisecond}
}

func (s *demoStores) inbox(group string) delivery.Inbox {
	return delivery.Inbox{Store: s.consumers, Broker: s.topics(group), Poll: 10 * time.Millisecond}
}

// demoConsumers are the three of the example.
func demoConsumers() []event.Consumer {
	return []event.Consumer{shop.Loyalty(), shop.Notification(), shop.OrderStatus()}
}

// demoChild is a process that kills itself where it hurts most.
func demoChild(ctx context.Context, part, dir string) error {
	stores, err := openDemo(dir)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	switch part {
	case "relay":
		relay := stores.relay(stores.topics("relay"))
		relay.Step = killAt(delivery.RelayPublished)
		err = relay.Run(ctx)
	case "loyalty":
		inbox := stores.inbox("loyalty")
		inbox.Step = killAt(delivery.InboxCommitted)
		err = inbox.Run(ctx, shop.Loyalty())
	default:
		return fmt.Errorf("demo has no part %q", part)
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("demo: %s was not killed", part)
}

// killAt sends SIGKILL to this process when a loop reaches a step: no deferred
// call runs, as when the machine stops.
func killAt(at delivery.Step) func(delivery.Step) {
	return func(s delivery.Step) {
		if s != at {
			return
		}
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Kill() // if it fails, the demo sees that the child lives on
		}
		select {} // the signal is on its way
	}
}

// runChild runs a part as a process of its own, and makes sure that it was
// killed and did not end by itself.
func runChild(ctx context.Context, part, dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, self, "demo", "--child", part, "--dir", dir).CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return fmt.Errorf("demo: the %s process should have been killed, and ended by itself: %s", part, out)
	case !errors.As(err, &exit) || exit.Exited():
		return fmt.Errorf("demo: the %s process should have been killed: %w: %s", part, err, out)
	}
	return nil
}
