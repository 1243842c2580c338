package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/examples/orders/events"
	"github.com/evcontract/evcontract/examples/orders/shop"
)

// evidence is one line of the closing table: what a fault must lead to, and what
// the databases show.
type evidence struct {
	fault    string
	expected string
	shown    string
}

func (e evidence) ok() bool { return e.expected == e.shown }

// run is the second half of the demo under way.
type demoRun struct {
	*demoStores
	dir      string
	service  shop.Service
	evidence []evidence
}

// demoDelivery runs order → outbox → relay → consumers under four faults.
func (a *app) demoDelivery(ctx context.Context, dir string) error {
	a.heading("deliver", "order → outbox → relay → loyalty, notification, order-status, under four faults")
	stores, err := openDemo(dir)
	if err != nil {
		return err
	}
	defer stores.close()
	r := &demoRun{demoStores: stores, dir: dir, service: shop.Service{Store: stores.service}}
	if err := r.tables(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for _, fault := range []func(context.Context) error{r.relayKilled, r.consumerKilled, r.deliveredThrice, r.outOfOrder} {
		if err := fault(ctx); err != nil {
			return fmt.Errorf("demo: %w", err)
		}
	}
	return a.showEvidence(r.evidence)
}

func (r *demoRun) tables(ctx context.Context) error {
	_, err1 := r.demoStores.service.DB().ExecContext(ctx, shop.ServiceTables)
	_, err2 := r.consumers.DB().ExecContext(ctx, shop.ConsumerTables)
	return errors.Join(err1, err2)
}

// relayKilled kills the relay after it has sent and before it has marked.
func (r *demoRun) relayKilled(ctx context.Context) error {
	if err := r.pay(ctx, "o-1", "pay-1", events.OrderPaidV1MethodCard); err != nil {
		return err
	}
	if err := runChild(ctx, "relay", r.dir); err != nil {
		return err
	}
	if err := r.send(ctx, r.topics("relay")); err != nil {
		return err
	}
	if err := r.handle(ctx, demoConsumers()...); err != nil {
		return err
	}
	shown, err := r.show(ctx, []query{
		{r.broker.Reader(), "sent %d times", `SELECT count(*) FROM evc_topic`, nil},
		{r.demoStores.service.Reader(), "%d left in the outbox", `SELECT count(*) FROM evc_outbox`, nil},
		{r.consumers.Reader(), "points added %d time", `SELECT count(*) FROM points WHERE order_id = ?`, []any{"o-1"}},
		{r.consumers.Reader(), "message recorded %d time", `SELECT count(*) FROM messages WHERE order_id = ?`, []any{"o-1"}},
	})
	return r.prove("relay killed between send and mark", "sent 2 times, 0 left in the outbox, points added 1 time, message recorded 1 time", shown, err)
}

// consumerKilled kills a consumer after its transaction has committed and before
// the broker has heard of it.
func (r *demoRun) consumerKilled(ctx context.Context) error {
	if err := r.pay(ctx, "o-2", "pay-2", events.OrderPaidV1MethodTransfer); err != nil {
		return err
	}
	if err := r.send(ctx, r.topics("relay")); err != nil {
		return err
	}
	before, err := r.duplicates(ctx)
	if err != nil {
		return err
	}
	if err := runChild(ctx, "loyalty", r.dir); err != nil {
		return err
	}
	if err := r.handle(ctx, demoConsumers()...); err != nil {
		return err
	}
	after, err := r.duplicates(ctx)
	if err != nil {
		return err
	}
	shown, err := r.show(ctx, []query{
		{r.consumers.Reader(), "points added %d time", `SELECT count(*) FROM points WHERE order_id = ?`, []any{"o-2"}},
	})
	shown = fmt.Sprintf("delivered again, seen before: %d; %s", after-before, shown)
	return r.prove("consumer killed after commit, before acknowledgement", "delivered again, seen before: 1; points added 1 time", shown, err)
}

// deliveredThrice sends one event three times, the last time under another id,
// as a producer without a stable id would.
func (r *demoRun) deliveredThrice(ctx context.Context) error {
	if err := r.pay(ctx, "o-3", "pay-3", events.OrderPaidV1MethodWallet); err != nil {
		return err
	}
	held := &holding{}
	if err := r.send(ctx, held); err != nil {
		return err
	}
	again := held.messages[0]
	again.ID = "0b9f5e4e-1111-4222-8333-444455556666"
	if err := errors.Join(r.topics("relay").Publish(ctx, []event.Message{held.messages[0], held.messages[0], again})...); err != nil {
		return err
	}
	if err := r.handle(ctx, demoConsumers()...); err != nil {
		return err
	}
	shown, err := r.show(ctx, []query{
		{r.broker.Reader(), "in the topic %d times", `SELECT count(*) FROM evc_topic WHERE envelope LIKE ?`, []any{`%o-3%`}},
		{r.consumers.Reader(), "points added %d time", `SELECT count(*) FROM points WHERE order_id = ?`, []any{"o-3"}},
		{r.consumers.Reader(), "message recorded %d time", `SELECT count(*) FROM messages WHERE order_id = ?`, []any{"o-3"}},
	})
	return r.prove("one event delivered three times, once under another id", "in the topic 3 times, points added 1 time, message recorded 1 time", shown, err)
}

// outOfOrder delivers the second payment of an order before the first.
func (r *demoRun) outOfOrder(ctx context.Context) error {
	if err := r.pay(ctx, "o-4", "pay-4a", events.OrderPaidV1MethodCard); err != nil {
		return err
	}
	if _, err := r.service.Pay(ctx, shop.Payment{ID: "pay-4b", Order: "o-4", Method: events.OrderPaidV1MethodTransfer}); err != nil {
		return err
	}
	held := &holding{}
	if err := r.send(ctx, held); err != nil {
		return err
	}
	if len(held.messages) != 2 {
		return fmt.Errorf("the relay sent %d events, want 2", len(held.messages))
	}
	for _, m := range []event.Message{held.messages[1], held.messages[0]} {
		if err := errors.Join(r.topics("relay").Publish(ctx, []event.Message{m})...); err != nil {
			return err
		}
	}
	if err := r.handle(ctx, demoConsumers()...); err != nil {
		return err
	}
	shown, err := r.show(ctx, []query{
		{r.consumers.Reader(), "status is at version %d", `SELECT version FROM order_status WHERE order_id = ?`, []any{"o-4"}},
		{r.consumers.Reader(), "written %d time", `SELECT count(*) FROM order_status_history WHERE order_id = ?`, []any{"o-4"}},
		{r.consumers.Reader(), "points added %d times", `SELECT count(*) FROM points WHERE order_id = ?`, []any{"o-4"}},
	})
	return r.prove("two events of one order delivered in the wrong order", "status is at version 3, written 1 time, points added 2 times", shown, err)
}

func (r *demoRun) pay(ctx context.Context, order, payment string, method events.OrderPaidV1Method) error {
	if err := r.service.Place(ctx, order, "c-"+order, 4990); err != nil {
		return err
	}
	_, err := r.service.Pay(ctx, shop.Payment{ID: payment, Order: order, Method: method})
	return err
}

// holding is a broker that keeps what is sent to it.
type holding struct {
	delivery.Broker
	messages []event.Message
}

func (h *holding) Publish(_ context.Context, ms []event.Message) []error {
	h.messages = append(h.messages, ms...)
	return nil
}

// send runs a relay until the outbox is empty.
func (r *demoRun) send(ctx context.Context, to delivery.Broker) error {
	return r.until(ctx, []func(context.Context) error{r.relay(to).Run}, func() (bool, error) {
		left, err := count(ctx, query{db: r.demoStores.service.Reader(), sql: `SELECT count(*) FROM evc_outbox`})
		return left == 0, err
	})
}

// handle runs consumers until each has acknowledged everything in the topic.
func (r *demoRun) handle(ctx context.Context, consumers ...event.Consumer) error {
	var loops []func(context.Context) error
	for _, c := range consumers {
		inbox := r.inbox(c.Name)
		loops = append(loops, func(ctx context.Context) error { return inbox.Run(ctx, c) })
	}
	return r.until(ctx, loops, func() (bool, error) {
		done, err := count(ctx, query{db: r.broker.Reader(), sql: `SELECT count(*) FROM evc_cursor WHERE grp IN ('loyalty', 'notification', 'order-status') AND pos >= (SELECT max(pos) FROM evc_topic)`})
		return done == len(consumers), err
	})
}

// until runs loops until what they work for is true, and then stops them.
func (r *demoRun) until(ctx context.Context, loops []func(context.Context) error, done func() (bool, error)) error {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	errs := make([]error, len(loops))
	for i, loop := range loops {
		wg.Go(func() { errs[i] = loop(ctx) })
	}
	err := poll(ctx, done)
	cancel()
	wg.Wait()
	return errors.Join(append(errs, err)...)
}

func poll(ctx context.Context, done func() (bool, error)) error {
	for {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("it took too long: %w", ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (r *demoRun) duplicates(ctx context.Context) (int, error) {
	return count(ctx, query{db: r.consumers.Reader(), sql: `SELECT coalesce(sum(duplicates), 0) FROM evc_member m JOIN evc_consumer c ON c.id = m.consumer WHERE c.name = 'loyalty'`})
}

// query is one number that a database shows, and how it is told.
type query struct {
	db   *sql.DB
	text string
	sql  string
	args []any
}

func count(ctx context.Context, q query) (int, error) {
	var n int
	err := q.db.QueryRowContext(ctx, q.sql, q.args...).Scan(&n)
	return n, err
}

func (r *demoRun) show(ctx context.Context, queries []query) (string, error) {
	var parts []string
	for _, q := range queries {
		n, err := count(ctx, q)
		if err != nil {
			return "", err
		}
		parts = append(parts, fmt.Sprintf(q.text, n))
	}
	return strings.Join(parts, ", "), nil
}

func (r *demoRun) prove(fault, expected, shown string, err error) error {
	r.evidence = append(r.evidence, evidence{fault, expected, shown})
	return err
}

func (a *app) showEvidence(all []evidence) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	wrong := 0
	for _, e := range all {
		mark := "✓"
		if !e.ok() {
			mark = "✗"
			wrong++
		}
		fmt.Fprintf(w, "%s\t%s\n\texpected\t%s\n\tshown\t%s\n", mark, e.fault, e.expected, e.shown)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if wrong > 0 {
		fmt.Fprintf(a.out, "\n%d of %d faults left evidence that is not as expected\n", wrong, len(all))
		return errFindings
	}
	fmt.Fprintf(a.out, "\n%d faults, one business effect per key each time\n", len(all))
	return nil
}
