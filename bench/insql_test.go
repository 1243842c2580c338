package main

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver "pgx"

	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/store/postgres"
)

// database/sql's driver of pgx needs modules that the product doesn't have, so
// InSQL is tried here.
func TestInSQL(t *testing.T) {
	dsn := os.Getenv("EVCONTRACT_POSTGRES")
	if dsn == "" {
		t.Skip("EVCONTRACT_POSTGRES is not set: it holds the DSN of a PostgreSQL database")
	}
	schema := fmt.Sprintf("evc_insql_%d_%d", os.Getpid(), time.Now().UnixNano())
	dsn = with(dsn, "search_path="+schema)
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // the test is over
	if _, err := db.Exec("CREATE SCHEMA " + schema); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = db.Exec("DROP SCHEMA " + schema + " CASCADE") }() // the test is over
	s, err := postgres.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }() // the test is over
	d := draft()
	reused := d
	reused.Body[0]++
	for i, c := range []struct {
		draft     event.Draft
		duplicate bool
		err       error
	}{{d, false, nil}, {d, true, nil}, {reused, false, event.ErrKeyReused}} {
		tx, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		key := event.EffectKey{byte(i + 1)}
		err = postgres.InSQL(tx).Intend(t.Context(), event.Effect{Key: key, Name: "mail", Consumer: "notify", Event: d.Key})
		if err != nil {
			t.Fatal(err)
		}
		r, err := postgres.InSQL(tx).Append(t.Context(), c.draft)
		if !errors.Is(err, c.err) || err == nil && r[0].Duplicate != c.duplicate {
			t.Errorf("append %d: %v, %v", i, r, err)
		}
		if err == nil {
			err = tx.Commit()
		} else {
			err = tx.Rollback()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
