package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

// Notifications between processes are a hint that saves a relay some waiting:
// nothing depends on one, a relay looks at its table anyway. They are sent after
// the commit and not inside the business transaction, where committing ones would
// wait for each other. One follows another no sooner than coalesce, and later and
// later while events keep coming: a relay that has work looks by itself.
const (
	channelName  = `SELECT 'evc_' || md5(current_schema())`
	notify       = `SELECT pg_notify('evc_' || md5(current_schema()), '')`
	coalesce     = 10 * time.Millisecond
	coalesceMost = 160 * time.Millisecond
)

// nudge wakes relays that something was appended for: in this process at once,
// in others a little later.
func (s *Store) nudge() {
	s.wakers.Wake()
	if s.PollOnly {
		return
	}
	s.telling.Do(func() { s.background(s.tell) })
	select {
	case s.appended <- struct{}{}:
	default:
	}
}

// background runs f until the store is closed.
func (s *Store) background(f func(context.Context)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life.Err() == nil {
		s.running.Go(func() { f(s.life) })
	}
}

// tell sends what was appended since it last did as one notification.
func (s *Store) tell(ctx context.Context) {
	for wait := coalesce; ; {
		select {
		case <-ctx.Done():
			return
		case <-s.appended:
		}
		_ = s.pool.with(ctx, func(conn *pgx.Conn) error { // a hint may be lost
			_, err := conn.Exec(ctx, notify)
			return err
		})
		pause(ctx, wait)
		if wait = min(2*wait, coalesceMost); len(s.appended) == 0 {
			wait = coalesce
		}
	}
}

// listen keeps a connection of its own that waits for notifications, and dials
// a new one when it breaks. What was missed meanwhile is looked for.
func (s *Store) listen(ctx context.Context) {
	for failed := 0; ctx.Err() == nil; {
		if s.hear(ctx) {
			failed = 0
		}
		failed++
		pause(ctx, delivery.Wait(event.Retry{Initial: 100 * time.Millisecond, Max: 30 * time.Second}, failed))
	}
}

// hear reports whether it ever listened; it returns when the connection breaks.
func (s *Store) hear(ctx context.Context) (listened bool) {
	conn, err := pgx.ConnectConfig(ctx, s.pool.config)
	if err != nil {
		return false
	}
	defer end(conn)
	var channel string
	if err := conn.QueryRow(ctx, channelName).Scan(&channel); err != nil {
		return false
	}
	if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
		return false
	}
	for {
		s.wakers.Wake()
		if _, err := conn.WaitForNotification(ctx); err != nil {
			return true
		}
	}
}

// Await implements delivery.OutboxStore: an Append through InTx or an inbox ends
// it early, in this process or in another.
func (s *Store) Await(ctx context.Context, l delivery.Lease, d time.Duration) error {
	if !s.PollOnly {
		s.listening.Do(func() { s.background(s.listen) })
	}
	return s.wakers.Wait(ctx, l.Owner, d)
}
