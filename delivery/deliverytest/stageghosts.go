package deliverytest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

// stageGhosts crashes a server between a relay's read and its publish, under a
// business that doesn't wait for its commits. A message that goes out although
// its event is not in the database any more is a ghost.
func stageGhosts(ctx context.Context, s *Stage) (err error) {
	if s.Crashable == nil {
		return fmt.Errorf("%w: nothing crashes its server", ErrSkipped)
	}
	db, err := s.Crashable(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	g := &ghosts{World: NewWorld(db), lease: delivery.Lease{Owner: "ghosts", For: time.Minute}, given: map[string]bool{}}
	if err := g.Create(ctx); err != nil {
		return err
	}
	lost, seen, unseen := 0, 0, 0
	for round := range 4 {
		if err := g.round(ctx, round); err != nil {
			return err
		}
		for _, f := range g.facts {
			d := f.Draft(f.Type())
			n, err := db.Count(ctx, "SELECT count(*) FROM evc_event WHERE id = $1", d.ID.String())
			if err != nil {
				return err
			}
			switch given := g.given[d.ID.String()]; {
			case given && n == 0:
				lost++
				s.broken = append(s.broken, Violation{"I1", fmt.Sprintf("event %s was published and is gone", d.ID)})
			case given:
				seen++
			case n == 0:
				unseen++
			}
		}
	}
	s.note("crashes between the read and the publish", "4")
	s.note("events that a relay was given, gone", "%d, %d", seen+lost, lost)
	s.note("events that nobody was given, gone", "%d", unseen)
	if seen+lost == 0 || unseen == 0 {
		return errors.New("it shows nothing: no commit was lost in a crash")
	}
	return g.settle(ctx, s)
}

// ghosts are what a relay was given to publish.
type ghosts struct {
	*World
	lease delivery.Lease
	facts []Fact // of this round
	given map[string]bool
}

// round commits a change, has a relay read it, commits another one, and crashes
// the server.
func (g *ghosts) round(ctx context.Context, round int) error {
	g.facts = nil
	commit := func(n int) error {
		f := fact(fmt.Sprintf("o-%d-%d", round, n), 1)
		g.facts = append(g.facts, f)
		return g.DB.Lazily(ctx, func(ctx context.Context, tx event.Tx) error { return g.ChangeIn(ctx, tx, f) })
	}
	if _, err := g.DB.Store.Lease(ctx, g.lease); err != nil {
		return err
	}
	if err := commit(1); err != nil {
		return err
	}
	rows, err := g.DB.Store.Pending(ctx, g.lease, 100)
	if err != nil {
		return err
	}
	for _, row := range rows {
		g.given[row.Message.ID] = true
	}
	if err := commit(2); err != nil {
		return err
	}
	if err := g.DB.Crash(ctx); err != nil {
		return err
	}
	return g.reconnect(ctx)
}

// reconnect asks until every connection that died has been noticed.
func (g *ghosts) reconnect(ctx context.Context) (err error) {
	for range 50 {
		_, err = g.DB.Count(ctx, "SELECT count(*) FROM evc_relay")
		if err = errors.Join(err, g.DB.Store.Release(ctx, g.lease)); err == nil {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}

// settle lets a system go on with what the crashes left, and checks it.
func (g *ghosts) settle(ctx context.Context, s *Stage) error {
	if err := (System{World: g.World, Batch: 5}).Run(ctx, 30*time.Second); err != nil {
		return err
	}
	found, err := g.Check(ctx)
	s.broken = append(s.broken, found...)
	if err != nil {
		return err
	}
	shown, err := g.evidence(ctx, nil)
	s.apart = append(s.apart, shown)
	return err
}
