package deliverytest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

// turmoil is a database with busy producers, relays that come, go and die, and a
// broker that is slow and refuses lanes for a while: what is committed comes out,
// nothing else does, and each lane in its order.
type turmoil struct {
	w    *World
	seed atomic.Uint64

	mu       sync.Mutex
	made     map[string]bool      // events that are committed
	sent     map[string]bool      // that the broker has
	last     map[string]uint64    // version of each lane that the broker has
	refused  map[string]time.Time // lanes, and until when
	problems []string
}

// errUndone rolls a change back.
var errUndone = errors.New("undone")

func newTurmoil(w *World) *turmoil {
	return &turmoil{w: w, made: map[string]bool{}, sent: map[string]bool{}, last: map[string]uint64{}, refused: map[string]time.Time{}}
}

func (u *turmoil) random() *rand.Rand { return rand.New(rand.NewPCG(1, u.seed.Add(1))) }

func (u *turmoil) committed(ds ...event.Draft) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, d := range ds {
		u.made[d.ID.String()] = true
	}
}

// produce changes lanes of its own, one after the other. Some transactions stay
// open behind their append, some are rolled back.
func (u *turmoil) produce(ctx context.Context, name string) error {
	r := u.random()
	versions := map[string]uint64{}
	for ctx.Err() == nil {
		order := fmt.Sprintf("%s-%d", name, r.IntN(8))
		f := fact(order, versions[order]+1)
		fate := r.IntN(100)
		err := u.w.DB.InTx(context.WithoutCancel(ctx), func(ctx context.Context, tx event.Tx) error {
			if err := u.w.ChangeIn(ctx, tx, f); err != nil {
				return err
			}
			switch {
			case fate < 3:
				time.Sleep(time.Duration(r.IntN(150)) * time.Millisecond)
			case fate < 6:
				return errUndone
			}
			return nil
		})
		switch {
		case err == nil:
			versions[order]++
			u.committed(f.Draft(f.Type()))
		case !errors.Is(err, errUndone):
			return err
		}
	}
	return nil
}

// fill publishes much of no consequence.
func (u *turmoil) fill(ctx context.Context) error {
	for n := 0; ctx.Err() == nil; n++ {
		drafts := make([]event.Draft, 200)
		for i := range drafts {
			f := fact(fmt.Sprintf("filler-%d-%d", n, i), 1)
			drafts[i] = f.Draft(f.Type())
		}
		if err := u.w.DB.InTx(context.WithoutCancel(ctx), func(ctx context.Context, tx event.Tx) error {
			_, err := tx.Append(ctx, drafts...)
			return err
		}); err != nil {
			return err
		}
		u.committed(drafts...)
		time.Sleep(5 * time.Millisecond)
	}
	return nil
}

// dying is a store whose relay is gone without a word.
type dying struct{ delivery.Store }

func (dying) Release(context.Context, delivery.Lease) error { return nil }

// relay runs relays one after the other.
func (u *turmoil) relay(ctx context.Context) error {
	r := u.random()
	for ctx.Err() == nil {
		store := u.w.DB.Store
		if r.IntN(2) == 0 {
			store = dying{store}
		}
		lived, end := context.WithTimeout(ctx, time.Duration(100+r.IntN(1500))*time.Millisecond)
		err := delivery.Relay{
			Store: store, Broker: &turmoilBroker{Hand: &Hand{}, turmoil: u, random: u.random()}, Loops: 1 + r.IntN(2),
			Batch: 300, Lease: 300 * time.Millisecond, Poll: 10 * time.Millisecond, Retry: event.Retry{Initial: 20 * time.Millisecond, Max: 200 * time.Millisecond},
		}.Run(lived)
		end()
		if err != nil {
			return err
		}
	}
	return nil
}

// turmoilBroker is what one relay sends to.
type turmoilBroker struct {
	*Hand
	turmoil *turmoil

	mu     sync.Mutex
	random *rand.Rand
}

func (b *turmoilBroker) draw(n int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.random.IntN(n)
}

func (b *turmoilBroker) Publish(_ context.Context, ms []event.Message) []error {
	switch b.draw(40) {
	case 0:
		time.Sleep(700 * time.Millisecond) // longer than a lease
	case 1, 2, 3:
		time.Sleep(time.Duration(b.draw(50)) * time.Millisecond)
	}
	b.turmoil.mu.Lock()
	defer b.turmoil.mu.Unlock()
	errs := make([]error, len(ms))
	failed := map[string]bool{} // lanes: their time may be over before the batch is
	for i, m := range ms {
		if failed[m.Subject] {
			errs[i] = delivery.ErrHeld
			continue
		}
		errs[i] = b.take(m)
		failed[m.Subject] = errs[i] != nil
	}
	return errs
}

// take stores a message, unless its lane is refused for now.
func (b *turmoilBroker) take(m event.Message) error {
	u := b.turmoil
	now := time.Now()
	if now.Before(u.refused[m.Subject]) {
		return ErrRefused
	}
	if m.Version > 1 && b.draw(200) == 0 {
		u.refused[m.Subject] = now.Add(time.Duration(b.draw(1000)) * time.Millisecond)
		return ErrRefused
	}
	if u.sent[m.ID] {
		return nil
	}
	u.sent[m.ID] = true
	if last := u.last[m.Subject]; m.Version != last+1 {
		u.problems = append(u.problems, fmt.Sprintf("version %d of %s comes behind %d", m.Version, m.Subject, last))
	}
	u.last[m.Subject] = m.Version
	return nil
}

// relaysInTurmoil takes a minute where there is time.
func relaysInTurmoil(t *testing.T, w *World) {
	lasts := 2 * time.Second
	if Long() {
		lasts = time.Minute
	}
	u := newTurmoil(w)
	making, stop := context.WithTimeout(t.Context(), lasts)
	defer stop()
	relaying, end := context.WithCancel(t.Context())
	defer end()
	var producers, relays sync.WaitGroup
	run := func(group *sync.WaitGroup, f func() error) {
		group.Go(func() {
			if err := f(); err != nil {
				t.Error(err)
			}
		})
	}
	for _, name := range []string{"a", "b", "c"} {
		run(&producers, func() error { return u.produce(making, name) })
		run(&relays, func() error { return u.relay(relaying) })
	}
	run(&producers, func() error { return u.fill(making) })
	producers.Wait()
	i := &inbox{World: w, t: t}
	i.eventually("rows that wait", 0, func() any { return must(w.DB.Count(t.Context(), "SELECT count(*) FROM evc_outbox")) })
	end()
	relays.Wait()
	u.mu.Lock()
	defer u.mu.Unlock()
	i.want("problems", u.problems, []string(nil))
	i.want("events that were sent", len(u.sent), len(u.made))
	for id := range u.made {
		if !u.sent[id] {
			t.Fatalf("event %s was committed and not sent", id)
		}
	}
	t.Logf("%d events of %d lanes", len(u.made), len(u.last))
}
