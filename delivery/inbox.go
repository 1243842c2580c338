package delivery

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/evcontract/evcontract/event"
)

// Inbox runs a consumer: identify, enter, decode and handle, commit,
// acknowledge. One transaction holds the dedupe rows, the version marks, what
// the handlers do and what became of each event. Zero fields take the default
// that stands at the field. A value may run once at a time.
type Inbox struct {
	Store  InboxStore
	Broker Broker

	Batch        int           // most events in one transaction; 500
	HandleWithin time.Duration // for one event, or one call of a Batch handler; its context ends then; 30 s
	GapWithin    time.Duration // how long a contiguous lane waits for a missing event; 1 min
	JoinMidway   bool          // a contiguous lane that was never seen may start at any version
	ParkAtMost   int           // events that may wait in their lanes; when there are so many nothing new is taken, and nothing is lost; 100,000
	Poll         time.Duration // between looks for lanes that are due, and while paused; 250 ms
	StopWithin   time.Duration // to finish the batch in hand after Run's context ended; then handlers' contexts end, and who doesn't heed that is waited for; 10 s

	Build   string // of the binary; the revision that Go built it from
	Clock   Clock
	Log     *slog.Logger
	Observe func(Observation)
	Step    func(Step)                                           // for drills
	Context func(context.Context, event.Message) context.Context // for tracing: the context of a handler; ContextOf hands it to a Batch handler
}

// runner is one run of an inbox.
type runner struct {
	Inbox
	consumer   event.Consumer
	policy     event.Policy
	routes     map[string]*event.Route
	names      map[string]bool // of the events that are read, without their major version
	contiguous bool            // some route needs every step
	member     Member
	slots      slots
	panics     chan error // in a goroutine of the broker, outside of what belongs to one event
	end        func()     // ends the run
}

// Run handles events until ctx ends, and then finishes the batch in hand and
// returns nil. It refuses a consumer that has a route without a handler. A panic
// of a handler, of Identify or of Context is a failure of its event, one of
// Observe or of the broker ends the run as its error.
func (in Inbox) Run(ctx context.Context, c event.Consumer) error {
	r, err := in.runner(c)
	if err != nil {
		return err
	}
	if err := r.begin(ctx); err != nil {
		if ctx.Err() != nil {
			return nil //nolint:nilerr // it was stopped before it began
		}
		return fmt.Errorf("consumer %s: %w", c.Name, err)
	}
	r.Log.Info("inbox started", "consumer", c.Name, "revision", c.Revision, "build", r.member.Build)
	if err := errors.Join(r.consume(ctx), r.broke()); err != nil {
		return fmt.Errorf("consumer %s: %w", c.Name, err)
	}
	return nil
}

func (r *runner) begin(ctx context.Context) error {
	if err := r.remembers(ctx); err != nil {
		return err
	}
	if err := r.Store.Join(ctx, r.member); err != nil {
		return fmt.Errorf("join: %w", err)
	}
	return nil
}

// consume runs until ctx ends, or the broker fails, or something panics.
func (r *runner) consume(ctx context.Context) error {
	running, end := context.WithCancel(ctx)
	defer end()
	r.end = end
	defer r.leave(ctx)
	return together(running, r.lanes, func(running context.Context) error {
		err := r.Broker.Consume(running, r.topics(), r.receive)
		if ctx.Err() != nil {
			return nil
		}
		return err
	})
}

// broken keeps the first panic of a goroutine of the broker, and ends the run.
func (r *runner) broken(err error) {
	select {
	case r.panics <- err:
		r.end()
	default:
	}
}

// broke is what broken has kept.
func (r *runner) broke() error {
	select {
	case err := <-r.panics:
		return err
	default:
		return nil
	}
}

// leave says that the run is over. When that fails, its signs of life run out.
func (r *runner) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.StopWithin)
	defer cancel()
	if err := r.Store.Leave(ctx, r.member); err != nil {
		r.Log.Warn("inbox stopped and could not say so", "consumer", r.consumer.Name, "error", err)
	}
}

func (in Inbox) runner(c event.Consumer) (*runner, error) {
	if in.Store == nil || in.Broker == nil {
		return nil, errors.New("inbox without a Store or a Broker: set both fields")
	}
	in.Batch = min(atLeast(in.Batch, 1, 500), MostBatch)
	in.HandleWithin = or(in.HandleWithin, 30*time.Second)
	in.GapWithin = or(in.GapWithin, time.Minute)
	in.ParkAtMost = or(in.ParkAtMost, 100_000)
	in.Poll = atLeast(in.Poll, time.Millisecond, 250*time.Millisecond)
	in.StopWithin = or(in.StopWithin, 10*time.Second)
	in.Clock = or[Clock](in.Clock, SystemClock{})
	in.Log = quiet(in.Log)
	if in.Observe == nil {
		in.Observe = func(Observation) {}
	}
	if in.Step == nil {
		in.Step = func(Step) {}
	}
	r := &runner{Inbox: in, consumer: c, policy: withDefaults(c.Policy), panics: make(chan error, 1), end: func() {}}
	if err := r.route(); err != nil {
		return nil, err
	}
	host, _ := os.Hostname() // an empty name is no reason to stand still
	r.member = Member{
		Consumer: c.Name, Instance: rand.Text(), Owner: c.Policy.Owner, Revision: c.Revision,
		Build: or(in.Build, buildRevision()), Host: host, ByVersion: r.contiguous, ParkAtMost: in.ParkAtMost,
	}
	r.slots.first = r.member
	return r, nil
}

// route checks the consumer and indexes its routes.
func (r *runner) route() error {
	c := r.consumer
	if c.Name == "" || len(c.Routes) == 0 {
		return errors.New("consumer without a name or without routes: use the generated one")
	}
	r.routes, r.names = make(map[string]*event.Route, len(c.Routes)), map[string]bool{}
	for i := range c.Routes {
		route := &c.Routes[i]
		switch {
		case route.Handle == nil && route.Batch == nil:
			return fmt.Errorf("consumer %s: no handler for %s: set its field", c.Name, route.Event)
		case route.Identify == nil || route.Topic == "":
			return fmt.Errorf("consumer %s: route %s lacks Identify or Topic: use the generated one", c.Name, route.Event)
		case r.routes[route.Event] != nil:
			return fmt.Errorf("consumer %s: two routes for %s", c.Name, route.Event)
		}
		r.routes[route.Event], r.names[NameOf(route.Event)] = route, true
		r.contiguous = r.contiguous || route.Order == event.OrderContiguous
	}
	return nil
}

// remembers refuses a consumer that forgets keys while the broker still has
// their messages. A broker that cannot say how long it keeps them is trusted:
// what comes too late is quarantined.
func (r *runner) remembers(ctx context.Context) error {
	b, ok := r.Broker.(Retaining)
	if !ok {
		return nil
	}
	kept, err := b.Retention(ctx, r.topics())
	if err != nil {
		return fmt.Errorf("ask the broker how long it keeps messages: %w", err)
	}
	if kept > r.policy.Remember {
		return fmt.Errorf("the broker keeps messages for %s and the consumer remembers keys for %s: raise remember, or lower the retention of its topics", kept, r.policy.Remember)
	}
	return nil
}

func (r *runner) topics() []string {
	var topics []string
	have := map[string]bool{}
	for _, route := range r.consumer.Routes {
		if !have[route.Topic] {
			have[route.Topic] = true
			topics = append(topics, route.Topic)
		}
	}
	return topics
}

// buildRevision is the commit that the binary was built from, as far as Go knows.
func buildRevision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return or(info.Main.Version, "unknown")
}

// slots are the members that the workers of one inbox use: one a batch at a
// time, so that each batch has its own note of what is in flight.
type slots struct {
	mu    sync.Mutex
	first Member
	made  int
	free  []Member
}

func (s *slots) take() (m Member, fresh bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.free); n > 0 {
		m = s.free[n-1]
		s.free = s.free[:n-1]
		return m, false
	}
	m = s.first
	fresh = s.made > 0 // the first has joined already
	if fresh {
		m.Instance = fmt.Sprintf("%s/%d", m.Instance, s.made)
	}
	s.made++
	return m, fresh
}

func (s *slots) give(m Member) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, m)
}

// member takes a slot that has joined.
func (r *runner) worker(ctx context.Context) (Member, error) {
	m, fresh := r.slots.take()
	if !fresh {
		return m, nil
	}
	if err := r.Store.Join(ctx, m); err != nil {
		return m, fmt.Errorf("join: %w", err)
	}
	return m, nil
}
