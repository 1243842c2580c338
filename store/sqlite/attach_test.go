package sqlite_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/evcontract/evcontract/store/sqlite"
)

// TestAttach: what is no database with tables is refused and left as it is.
func TestAttach(t *testing.T) {
	dir := t.TempDir()
	absent := filepath.Join(dir, "absent.db")
	if _, err := sqlite.Attach(absent); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := os.Stat(absent); err == nil {
		t.Error("attaching made a file")
	}
	if _, err := sqlite.Attach(dir); err == nil {
		t.Error("a folder was opened")
	}
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("certainly no database, and long enough to be looked at: "+string(make([]byte, 200))), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Attach(text); err == nil {
		t.Error("a text was opened")
	}
	foreign := filepath.Join(dir, "foreign.db")
	run(t, foreign, "CREATE TABLE books (title TEXT)")
	before := read(t, foreign)
	if _, err := sqlite.Attach(foreign); !errors.Is(err, sqlite.ErrNoTables) {
		t.Errorf("somebody else's database: %v", err)
	}
	if read(t, foreign) != before {
		t.Error("somebody else's database was changed")
	}
	ours := filepath.Join(dir, "ours.db")
	s, err := sqlite.Open(ours)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = sqlite.Attach(ours); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	run(t, ours, "UPDATE evc_meta SET version = 99, least = 99")
	if _, err := sqlite.Attach(ours); !errors.Is(err, sqlite.ErrNewer) {
		t.Errorf("a newer database: %v", err)
	}
}

func run(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Those who start at the same time on a file that isn't there yet wait for the
// one that makes the database.
func TestOpenTogether(t *testing.T) {
	for range 30 {
		path := filepath.Join(t.TempDir(), "new.db")
		var running sync.WaitGroup
		for range 6 {
			running.Go(func() {
				s, err := sqlite.Open(path)
				if err != nil {
					t.Error(err)
					return
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		running.Wait()
	}
}
