package deliverytest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

// AllDrills are every drill, in the order of an event's life. One that a
// database has no means for is skipped and says so.
func AllDrills() []Drill {
	return []Drill{
		{
			Name: "publisher dies after the commit", Must: "the event is sent after the restart",
			figures: []figure{figureTypes}, stage: dies(delivery.RelayRead),
		},
		{
			Name: "publisher dies between sending and marking", Must: "it sends again, and consumers find the duplicates",
			stage: dies(delivery.RelayPublished),
		},
		{
			Name: "consumer dies before its commit", Must: "the event comes again, the effect is there once",
			stage: dies(delivery.InboxRecorded),
		},
		{
			Name: "consumer dies between commit and acknowledgement", Must: "the event comes again, the effect does not repeat",
			stage: dies(delivery.InboxCommitted),
		},
		{
			Name: "killed at every step", Must: "nothing is lost and nothing happens twice, whichever step it was",
			stage: stageSteps,
		},
		{
			Name: "killed at random", Must: "nothing is lost and nothing happens twice", stage: stageKills,
		},
		{
			Name: "handler kills the process", Must: "its event is quarantined after its attempts, its neighbours flow",
			poisoned: []string{"o-2"}, figures: []figure{figureCases}, stage: stagePoison,
		},
		{
			Name: "a store that fails at call n", Must: "nothing is lost and nothing happens twice, whichever call it was",
			stage: stageFaulty,
		},
		{
			Name: "duplicated, reordered, refused", Must: "one effect a key, an older version never overwrites a newer",
			figures: []figure{figureStale, figureParked, figureState}, stage: stageUnruly,
		},
		{
			Name: "delayed", Must: "what comes late is handled, skipped as older, or filled in where every step is needed",
			figures: []figure{figureStale, figureParked, figureState}, stage: stageDelayed,
		},
		{
			Name: "handlers fail, hang and panic", Must: "a limited number of attempts, then quarantine; other lanes flow",
			poisoned: []string{"o-2", "o-4"}, figures: []figure{figureFailed, figureParked, figureCases, figureBetween}, stage: stageFaults,
		},
		{
			Name: "poison bytes and an unknown version", Must: "what cannot be read is quarantined by its position and parks nobody",
			figures: []figure{figureCases}, stage: stageBytes,
		},
		{
			Name: "two of everything", Must: "members of one group share the work, one effect a key",
			poisoned: []string{"o-2", "o-4"}, figures: []figure{figureMembers}, stage: stagePairs,
		},
		{
			Name: "rolling deploy and rollback, v1 and v2 of every fact", Must: "old and new consumers read what both publish, one effect a key",
			figures: []figure{figureTypes, figureMembers}, stage: stageRolling,
		},
		{
			Name: "clocks jump a day forth and back", Must: "leases, pauses and deadlines recover, order and identity don't notice",
			figures: []figure{figureParked}, stage: stageClock,
		},
		{
			Name: "locks time out", Must: "the work is tried again", stage: stageLocks,
		},
		{
			Name: "the database restarts", Must: "loops connect again and go on", stage: stageRestart,
		},
		{
			Name: "the server crashes between read and publish", Must: "no event goes out that the crash has undone, though the business doesn't wait for its commits",
			stage: stageGhosts,
		},
		{
			Name: "the disk is full", Must: "nothing more is taken, nothing is lost, it goes on when there is room", stage: stageFull,
		},
	}
}

// dies kills a child at a step that every run reaches; the next one finishes.
func dies(step delivery.Step) func(context.Context, *Stage) error {
	return func(ctx context.Context, s *Stage) error {
		s.note("killed at", "%s", step)
		return killAt(ctx, step, s.World)
	}
}

func killAt(ctx context.Context, step delivery.Step, w *World) error {
	if err := w.populate(ctx, 3, 2, func(f *Fact) {
		if f.Order == "o-1" && f.Version == 1 {
			f.Fault, f.Times = "error", 1
		}
	}); err != nil {
		return err
	}
	task := Task{Source: w.DB.Source, Die: step, Nth: 1, Within: 20 * time.Second, Batch: 4}
	killed, err := task.Child(ctx)
	if err == nil && !killed {
		err = errors.New("the child came to its end")
	}
	if err != nil {
		return fmt.Errorf("kill at %q: %w", step, err)
	}
	task.Die = ""
	if killed, err = task.Child(ctx); err == nil && killed {
		err = errors.New("it was killed by somebody else")
	}
	if err != nil {
		return fmt.Errorf("the process after the one that was killed at %q: %w", step, err)
	}
	return nil
}

func stageSteps(ctx context.Context, s *Stage) error {
	return s.each(ctx, len(delivery.Steps), func(ctx context.Context, i int, w *World) error {
		return killAt(ctx, delivery.Steps[i], w)
	})
}

func stageKills(ctx context.Context, s *Stage) error {
	r, err := s.World.Kills(ctx, s.Options.Kills, s.Seed)
	s.note("processes killed with SIGKILL, started", "%d, %d", r.Kills, r.Starts)
	return err
}

// stagePoison has an event whose handler kills the process each time, in one
// consumer.
func stagePoison(ctx context.Context, s *Stage) error {
	w := s.World
	if err := w.populate(ctx, 4, 3, func(f *Fact) {
		if f.Order == "o-2" && f.Version == 2 {
			f.Fault, f.Only = "kill", Loyalty
		}
	}); err != nil {
		return err
	}
	// The pauses are longer than a start takes, as they are in earnest: else an
	// innocent event is in flight, by bad luck, each time that the process dies.
	attempts := w.Policy.Retry.Attempts
	retry := event.Retry{Attempts: attempts, Initial: 2 * time.Second, Max: 4 * time.Second, Jitter: 0.5}
	task := Task{Source: w.DB.Source, Within: 60 * time.Second, Batch: 20, Retry: retry}
	died := 0
	for ; died < 10; died++ {
		killed, err := task.Child(ctx)
		if err != nil {
			return err
		}
		if !killed {
			break
		}
	}
	s.note("processes that died", "%d", died)
	n, err := w.DB.Count(ctx, "SELECT count(*) FROM evc_quarantine WHERE reason = 'crash' AND attempts = $1", attempts)
	if err == nil && (n != 1 || died != attempts) {
		err = fmt.Errorf("%d processes died and %d cases of a crash, want %d and 1", died, n, attempts)
	}
	return err
}

// stageFaulty runs a small system once for every call of its store, and lets
// that one fail, until a run comes to its end before its call.
func stageFaulty(ctx context.Context, s *Stage) error {
	hit := map[string]int{}
	for _, after := range []bool{false, true} {
		for nth := 1 + s.Dice.IntN(s.Steps); nth < 500; nth += s.Steps {
			f := &Faulty{Nth: nth, After: after}
			if err := s.one(ctx, nth, func(ctx context.Context, _ int, w *World) error { return f.run(ctx, w) }); err != nil {
				return fmt.Errorf("call %d (%s) failed: %w", nth, f.Hit, err)
			}
			if f.Hit == "" {
				break
			}
			hit[f.Hit]++
		}
	}
	s.note("calls that failed", "%v", hit)
	return nil
}

func (s *Stage) unruly(u *Unruly) System {
	u.Seed = s.Seed
	return System{World: s.World, Batch: 10, Publish: func(b delivery.Broker) delivery.Broker {
		u.Broker = b
		return u
	}}
}

func stageUnruly(ctx context.Context, s *Stage) error {
	if err := s.populate(ctx, 6, 5, nil); err != nil {
		return err
	}
	return s.unruly(&Unruly{Duplicate: 0.4, Reorder: 0.4, Refuse: 0.1}).Run(ctx, 30*time.Second)
}

func stageDelayed(ctx context.Context, s *Stage) error {
	if err := s.populate(ctx, 6, 5, nil); err != nil {
		return err
	}
	u := &Unruly{Delay: 0.3, DelayBy: 100 * time.Millisecond}
	system := s.unruly(u)
	if err := system.while(ctx, func(ctx context.Context) error { return errors.Join(system.rest(ctx, 20*time.Second), u.Wait()) }); err != nil {
		return err
	}
	s.note("messages that came late", "%d", u.Delayed())
	system.Publish = nil
	return system.Run(ctx, 20*time.Second)
}

func stageFaults(ctx context.Context, s *Stage) error {
	if err := s.populate(ctx, 8, 4, faults); err != nil {
		return err
	}
	if err := s.unruly(&Unruly{Duplicate: 0.3, Refuse: 0.1}).Run(ctx, 20*time.Second); err != nil {
		return err
	}
	for _, name := range Consumers {
		n, err := s.DB.Count(ctx, "SELECT count(*) FROM evc_quarantine q JOIN evc_consumer c ON c.id = q.consumer WHERE c.name = $1", name)
		if err != nil || n != 2 {
			return fmt.Errorf("%s: %d cases, want 2 (%w)", name, n, err)
		}
	}
	return nil
}

// stageBytes has other senders on the topic, who send what nobody can read.
func stageBytes(ctx context.Context, s *Stage) error {
	if err := s.populate(ctx, 4, 3, nil); err != nil {
		return err
	}
	poison, untyped, newer := fact("o-1", 1).Message(0), fact("o-1", 1).Message(0), fact("o-1", 9).Message(0)
	poison.Payload, untyped.Type, newer.Type, newer.Version = []byte{0xff, 0x00, '{'}, "", "OrderPaid.v9", 0
	for i, err := range s.DB.Broker("stranger").Publish(ctx, []event.Message{poison, untyped, newer}) {
		if err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
	}
	if err := (System{World: s.World, Batch: 5}).Run(ctx, 20*time.Second); err != nil {
		return err
	}
	n, err := s.DB.Count(ctx, "SELECT count(*) FROM evc_quarantine WHERE reason = 'unidentified'")
	if want := int64(2 * len(Consumers)); err == nil && n != want {
		err = fmt.Errorf("%d cases of what cannot be identified, want %d", n, want)
	}
	return err
}

// stagePairs runs two of everything over one database.
func stagePairs(ctx context.Context, s *Stage) error {
	if err := s.populate(ctx, 6, 4, faults); err != nil {
		return err
	}
	ended := make(chan error, 2)
	for range 2 {
		go func() { ended <- System{World: s.World, Batch: 4}.Run(ctx, 20*time.Second) }()
	}
	return errors.Join(<-ended, <-ended)
}
