package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/evcontract/evcontract/delivery"
)

// relayFlags are what a relay can be told.
type relayFlags struct {
	store   storeFlag
	broker  string
	migrate bool
	drain   bool
	batch   int
	keep    durationFlag
	recall  durationFlag
	log     string
}

func (a *app) relayCommand() *cobra.Command {
	f := relayFlags{keep: durationFlag(7 * 24 * time.Hour), recall: durationFlag(30 * 24 * time.Hour)}
	cmd := &cobra.Command{
		Use:   "relay",
		Short: "Send committed events to the broker, for services that run no relay themselves",
		Long: `relay sends what services have committed to their outbox. Any number may run on
one database: they share the work, and the order of each aggregate is kept.

It runs until it is interrupted (SIGINT, SIGTERM), finishes the batch in hand
and gives its share back. Failures of the database or the broker are logged and
tried again. The log goes to standard error and never holds a payload.

Without --broker, the topics are kept in the database itself, where inboxes with
the store's own broker read them.`,
		Example: `  evcontract relay --store sqlite:orders.db
  EVCONTRACT_STORE=postgres://orders:…@db/orders evcontract relay
  evcontract relay --store sqlite:orders.db --broker sqlite:topics.db
  evcontract relay --store sqlite:orders.db --drain     # until nothing is left`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.relay(cmd.Context(), &f) },
	}
	f.store.bind(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.broker, "broker", "", "where events are sent: sqlite:`PATH` or postgres://…; else $"+brokerVariable+", else the database itself")
	flags.BoolVar(&f.migrate, "migrate", false, "make the tables, or bring them up to date, where they are missing")
	flags.BoolVar(&f.drain, "drain", false, "end when nothing is left to send")
	flags.IntVar(&f.batch, "batch", 500, "most events sent at once")
	flags.Var(&f.keep, "keep", "how long the payloads of published events are kept")
	flags.Var(&f.recall, "remember", "how long keys are remembered; a key that is published again within it writes nothing")
	flags.StringVar(&f.log, "log", "text", "text or json")
	return cmd
}

func (a *app) relay(ctx context.Context, f *relayFlags) (err error) {
	log, err := a.logger(f.log)
	if err != nil {
		return err
	}
	switch {
	case f.batch < 1 || f.batch > delivery.MostBatch:
		return fmt.Errorf("--batch %d: want 1 to %d", f.batch, delivery.MostBatch)
	case f.keep <= 0:
		return fmt.Errorf("--keep %s: want more than nothing: what is dropped at once cannot be replayed", &f.keep)
	case f.recall <= 0:
		return fmt.Errorf("--remember %s: want more than nothing: a key that is not remembered is published twice", &f.recall)
	}
	db, err := openStore(ctx, or(f.store.source, os.Getenv(storeVariable)), f.migrate)
	if err != nil {
		return hinted(err)
	}
	defer func() { err = errors.Join(err, db.close()) }()
	topics, closed, err := openBroker(ctx, or(f.broker, os.Getenv(brokerVariable)), db, f.migrate)
	if err != nil {
		return hinted(err)
	}
	defer func() { err = errors.Join(err, closed()) }()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var sent atomic.Int64
	relay := delivery.Relay{
		Store: db.Store, Broker: topics("relay"), Batch: f.batch, Log: log,
		Keep: time.Duration(f.keep), Remember: time.Duration(f.recall),
		Observe: func(o delivery.Observation) {
			if o.Outcome == delivery.Published {
				sent.Add(int64(o.Count))
			}
		},
	}
	if f.drain {
		go stopWhenEmpty(ctx, db, stop)
	}
	err = relay.Run(ctx)
	log.Info("relay stopped", "published", sent.Load())
	return err
}

// hinted adds what makes the database to an error that says it is missing.
func hinted(err error) error {
	if noTables(err) || errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w (evcontract relay --migrate makes it)", err)
	}
	return err
}

// stopWhenEmpty calls stop once the outbox is empty. A failure to look is the
// relay's to report: it uses the same database.
func stopWhenEmpty(ctx context.Context, db *database, stop func()) {
	for ctx.Err() == nil {
		if st, err := db.Status(ctx); err == nil && st.Outbox.Pending == 0 {
			stop()
			return
		}
		_ = delivery.SystemClock{}.Sleep(ctx, 100*time.Millisecond) // the loop looks at ctx itself
	}
}

func (a *app) logger(format string) (*slog.Logger, error) {
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(a.err, nil)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(a.err, nil)), nil
	}
	return nil, fmt.Errorf("--log %s: want text or json", format)
}
