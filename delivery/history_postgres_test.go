package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/evcontract/evcontract/delivery/deliverytest"
	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/store/postgres"
)

// historiesOnPostgres live in a schema of their own.
func historiesOnPostgres(t *testing.T) *historyWorld {
	const variable = "EVCONTRACT_POSTGRES"
	source := os.Getenv(variable)
	if source == "" {
		t.Skipf("%s is not set: it holds the DSN of a PostgreSQL database in which tests may make schemas", variable)
	}
	schema := fmt.Sprintf("evc_test_delivery_%d_%d", os.Getpid(), time.Now().UnixNano())
	source = within(t, source, schema)
	conn, err := pgx.Connect(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "CREATE SCHEMA "+schema); err != nil {
		t.Fatal(err)
	}
	s, err := postgres.Open(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.Background()
		_, err := conn.Exec(ctx, "DROP SCHEMA "+schema+" CASCADE")
		if err := errors.Join(s.Close(), err, conn.Close(ctx)); err != nil {
			t.Error(err)
		}
	})
	w := newHistoryWorld(t, onPostgres(s, conn), func(now func() time.Time) { s.Now = now }, "evc_seen", "evc_log")
	w.slow = true
	return w
}

// within is a source whose tables are in a schema.
func within(t *testing.T, source, schema string) string {
	if !strings.Contains(source, "://") {
		return source + " search_path=" + schema
	}
	u, err := url.Parse(source)
	if err != nil {
		t.Fatal("the DSN is no URL that can be read") // the error would hold the password
	}
	q := u.Query()
	q.Set("search_path", schema)
	u.RawQuery = q.Encode()
	return u.String()
}

// onPostgres is a database whose business has one connection.
func onPostgres(s *postgres.Store, conn *pgx.Conn) *deliverytest.Database {
	return &deliverytest.Database{
		Store: s, Serial: "BIGSERIAL PRIMARY KEY",
		InTx: func(ctx context.Context, f func(context.Context, event.Tx) error) error {
			return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return f(ctx, s.In(tx)) })
		},
		Exec: func(ctx context.Context, tx event.Tx, query string, args ...any) error {
			_, err := postgres.From(tx).Exec(ctx, query, args...)
			return err
		},
		Query: func(ctx context.Context, query string, args ...any) ([][]any, error) {
			rows, err := conn.Query(ctx, query, args...)
			if err != nil {
				return nil, err
			}
			return pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]any, error) {
				values, err := row.Values()
				for i, v := range values {
					switch v := v.(type) {
					case [16]byte:
						values[i] = v[:]
					case int32:
						values[i] = int64(v)
					}
				}
				return values, err
			})
		},
	}
}
