// Package warehouse is a team elsewhere: its own module, its own release train.
// It reads OrderPaid.v1 from the shop, in JSON, and says ParcelPacked.v1, in
// Protobuf, with code that was generated from the contracts beside it.
package warehouse

import (
	"context"
	"database/sql"

	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/store/sqlite"

	"example.com/warehouse/events"
	parcelsv1 "example.com/warehouse/events/parcels/v1"
)

// Tables are the warehouse's own. Nothing in them is unique, so that a second
// effect of one event would show.
const Tables = `CREATE TABLE IF NOT EXISTS parcels (id TEXT NOT NULL, order_id TEXT NOT NULL, customer TEXT NOT NULL) STRICT;`

// Consumer packs a parcel for every order that was paid.
func Consumer() event.Consumer {
	return events.Warehouse[*sql.Tx]{OrderPaidV1: pack}.Consumer(sqlite.From)
}

// pack records the parcel, says so, and asks for the carrier: all of it with the
// event that caused it, in one transaction. The key is the order that the event
// names, so that whoever handles it again says the same fact.
func pack(ctx context.Context, tx *sql.Tx, e events.WarehouseOrderPaidV1) error {
	parcel := "parcel-" + e.OrderID
	if _, err := tx.ExecContext(ctx, `INSERT INTO parcels (id, order_id, customer) VALUES (?, ?, ?)`, parcel, e.OrderID, e.Customer.ID); err != nil {
		return err
	}
	if err := e.CarrierAPI(ctx, []byte(parcel)); err != nil {
		return err
	}
	_, err := events.PublishParcelPackedV1(ctx, sqlite.In(tx), events.NewParcelPackedV1Key(e.OrderID), events.ParcelPackedV1{
		ParcelID: parcel,
		Version:  1,
		Size:     parcelsv1.Size_SIZE_BOX,
	})
	return err
}
