package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime/debug"
)

// member is one InTx that waits for a group commit.
type member struct {
	ctx  context.Context
	f    func(context.Context, *sql.Tx) error
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
// Each runs in its own savepoint; its error is its own. When the commit fails it
// fails for all, and nothing of any of them is in the database.
func (s *Store) commitGroup(group []*member) {
	errs := make(map[*member]error)
	err := errGoexit
	defer func() {
		for _, m := range group {
			m.done <- errors.Join(errs[m], err)
		}
	}()
	err = s.begin(context.Background(), func(t *txn) error {
		t.wrote = true
		for i := 0; i < len(group); i++ {
			if err := s.runMember(t, group[i], errs); err != nil {
				return err
			}
			if i == len(group)-1 {
				group = s.joinGroup(group)
			}
		}
		return nil
	})
}

// errGoexit is what a group fails of when the function of a member ends the
// goroutine that it runs in, which nothing can stop.
var errGoexit = errors.New("sqlite: InTx was rolled back: a function that it ran called runtime.Goexit, or FailNow of a test")

func (s *Store) joinGroup(group []*member) []*member {
	for len(group) < groupSize {
		select {
		case m := <-s.commits:
			return append(group, m)
		default:
			return group
		}
	}
	return group
}

// runMember returns an error when the transaction is of no more use to anyone.
func (s *Store) runMember(t *txn, m *member, errs map[*member]error) error {
	failed, err := t.try(m.ctx, "evc_member", func() error { return guarded(m, t.tx) })
	errs[m] = failed
	return err
}

// guarded turns a panic of one member into its error: it must not take the
// others with it.
func guarded(m *member, tx *sql.Tx) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic in InTx: %v\n%s", v, debug.Stack())
		}
	}()
	if err := m.ctx.Err(); err != nil {
		return err
	}
	return m.f(m.ctx, tx)
}

// try runs f in a savepoint. The statements of the savepoint don't follow the
// caller's context: they must be carried out whatever becomes of it.
func (t *txn) try(ctx context.Context, name string, f func() error) (failed, err error) {
	ctx = context.WithoutCancel(ctx)
	if _, err := t.tx.ExecContext(ctx, "SAVEPOINT "+name); err != nil {
		return nil, err
	}
	if failed = f(); failed == nil {
		_, err = t.tx.ExecContext(ctx, "RELEASE "+name)
		return nil, err
	}
	if _, err := t.tx.ExecContext(ctx, "ROLLBACK TO "+name); err != nil {
		return failed, errors.Join(failed, err)
	}
	if _, err := t.tx.ExecContext(ctx, "RELEASE "+name); err != nil {
		return failed, errors.Join(failed, err)
	}
	return failed, nil
}
