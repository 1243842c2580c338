package sqlite_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery/deliverytest"
	"github.com/evcontract/evcontract/store/sqlite"
)

// A database that cannot grow refuses, loses nothing, and goes on when there is
// room again.
func TestDiskFull(t *testing.T) {
	db, err := open(filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	w := deliverytest.NewWorld(db)
	if err := w.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	limit := func(extra int) {
		writer := db.Store.(*sqlite.Store).DB() // open makes no other
		var pages int
		if err := writer.QueryRow("PRAGMA page_count").Scan(&pages); err != nil {
			t.Fatal(err)
		}
		if _, err := writer.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages+extra)); err != nil {
			t.Fatal(err)
		}
	}
	limit(20)
	committed := 0
	for v := 1; ; v++ {
		err := w.Change(t.Context(), deliverytest.Fact{Payment: fmt.Sprint(v), Order: fmt.Sprint("o-", v%5), Version: uint64(v)})
		if err != nil {
			if !strings.Contains(err.Error(), "full") {
				t.Fatal(err)
			}
			break
		}
		committed++
	}
	if committed == 0 {
		t.Fatal("nothing fit")
	}
	if err := (deliverytest.System{World: w, Batch: 10}).Run(t.Context(), 500*time.Millisecond); err == nil {
		t.Error("came to rest without room")
	}
	limit(100_000)
	if err := (deliverytest.System{World: w, Batch: 10}).Run(t.Context(), 20*time.Second); err != nil {
		t.Fatal(err)
	}
	found, err := w.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Error(v)
	}
	t.Logf("%d changes were committed before the disk was full", committed)
}
