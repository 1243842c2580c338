package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/examples/orders/events"
	"github.com/evcontract/evcontract/examples/orders/shop"
	"github.com/evcontract/evcontract/store/sqlite"
)

// shopMain is a small service for scripts, on one database:
//
//	shop books DB                 make a database that has nothing to do with events
//	shop pay DB ORDER...          pay for orders: each publishes an event
//	shop personal DB              publish an event of order o-9 with personal data, some of it in the wrong place
//	shop loyalty DB [BAD...]      handle events until nothing is left to do; bad orders cannot be handled
//	shop running DB [BAD...]      the same until interrupted
func shopMain(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := shopRun(ctx, args[0], args[1], args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "shop:", err)
		return 1
	}
	return 0
}

func shopRun(ctx context.Context, what, path string, orders []string) error {
	if what == "books" {
		return books(ctx, path)
	}
	db, err := sqlite.Open(path)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.DB().ExecContext(ctx, shop.ServiceTables+shop.ConsumerTables); err != nil {
		return err
	}
	switch what {
	case "pay":
		return shopPay(ctx, db, orders)
	case "personal":
		return shopPersonal(ctx, db)
	case "loyalty":
		return shopLoyalty(ctx, db, orders, true)
	case "running":
		return shopLoyalty(ctx, db, orders, false)
	}
	return fmt.Errorf("there is no %q", what)
}

func books(ctx context.Context, path string) (err error) {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.ExecContext(ctx, "CREATE TABLE books (title TEXT)")
	return err
}

func shopPay(ctx context.Context, db *sqlite.Store, orders []string) error {
	service := shop.Service{Store: db}
	for _, o := range orders {
		if err := service.Place(ctx, o, "c-"+o, 4990); err != nil {
			return err
		}
		if _, err := service.Pay(ctx, shop.Payment{ID: "pay-" + o, Order: o, Method: events.OrderPaidV1MethodCard}); err != nil {
			return err
		}
	}
	return nil
}

const personal = `{"event_id": "0b9f5e4e-1111-8222-8333-444455556666", "order_id": "o-9", "aggregate_version": 2, "payment_id": "pay-9",
	"occurred_at": "2026-11-01T12:00:00Z", "customer": {"id": "c-9", "email": "someone@example.com"},
	"amount": {"minor_units": 100, "currency": "EUR"}, "note": "call her at home"}`

func shopPersonal(ctx context.Context, db *sqlite.Store) error {
	key := event.NewKey("OrderPaid", "pay-9")
	return db.InTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := db.In(tx).Append(ctx, event.Draft{
			Event: "OrderPaid.v1", Source: "orders", Topic: "orders.events", ID: event.NewID("OrderPaid.v1", key), Key: key,
			Lane: event.Lane{Type: "order", ID: "o-9"}, Version: 2, PartitionKey: "o-9", ContentType: "application/json",
			Headers: map[string]string{"seller": "x\x1b[31m"}, Body: [32]byte{9}, Payload: []byte(personal),
		})
		return err
	})
}

func shopLoyalty(ctx context.Context, db *sqlite.Store, bad []string, once bool) error {
	consumer := events.Loyalty[*sql.Tx]{OrderPaidV1: func(ctx context.Context, tx *sql.Tx, e events.LoyaltyOrderPaidV1) error {
		if slices.Contains(bad, e.OrderID) {
			return event.Permanent(fmt.Errorf("no account of customer %s, someone@example.com", e.Customer.ID))
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO points (customer, order_id, points) VALUES (?, ?, 1)`, e.Customer.ID, e.OrderID)
		return err
	}}.Consumer(sqlite.From)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	broker := db.NewBroker(consumer.Name)
	if once {
		go func() {
			for (delivery.SystemClock{}).Sleep(ctx, 20*time.Millisecond) == nil {
				if lag, err := broker.Backlog(ctx); err == nil && lag.Topics > 0 && lag.Events == 0 {
					stop()
				}
			}
		}()
	}
	return delivery.Inbox{Store: db, Broker: broker, Build: "build-1"}.Run(ctx, consumer)
}

// eventually runs a command until it prints what a pattern says, for a while.
//
//	eventually PATTERN COMMAND [ARG...]
func eventually(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: eventually PATTERN COMMAND [ARG...]")
	}
	pattern := regexp.MustCompile("(?m)" + args[0])
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		err := ts.Exec(args[1], args[2:]...)
		if exit := (interface{ ExitCode() int })(nil); err != nil && !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		if pattern.MatchString(ts.ReadFile("stdout")) {
			return
		}
	}
	ts.Fatalf("%v never printed %s:\n%s%s", args[1:], args[0], ts.ReadFile("stdout"), ts.ReadFile("stderr"))
}

var planLine = regexp.MustCompile(`(?m)^plan (\S+)$`)

// caseNumber is the number of a case in the list.
var caseNumber = regexp.MustCompile(`(?m)^ *([0-9]+)  \S+ +order/`)

// planned runs a command and keeps the plan that it prints in a variable.
//
//	planned [-fails] COMMAND [ARG...]
func planned(variable string) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		fails := args[0] == "-fails"
		if fails {
			args = args[1:]
		}
		if err := ts.Exec(args[0], args[1:]...); (err != nil) != fails {
			ts.Fatalf("%v: %v\n%s", args, err, ts.ReadFile("stderr"))
		}
		plan := planLine.FindStringSubmatch(ts.ReadFile("stdout"))
		if plan == nil {
			ts.Fatalf("%v printed no plan:\n%s", args, ts.ReadFile("stdout"))
		}
		ts.Setenv(variable, plan[1])
	}
}
