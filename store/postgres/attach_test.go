package postgres_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/evcontract/evcontract/store/postgres"
)

// TestAttach: a database without tables stays without.
func TestAttach(t *testing.T) {
	db := fresh(t)
	s, err := postgres.Attach(t.Context(), db.Source)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	nowhere := source(t, "evc_test_no_such_schema")
	if _, err := postgres.Attach(t.Context(), nowhere); !errors.Is(err, postgres.ErrNoTables) {
		t.Errorf("a schema without tables: %v", err)
	}
	if err := db.Do(t.Context(), "UPDATE evc_meta SET version = 99, least = 99"); err != nil {
		t.Fatal(err)
	}
	if _, err := postgres.Attach(t.Context(), db.Source); !errors.Is(err, postgres.ErrNewer) {
		t.Errorf("a newer database: %v", err)
	}
}

// TestNoPassword: whatever is wrong with a source, its password is not said.
func TestNoPassword(t *testing.T) {
	for _, source := range []string{
		"postgres://user:sesame@127.0.0.1:1/db?sslmode=disable", "postgres://user:sesame@127.0.0.1:port/db", "postgres://user:sesame@[::1/db",
		"postgres://user:sesame@127.0.0.1:1/db?sslmode=perhaps", "host=127.0.0.1 port=1 user=u password=sesame sslmode=disable", "host=127.0.0.1 port=x password=sesame",
		"postgres://user:ses%ame@127.0.0.1:1/db", "postgres://user@127.0.0.1:1/db?password=sesame&sslmode=disable", "host=127.0.0.1 port=1 password='sesame",
	} {
		_, err := postgres.Attach(context.Background(), source)
		if err == nil {
			t.Error("a source that leads nowhere was opened")
		} else if strings.Contains(err.Error(), "sesame") || strings.Contains(err.Error(), "ses%ame") {
			t.Errorf("%v", err)
		}
	}
}
