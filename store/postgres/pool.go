package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// pool keeps a few connections. One that breaks is dropped; the next one who
// asks dials a new one.
type pool struct {
	config *pgx.ConnConfig
	room   chan struct{} // one a connection that is in use

	mu     sync.Mutex
	free   []resting
	closed bool
}

// resting is a connection that nobody uses.
type resting struct {
	conn  *pgx.Conn
	since time.Time
}

// stale is how long a connection rests before it is looked at again: the server
// may have ended it meanwhile.
const stale = time.Second

var errClosed = errors.New("postgres: store is closed")

func newPool(config *pgx.ConnConfig, size int) *pool {
	return &pool{config: config, room: make(chan struct{}, size)}
}

func (p *pool) take(ctx context.Context) (*pgx.Conn, error) {
	select {
	case p.room <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	conn, err := p.idle(ctx)
	if conn == nil && err == nil {
		conn, err = pgx.ConnectConfig(ctx, p.config)
	}
	if err != nil {
		<-p.room
		return nil, fmt.Errorf("connect: %w", err)
	}
	return conn, nil
}

// idle is a connection that rested and is alive, nil if there is none.
func (p *pool) idle(ctx context.Context) (*pgx.Conn, error) {
	for {
		r, err := p.last()
		switch {
		case err != nil || r.conn == nil:
			return nil, err
		case r.conn.IsClosed():
		case time.Since(r.since) < stale || r.conn.Ping(ctx) == nil:
			return r.conn, nil
		default:
			end(r.conn)
		}
	}
}

// last takes the one that rested least.
func (p *pool) last() (r resting, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return r, errClosed
	}
	if n := len(p.free); n > 0 {
		r = p.free[n-1]
		p.free = p.free[:n-1]
	}
	return r, nil
}

// give takes a connection back; one in the middle of something is ended.
func (p *pool) give(conn *pgx.Conn) {
	defer func() { <-p.room }()
	idle := !conn.IsClosed() && !conn.PgConn().IsBusy() && conn.PgConn().TxStatus() == 'I'
	p.mu.Lock()
	keep := idle && !p.closed
	if keep {
		p.free = append(p.free, resting{conn, time.Now()})
	}
	p.mu.Unlock()
	if !keep {
		end(conn)
	}
}

func end(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx) // it is of no more use either way
}

func (p *pool) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, r := range p.free {
		end(r.conn)
	}
	p.free = nil
	return nil
}

// with lends a connection to f.
func (p *pool) with(ctx context.Context, f func(*pgx.Conn) error) error {
	conn, err := p.take(ctx)
	if err != nil {
		return err
	}
	defer p.give(conn)
	return f(conn)
}
