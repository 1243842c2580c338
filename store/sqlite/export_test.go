package sqlite

import (
	"context"
	"database/sql"
)

// Kept is how many statements the writing connection keeps.
func (s *Store) Kept(ctx context.Context) (n int, err error) {
	c, err := s.write.Conn(ctx)
	if err != nil {
		return 0, err
	}
	err = c.Raw(func(c any) error {
		n = len(c.(*conn).kept)
		return nil
	})
	if err != nil {
		return 0, err
	}
	return n, c.Close()
}

// WatchesItself is whether the writing connection interrupts its statements
// without the driver's goroutine for each, and has none under way.
func (s *Store) WatchesItself(ctx context.Context) (own bool, err error) {
	c, err := s.write.Conn(ctx)
	if err != nil {
		return false, err
	}
	err = c.Raw(func(c any) error {
		own = c.(*conn).handle != 0 && c.(*conn).current == nil && !c.(*conn).looking
		return nil
	})
	if err != nil {
		return false, err
	}
	return own, c.Close()
}

// MoveAt changes how many keys the log holds before they are moved.
func (s *Store) MoveAt(keys int) { s.moveAt = keys }

// MoveIDsAt is MoveAt for the ids of events, of which at least some are moved.
func (s *Store) MoveIDsAt(ids, least int) { s.moveIDsAt, s.moveIDsLeast = ids, least }

// SieveRoom changes for how many keys the sieve is made at first, a multiple of 32.
func (s *Store) SieveRoom(keys int) { s.sieve.least = keys }

// Together commits functions as one group, and returns the error of each.
func (s *Store) Together(ctx context.Context, fs ...func(context.Context, *sql.Tx) error) []error {
	group := make([]*member, len(fs))
	for i, f := range fs {
		group[i] = &member{ctx: ctx, f: f, done: make(chan error, 1)}
	}
	s.commitGroup(group)
	errs := make([]error, len(fs))
	for i, m := range group {
		errs[i] = <-m.done
	}
	return errs
}
