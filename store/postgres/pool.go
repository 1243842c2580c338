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
	conn, err := p.idle()
	if conn == nil && err == nil {
		conn, err = pgx.ConnectConfig(ctx, p.config)
	}
	if err != nil {
		<-p.room
		return nil, fmt.Errorf("connect: %w", err)
	}
	return conn, nil
}

func (p *pool) idle() (*pgx.Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errClosed
	}
	for len(p.free) > 0 {
		r := p.free[len(p.free)-1]
		p.free = p.free[:len(p.free)-1]
		if r.conn.IsClosed() {
			continue
		}
		if time.Since(r.since) < stale || r.conn.PgConn().CheckConn() == nil {
			return r.conn, nil
		}
		end(r.conn)
	}
	return nil, nil
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
