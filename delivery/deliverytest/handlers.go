package deliverytest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

// Subject is a consumer of the user's own that is drilled.
type Subject struct {
	Consumer event.Consumer
	Messages []event.Message // in the order in which they were published

	// Create makes the tables of the business; nil if there are none to make.
	Create func(ctx context.Context, db *Database) error

	// State is everything that the handlers change, as a text.
	State func(ctx context.Context, db *Database) (string, error)
}

// Handlers drills a consumer: whatever happens to its messages on their way,
// the business must show the same as after an undisturbed delivery.
func Handlers(t *testing.T, fresh func(testing.TB) *Database, s Subject) {
	found, err := s.Drill(t.Context(), func(context.Context) (*Database, error) {
		db := fresh(t)
		db.Close = sync.OnceValue(db.Close)
		return db, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Error(v)
	}
}

// Drill is Handlers for a program. Fresh makes an empty database, which is
// closed. Violations name the drill.
func (s Subject) Drill(ctx context.Context, fresh func(context.Context) (*Database, error)) (found []Violation, err error) {
	want, _, err := s.once(ctx, fresh, func(ctx context.Context, db *Database) error { return s.deliver(ctx, db.Store, s.Messages) })
	if err != nil {
		return nil, fmt.Errorf("undisturbed: %w", err)
	}
	before, _, err := s.once(ctx, fresh, func(context.Context, *Database) error { return nil })
	if err != nil {
		return nil, err
	}
	if before == want {
		return nil, errors.New("the messages change nothing that State shows: a drill could not fail")
	}
	for _, d := range s.disturbances() {
		for n := 1; ; n++ {
			store := &Faulty{Nth: n, After: d.after}
			got, waiting, err := s.once(ctx, fresh, func(ctx context.Context, db *Database) error {
				store.Store = db.Store
				return d.run(ctx, store)
			})
			if err != nil {
				return found, fmt.Errorf("%s: %w", d.name, err)
			}
			if got != want || waiting > 0 {
				found = append(found, Violation{d.name, fmt.Sprintf("%d events wait or are in quarantine; shows\n%s\ninstead of\n%s", waiting, got, want)})
				break
			}
			if !d.everyCall || store.Hit == "" {
				break
			}
		}
	}
	return found, nil
}

// disturbance is one way in which delivery goes wrong. Its store is a healthy
// one unless it is run for every call, each of which fails in turn.
type disturbance struct {
	name      string
	everyCall bool
	after     bool // the call fails after it did everything
	run       func(context.Context, *Faulty) error
}

func (s Subject) disturbances() []disturbance {
	healthy := func(batches ...[]event.Message) func(context.Context, *Faulty) error {
		return func(ctx context.Context, f *Faulty) error { return s.deliver(ctx, f.Store, batches...) }
	}
	again := func(ctx context.Context, f *Faulty) error {
		for range 20 {
			err := s.deliver(ctx, f, s.Messages)
			if err == nil || !errors.Is(err, ErrFault) {
				return err
			}
		}
		return errors.New("never acknowledged")
	}
	backwards := slices.Clone(s.Messages)
	slices.Reverse(backwards)
	return []disturbance{
		{name: "delivered twice in one batch", run: healthy(append(slices.Clone(s.Messages), s.Messages...))},
		{name: "delivered again after the commit", run: healthy(s.Messages, s.Messages)},
		{name: "delivered again to another process", run: func(ctx context.Context, f *Faulty) error {
			return errors.Join(s.deliver(ctx, f.Store, s.Messages), s.deliver(ctx, f.Store, s.Messages))
		}},
		{name: "delivered one by one", run: healthy(singles(s.Messages)...)},
		{name: "delivered backwards", run: healthy(backwards)},
		{name: "delivered backwards, one by one", run: healthy(singles(backwards)...)},
		{name: "under other ids", run: healthy(s.Messages, renamed(s.Messages))},
		{name: "two processes at the same time", run: func(ctx context.Context, f *Faulty) error {
			ended := make(chan error, 2)
			for range 2 {
				go func() { ended <- s.deliver(ctx, f.Store, singles(s.Messages)...) }()
			}
			return errors.Join(<-ended, <-ended)
		}},
		{name: "cut off before any call of the store", everyCall: true, run: again},
		{name: "cut off after any call of the store", everyCall: true, after: true, run: again},
	}
}

func singles(ms []event.Message) [][]event.Message {
	batches := make([][]event.Message, len(ms))
	for i := range ms {
		batches[i] = ms[i : i+1]
	}
	return batches
}

// renamed are the same facts as another producer would send them.
func renamed(ms []event.Message) []event.Message {
	ms = slices.Clone(ms)
	for i := range ms {
		ms[i].ID = fmt.Sprintf("00000000-0000-4000-8000-%012d", i)
	}
	return ms
}

// once runs f on an empty database and reads what the business shows, and how
// many events wait or are quarantined.
func (s Subject) once(ctx context.Context, fresh func(context.Context) (*Database, error), f func(context.Context, *Database) error) (state string, waiting int64, err error) {
	db, err := fresh(ctx)
	if err != nil {
		return "", 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if s.Create != nil {
		if err := s.Create(ctx, db); err != nil {
			return "", 0, err
		}
	}
	if err := f(ctx, db); err != nil {
		return "", 0, err
	}
	if waiting, err = db.Count(ctx, "SELECT (SELECT count(*) FROM evc_parked) + (SELECT count(*) FROM evc_quarantine WHERE state = 'open')"); err != nil {
		return "", 0, err
	}
	state, err = s.State(ctx, db)
	return state, waiting, err
}

// deliver runs an inbox of its own, as a process would, hands it batches, and
// stops it when no lane is due any more. Its error is that of the batch which
// was not acknowledged.
func (s Subject) deliver(ctx context.Context, store delivery.Store, batches ...[]event.Message) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	hand := &Hand{}
	ended := make(chan error, 1)
	go func() {
		ended <- delivery.Inbox{Store: store, Broker: hand, Poll: 5 * time.Millisecond, GapWithin: time.Hour}.Run(ctx, s.Consumer)
		hand.open() // so that nobody waits for an inbox that did not start
	}()
	err := func() error {
		for _, ms := range batches {
			if err := hand.Deliver(ms...); err != nil {
				return err
			}
		}
		return drained(ctx, store, s.Consumer.Name)
	}()
	cancel()
	return errors.Join(err, <-ended)
}

// drained waits until nothing is parked, or what is parked stays so.
func drained(ctx context.Context, store delivery.Store, consumer string) error {
	last, same := -1, 0
	for same < 40 {
		st, err := store.Status(ctx)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(st.Consumers, func(c delivery.ConsumerStatus) bool { return c.Consumer == consumer })
		if i < 0 || st.Consumers[i].ParkedLanes == 0 {
			return nil
		}
		if n := st.Consumers[i].ParkedEvents; n != last {
			last, same = n, 0
		}
		same++
		time.Sleep(5 * slow * time.Millisecond)
	}
	return nil
}
