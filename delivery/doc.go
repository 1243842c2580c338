// Package delivery carries events from a business transaction in one service to
// a business effect in another: outbox, relay, inbox, bounded retry, parking,
// quarantine, third-party calls. Transport is at least once; what is promised is
// one business effect per consumer and key, because the dedupe row, the version
// mark and the effect are committed in one transaction.
//
// # Publish
//
// A store package wraps the caller's own transaction, and generated code appends
// to it. The event is sent if, and only if, the transaction commits:
//
//	store, err := sqlite.Open("orders.db")
//	err = store.InTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
//		if _, err := tx.ExecContext(ctx, "UPDATE orders SET paid = 1 …"); err != nil {
//			return err
//		}
//		key := orders.NewOrderPaidV1Key(paymentID)
//		receipt, err := orders.PublishOrderPaidV1(ctx, sqlite.In(tx), key, payload)
//		return err // receipt.Duplicate: the key was published before
//	})
//
// A transaction that the caller began, as store.DB().BeginTx, does as well; InTx
// also commits producers that wait at the same time together, and wakes a relay.
//
// # Relay
//
// Any number run, in the service or beside it:
//
//	err := delivery.Relay{Store: store, Broker: broker}.Run(ctx)
//
// # Consume
//
// An inbox runs a generated consumer until its context ends. Handlers get the
// real transaction from the store package, and neither commit it nor roll it back:
//
//	consumer := orders.Loyalty[*sql.Tx]{OrderPaidV1: addPoints}.Consumer(sqlite.From)
//	err := delivery.Inbox{Store: store, Broker: store.NewBroker("loyalty")}.Run(ctx, consumer)
//
// An error is retried by the consumer's policy while its lane waits in the
// database and all others flow; event.Permanent goes to quarantine at once.
//
// # Call a third party
//
// A handler only records the call (Tx.Intend). Effects makes it afterwards under
// a key that stays the same, and asks before it sends again:
//
//	err := delivery.Effects{Store: store, Do: map[string]delivery.Effect{
//		"points-api": {Call: call, Reconcile: ask},
//	}}.Run(ctx)
//
// # Brokers
//
// broker/memory lives in one process; a store is a broker too (NewBroker), whose
// topics and cursors are rows of the database apart from the business tables.
//
// # Operate
//
// The OperatorStore part of a store pauses consumers, lists, discards and
// replays quarantined events and reads the figures of Status. Every loop tells
// its Observe field what it did. Nothing here logs a payload.
package delivery
