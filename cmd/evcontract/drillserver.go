package main

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/evcontract/evcontract/delivery/deliverytest"
	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/store/postgres"
)

// crashable is a database on a server that a drill may crash: one of its own.
func crashable(ctx context.Context) (*deliverytest.Database, error) {
	server, err := deliverytest.StartServer(ctx)
	if err != nil {
		return nil, err
	}
	settings := server.Source() + " application_name=" + schemaPrefix + "crash"
	db, err := postgresDrill("postgres:"+settings, settings)
	if err != nil {
		return nil, errors.Join(err, server.Stop())
	}
	closed := db.Close
	db.Close = func() error {
		_ = closed() // some of its connections died with the server
		return server.Stop()
	}
	db.Crash = server.Crash
	db.Lazily = func(ctx context.Context, f func(context.Context, event.Tx) error) error {
		conn, err := pgx.Connect(ctx, settings+" options='-c synchronous_commit=off'")
		if err != nil {
			return err
		}
		err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return f(ctx, postgres.In(tx)) })
		return errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
	}
	return db, nil
}
