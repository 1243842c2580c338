// Package shop is the business side of the worked example: an order service
// that marks orders paid, and three consumers of OrderPaid.v1. Every ledger here
// is without a unique constraint, so that a second effect would show.
package shop

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/examples/orders/events"
	"github.com/evcontract/evcontract/store/sqlite"
)

// ServiceTables are the order service's own.
const ServiceTables = `
CREATE TABLE IF NOT EXISTS orders (
	id       TEXT PRIMARY KEY,
	customer TEXT NOT NULL,
	minor    INTEGER NOT NULL,
	version  INTEGER NOT NULL,
	paid_by  TEXT
) STRICT;`

// ConsumerTables are those of the three consumers.
const ConsumerTables = `
CREATE TABLE IF NOT EXISTS points (customer TEXT NOT NULL, order_id TEXT NOT NULL, points INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS messages (customer TEXT NOT NULL, order_id TEXT NOT NULL, text TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS order_status (order_id TEXT PRIMARY KEY, version INTEGER NOT NULL, method TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS order_status_history (order_id TEXT NOT NULL, version INTEGER NOT NULL) STRICT;`

// Service is the order service.
type Service struct {
	Store *sqlite.Store
}

// Payment is one payment of an order.
type Payment struct {
	ID     string // as the payment provider names it: the idempotency key
	Order  string
	Method events.OrderPaidV1Method
}

// Place opens an order.
func (s Service) Place(ctx context.Context, id, customer string, minor int64) error {
	return s.Store.InTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO orders (id, customer, minor, version) VALUES (?, ?, ?, 1)`, id, customer, minor)
		return err
	})
}

// Pay marks an order paid and publishes OrderPaid.v1 in one transaction: both
// happen, or neither. A payment that was booked before changes nothing.
func (s Service) Pay(ctx context.Context, p Payment) (event.Receipt, error) {
	var receipt event.Receipt
	err := s.Store.InTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var customer string
		var minor, version int64
		row := tx.QueryRowContext(ctx, `UPDATE orders SET version = version + 1, paid_by = ? WHERE id = ? RETURNING customer, minor, version`, p.ID, p.Order)
		if err := row.Scan(&customer, &minor, &version); err != nil {
			return fmt.Errorf("order %s: %w", p.Order, err)
		}
		var err error
		receipt, err = events.PublishOrderPaidV1(ctx, sqlite.In(tx), events.NewOrderPaidV1Key(p.ID), events.OrderPaidV1{
			OrderID:          p.Order,
			AggregateVersion: version,
			OccurredAt:       time.Now().UTC(),
			Customer:         events.OrderPaidV1Customer{ID: customer},
			Amount:           events.OrderPaidV1Amount{MinorUnits: minor, Currency: "EUR"},
			Method:           &p.Method,
		})
		if err == nil && receipt.Duplicate {
			return errBooked // roll the update back: this payment was booked before
		}
		return err
	})
	if errors.Is(err, errBooked) {
		err = nil
	}
	return receipt, err
}

var errBooked = errors.New("payment was booked before")

// Loyalty adds a point for every euro. It adds, so each payment counts, whatever
// its order.
func Loyalty() event.Consumer {
	return events.Loyalty[*sql.Tx]{OrderPaidV1: addPoints}.Consumer(sqlite.From)
}

func addPoints(ctx context.Context, tx *sql.Tx, e events.LoyaltyOrderPaidV1) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO points (customer, order_id, points) VALUES (?, ?, ?)`,
		e.Customer.ID, e.OrderID, e.Amount.MinorUnits/100)
	return err
}

// Notification records a message to the customer.
func Notification() event.Consumer {
	return events.Notification[*sql.Tx]{OrderPaidV1: recordMessage}.Consumer(sqlite.From)
}

func recordMessage(ctx context.Context, tx *sql.Tx, e events.NotificationOrderPaidV1) error {
	text := fmt.Sprintf("We received %d.%02d %s for order %s.", e.Amount.MinorUnits/100, e.Amount.MinorUnits%100, e.Amount.Currency, e.OrderID)
	_, err := tx.ExecContext(ctx, `INSERT INTO messages (customer, order_id, text) VALUES (?, ?, ?)`, e.Customer.ID, e.OrderID, text)
	return err
}

// OrderStatus keeps the latest state of each order. It replaces, so an older
// version must never overwrite a newer one: its contract says order: latest.
func OrderStatus() event.Consumer {
	return events.OrderStatus[*sql.Tx]{OrderPaidV1: replaceStatus}.Consumer(sqlite.From)
}

func replaceStatus(ctx context.Context, tx *sql.Tx, e events.OrderStatusOrderPaidV1) error {
	method := "unknown"
	if e.Method != nil {
		method = string(*e.Method)
	}
	version := int64(e.Version())
	if _, err := tx.ExecContext(ctx, `INSERT INTO order_status_history (order_id, version) VALUES (?, ?)`, e.OrderID, version); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO order_status (order_id, version, method) VALUES (?, ?, ?)
		ON CONFLICT (order_id) DO UPDATE SET version = excluded.version, method = excluded.method`, e.OrderID, version, method)
	return err
}
