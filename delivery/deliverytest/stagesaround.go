package deliverytest

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

// These drills break what a system stands on: its own version, the clocks, the
// locks, the server, the disk.

// fleet starts a system of one release; stop ends it.
func (s *Stage) fleet(ctx context.Context, system System) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		ended <- system.while(ctx, func(ctx context.Context) error {
			<-ctx.Done()
			return nil
		})
	}()
	return func() error { cancel(); return <-ended }
}

// stageRolling replaces an old release, which reads v1 only, by a new one, which
// reads v2 as well, and then rolls back. All the time every fact is published as
// both.
func stageRolling(ctx context.Context, s *Stage) error {
	old := System{World: s.World, Batch: 3, Release: Release{Build: "old", Revision: "0000000000000001", Events: []string{"OrderPaid.v1"}}}
	next := System{World: s.World, Batch: 3, Release: Release{Build: "new", Revision: "0000000000000002", Events: []string{"OrderPaid.v1", "OrderPaid.v2"}}}
	version := uint64(0)
	publish := func() error {
		for range 3 {
			version++
			for o := range 4 {
				if err := s.changeBoth(ctx, fact(fmt.Sprint("o-", o), version)); err != nil {
					return err
				}
			}
			time.Sleep(patience * 20 * time.Millisecond)
		}
		return nil
	}
	var first, second, third func() error
	for _, step := range []func() error{
		publish,
		func() error { first = s.fleet(ctx, old); return publish() },
		func() error { second = s.fleet(ctx, next); return publish() },
		func() error { return first() },
		publish,
		func() error { third = s.fleet(ctx, old); return publish() },
		func() error { return second() },
		publish,
		func() error { return third() },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return old.Run(ctx, 30*time.Second)
}

// changeBoth commits a change and publishes it as v1 and as v2.
func (s *Stage) changeBoth(ctx context.Context, f Fact) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx event.Tx) error {
		if err := s.ChangeIn(ctx, tx, f); err != nil {
			return err
		}
		_, err := tx.Append(ctx, f.Draft("OrderPaid.v2"))
		return err
	})
}

// shifted is the host's clock, moved.
type shifted struct {
	delivery.SystemClock
	by *atomic.Int64
}

func (c shifted) Now() time.Time { return time.Now().Add(time.Duration(c.by.Load())) }

func stageClock(ctx context.Context, s *Stage) error {
	clock := shifted{by: new(atomic.Int64)}
	s.DB.SetNow(clock.Now)
	system := System{World: s.World, Batch: 4, Clock: clock}
	stop := s.fleet(ctx, system)
	for i, jump := range []time.Duration{0, 24 * time.Hour, 0, -24 * time.Hour, 0} {
		clock.by.Store(int64(jump))
		if err := s.populateFrom(ctx, 5, i*2+1, i*2+2, func(f *Fact) {
			if f.Order == "o-1" {
				f.Fault, f.Times = "error", 1 // it waits while the clock jumps
			}
		}); err != nil {
			return err
		}
		time.Sleep(patience * 100 * time.Millisecond)
	}
	if err := stop(); err != nil {
		return err
	}
	s.note("jumps", "+24h, -24h, -24h, +24h")
	return system.Run(ctx, 30*time.Second)
}

// during runs a system and breaks something under it, twice.
func (s *Stage) during(ctx context.Context, f func(context.Context) error) error {
	s.Policy.Retry.Attempts = 100 // what breaks is no fault of an event
	if err := s.populate(ctx, 5, 6, nil); err != nil {
		return err
	}
	system := System{World: s.World, Batch: 2}
	stop := s.fleet(ctx, system)
	for i := range 2 {
		time.Sleep(patience * 100 * time.Millisecond)
		if err := f(ctx); err != nil {
			return err
		}
		for o := range 5 {
			if err := s.changeAtLast(ctx, fact(fmt.Sprint("o-", o+1), uint64(7+i))); err != nil {
				return err
			}
		}
	}
	if err := stop(); err != nil {
		return err
	}
	return system.Run(ctx, 40*time.Second)
}

// changeAtLast is Change by somebody whose connection may be gone: unless the
// change is there, it is made again.
func (s *Stage) changeAtLast(ctx context.Context, f Fact) (err error) {
	for range 20 {
		var n int64
		if n, err = s.DB.Count(ctx, "SELECT count(*) FROM t_change WHERE key = $1", f.Key().String()); err == nil && n > 0 {
			return nil
		}
		if err == nil {
			if err = s.Change(ctx, f); err == nil {
				return nil
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}

func stageLocks(ctx context.Context, s *Stage) error {
	if s.DB.Lock == nil {
		return fmt.Errorf("%w: nothing locks its tables", ErrSkipped)
	}
	s.note("everything was locked, twice, for", "longer than a lock is waited for")
	return s.during(ctx, s.DB.Lock)
}

func stageRestart(ctx context.Context, s *Stage) error {
	if s.DB.Restart == nil {
		return fmt.Errorf("%w: nothing restarts it", ErrSkipped)
	}
	s.note("restarts", "2")
	return s.during(ctx, s.DB.Restart)
}

// stageFull fills the disk while changes are committed, runs a system that has
// no room, and makes room again.
func stageFull(ctx context.Context, s *Stage) error {
	if s.DB.Fill == nil {
		return fmt.Errorf("%w: nothing fills its disk", ErrSkipped)
	}
	if err := s.DB.Fill(ctx, true); err != nil {
		return err
	}
	committed := 0
	for v := 1; ; v++ {
		err := s.Change(ctx, Fact{Payment: fmt.Sprint(v), Order: fmt.Sprint("o-", v%5), Version: uint64(v)})
		if err == nil {
			committed++
			continue
		}
		if !strings.Contains(err.Error(), "full") {
			return err
		}
		break
	}
	if committed == 0 {
		return fmt.Errorf("nothing fit")
	}
	s.note("changes committed before the disk was full", "%d", committed)
	system := System{World: s.World, Batch: 10}
	if err := system.Run(ctx, 500*time.Millisecond); err == nil {
		return fmt.Errorf("it came to rest without room")
	}
	if err := s.DB.Fill(ctx, false); err != nil {
		return err
	}
	return system.Run(ctx, 30*time.Second)
}
