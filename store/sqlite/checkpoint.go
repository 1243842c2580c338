package sqlite

import (
	"context"
	"time"
)

const (
	// checkpointAt is how many pages of the log are worth copying beside the
	// writer; the writer copies what is left at checkpointLate.
	checkpointAt   = 2000
	checkpointLate = 4 * checkpointAt

	checkpointEvery = 50 * time.Millisecond // at most
)

// checkpoints copies what the write-ahead log holds to where it belongs while
// others read and write, so that a commit does not wait for it. The log starts
// anew when a writer finds all of it copied, which in a rush of writes it never
// does: then the writer copies the little that is left, and starts it anew.
func (s *Store) checkpoints() {
	pause := time.NewTimer(checkpointEvery)
	defer pause.Stop()
	for {
		select {
		case <-s.written:
			s.checkpoint(context.Background())
		case <-s.closing:
			return
		}
		pause.Reset(checkpointEvery)
		select {
		case <-pause.C:
		case <-s.closing:
			return
		}
	}
}

// checkpoint copies the log if there is enough of it. What goes wrong with the
// file shows to whoever writes next; another process may be at it.
func (s *Store) checkpoint(ctx context.Context) {
	var busy, pages, copied int
	err := s.read.QueryRowContext(ctx, "PRAGMA wal_checkpoint(NOOP)").Scan(&busy, &pages, &copied)
	if err == nil && pages-copied >= checkpointAt {
		_, _ = s.read.ExecContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)")
	}
}

// wrote tells that there is more in the log.
func (s *Store) wrote() {
	select {
	case s.written <- struct{}{}:
	default:
	}
}
