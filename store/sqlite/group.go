package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
)

// member is one InTx that waits for a group commit.
type member struct {
	ctx  context.Context
	f    func(context.Context, *sql.Tx) error
	err  error // its own
	done chan error
}

// groupSize bounds a group, so that its first member doesn't wait long.
const groupSize = 128

// committer commits whoever waits, together, until the store is closed.
func (s *Store) committer() {
	closed := false
	defer func() {
		if !closed { // a member ended the goroutine
			s.running.Go(s.committer)
		}
	}()
	for {
		select {
		case m := <-s.commits:
			s.commitGroup(append(make([]*member, 0, 16), m))
		case <-s.closing:
			closed = true
			return
		}
	}
}

// commitGroup takes in members for as long as some are waiting, then commits.
// The error of each is its own. When the commit fails it fails for all, and
// nothing of any of them is in the database.
func (s *Store) commitGroup(group []*member) {
	err := errGoexit
	defer func() {
		for _, m := range group {
			if m == group[0] && m.err != nil {
				m.done <- m.err // which the whole group, itself, failed of
				continue
			}
			m.done <- errors.Join(m.err, err)
		}
	}()
	err = s.begin(context.Background(), func(t *txn) error {
		for i := 0; i < len(group); i++ {
			if err := group[i].run(t, i == 0); err != nil {
				return err
			}
			if i == len(group)-1 {
				group = s.joinGroup(group)
			}
			if i == 0 && len(group) > 1 {
				if err := t.direct((*conn).share); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// errGoexit is what a group fails of when the function of a member ends the
// goroutine that it runs in, which nothing can stop.
var errGoexit = errors.New("sqlite: InTx was rolled back: a function that it ran called runtime.Goexit, or FailNow of a test")

// joinGroup takes in one more, if there is one. Those whom the last group has
// woken get their turn first: they would wait for the whole of this one.
func (s *Store) joinGroup(group []*member) []*member {
	if len(group) == groupSize {
		return group
	}
	select {
	case m := <-s.commits:
		return append(group, m)
	default:
	}
	runtime.Gosched()
	select {
	case m := <-s.commits:
		return append(group, m)
	default:
		return group
	}
}

// run returns an error when the transaction is of no more use to anyone. The
// first one needs no savepoint: with it nothing but its own is undone.
func (m *member) run(t *txn, first bool) (err error) {
	if first {
		m.err = m.do(t)
		return m.err
	}
	m.err, err = t.try("evc_member", func() error { return m.do(t) })
	return err
}

// do runs the function of a member. What would break at the commit must not
// break it for the others.
func (m *member) do(t *txn) error {
	if err := m.ctx.Err(); err != nil {
		return err
	}
	if err := guarded(func() error { return m.f(t.within(m.ctx), t.tx) }); err != nil {
		return err
	}
	return t.direct((*conn).settled)
}

// guarded turns a panic of f into its error.
func guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic in a transaction: %v\n%s", v, debug.Stack())
		}
	}()
	return f()
}

// share notes that the open transaction is not one producer's alone.
func (c *conn) share() error {
	c.shared = true
	return nil
}

// try runs f in a savepoint. The statements of the savepoint don't follow the
// caller's context: they must be carried out whatever becomes of it.
func (t *txn) try(name string, f func() error) (failed, err error) {
	if err := t.run("SAVEPOINT " + name); err != nil {
		return nil, err
	}
	if failed = f(); failed == nil {
		return nil, t.run("RELEASE " + name)
	}
	if err := t.run("ROLLBACK TO " + name); err != nil {
		return failed, errors.Join(failed, err)
	}
	if err := t.run("RELEASE " + name); err != nil {
		return failed, errors.Join(failed, err)
	}
	return failed, nil
}

// run is exec for a statement without parameters, of which there are several an
// event.
func (t *txn) run(query string) error {
	return t.direct(func(c *conn) error {
		_, err := c.exec(query)
		return err
	})
}
