package postgres

import (
	"math"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// owned is what an owner of a lease has, until its shards change.
type owned struct {
	shards []int32
	floor  floor
}

// floor is below every row of an owner's shards that waits or ever will, lanes
// that are held among them: a scan from it doesn't walk over the dead rows in
// front. The zero value is below everything.
//
// A row that is the first to wait is a floor as soon as no transaction runs any
// more that was there when it was seen: one of those may have drawn a smaller
// number and commit late. What they did commit is seen by then.
type floor struct {
	mu      sync.Mutex
	at      int64
	first   int64 // that waits, at the last look
	next    int64 // a floor as soon as
	xid     int64 // no older transaction runs; 0: there is no next one
	sent    int   // rows handed out since the last look
	checked time.Time
}

const (
	floorRows  = 5000        // are handed out between two looks
	floorTrust = time.Minute // then a scan begins at zero: a server that was restored may count again from where it was

	// Numbers are drawn by transactions that have an id already.
	firstPending = `SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
		coalesce((SELECT seq FROM evc_outbox WHERE seq >= $1 AND shard = ANY ($2::int[]) ORDER BY seq LIMIT 1), 9223372036854775807)`
)

// from is where a scan begins, and whether to look at what waits.
func (f *floor) from(now time.Time) (from int64, look bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Sub(f.checked) > floorTrust {
		f.checked = now
		return 0, true
	}
	return f.at, f.sent >= floorRows
}

// saw reads firstPending.
func (f *floor) saw(row pgx.Row) error {
	var oldest, first int64
	if err := row.Scan(&oldest, &first); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent, f.first = 0, first
	f.at = min(f.at, first)
	if f.xid != 0 && oldest >= f.xid {
		f.at, f.xid = max(f.at, min(f.next, first)), 0
	}
	return nil
}

// handed counts rows, which a transaction marked as read after they were seen.
func (f *floor) handed(rows int, xid int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.sent == 0 && f.xid == 0 && f.first != math.MaxInt64 {
		f.next, f.xid = f.first, xid
	}
	f.sent += rows
}
