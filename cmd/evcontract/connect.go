package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
	"github.com/evcontract/evcontract/store/postgres"
	"github.com/evcontract/evcontract/store/sqlite"
)

// The places that --store and --broker are read from when the flags are not
// given: a flag shows in the list of processes, and so would a password in it.
const (
	storeVariable  = "EVCONTRACT_STORE"
	brokerVariable = "EVCONTRACT_BROKER"
)

// storeFlag names the database of a running system.
type storeFlag struct{ source string }

func (f *storeFlag) bind(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.source, "store", "", "the database: sqlite:`PATH` or postgres://…; else $"+storeVariable)
}

// attach opens the database that the flag or the environment names, which must
// have its tables already.
func (f *storeFlag) attach(ctx context.Context) (*database, error) {
	return openStore(ctx, or(f.source, os.Getenv(storeVariable)), false)
}

// database is an open store, which is a broker too.
type database struct {
	delivery.Store
	topics func(group string) delivery.Broker
	close  func() error
}

var errNoStore = errors.New("no database is named: say --store sqlite:PATH or --store postgres://…, or set " + storeVariable)

// openStore is the list of stores. Migrate makes tables that are missing; else
// nothing is created or changed. A source may hold a password: it is in no
// message.
func openStore(ctx context.Context, source string, migrate bool) (*database, error) {
	kind, rest, _ := strings.Cut(source, ":")
	switch kind {
	case "":
		return nil, errNoStore
	case "sqlite":
		if strings.TrimPrefix(rest, "//") == "" {
			return nil, errors.New("--store sqlite: names no file: write sqlite:PATH")
		}
		open := sqlite.Attach
		if migrate {
			open = sqlite.Open
		}
		s, err := open(strings.TrimPrefix(rest, "//"))
		if err != nil {
			return nil, err
		}
		return &database{s, func(group string) delivery.Broker { return s.NewBroker(group) }, s.Close}, nil
	case "postgres", "postgresql":
		open := postgres.Attach
		if migrate {
			open = postgres.Open
		}
		s, err := open(ctx, dsn(source, rest))
		if err != nil {
			return nil, err
		}
		return &database{s, func(group string) delivery.Broker { return s.NewBroker(group) }, s.Close}, nil
	}
	return nil, unknownSource("store", source)
}

// dsn leaves a URL as it is; postgres:host=… dbname=… is a list of settings.
func dsn(source, rest string) string {
	if strings.HasPrefix(rest, "//") {
		return source
	}
	return rest
}

// openBroker is the list of brokers. The store itself is the broker where none
// is named.
func openBroker(ctx context.Context, source string, store *database, migrate bool) (topics func(group string) delivery.Broker, closed func() error, err error) {
	kind, _, _ := strings.Cut(source, ":")
	switch kind {
	case "":
		return store.topics, func() error { return nil }, nil
	case "sqlite", "postgres", "postgresql":
		db, err := openStore(ctx, source, migrate)
		if err != nil {
			return nil, nil, fmt.Errorf("broker: %w", err)
		}
		return db.topics, db.close, nil
	}
	return nil, nil, unknownSource("broker", source)
}

// unknownSource says what is wrong with a source, and nothing of it that may be
// a secret.
func unknownSource(what, source string) error {
	kind, _, found := strings.Cut(source, ":")
	switch {
	case strings.ContainsAny(source, "@=") && !found:
		return fmt.Errorf("--%s: write sqlite:PATH, postgres://… or postgres:host=… dbname=…", what)
	case !found:
		return fmt.Errorf("--%s %s: did you mean sqlite:%s?", what, source, source)
	}
	return fmt.Errorf("--%s: there is no kind %q: write sqlite:PATH or postgres://…", what, kind)
}

// noTables reports whether a database was refused because its tables are missing
// or older than this program.
func noTables(err error) bool {
	for _, e := range []error{sqlite.ErrNoTables, sqlite.ErrOlder, postgres.ErrNoTables, postgres.ErrOlder} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// known answers an error about a consumer that never joined with those that did.
func known(ctx context.Context, db *database, consumer string, err error) error {
	if !errors.Is(err, delivery.ErrNoConsumer) {
		return err
	}
	st, statusErr := db.Status(ctx)
	if statusErr != nil {
		return errors.Join(err, statusErr)
	}
	return noConsumer(st, consumer)
}

func noConsumer(st delivery.Status, consumer string) error {
	names := make([]string, len(st.Consumers))
	for i, c := range st.Consumers {
		names[i] = c.Consumer
	}
	switch near := source.Suggest(consumer, names); {
	case len(names) == 0:
		return fmt.Errorf("%s: %w, nor has any other's", consumer, delivery.ErrNoConsumer)
	case near != "":
		return fmt.Errorf("%s: %w: did you mean %s?", consumer, delivery.ErrNoConsumer, near)
	default:
		slices.Sort(names)
		return fmt.Errorf("%s: %w: there are %s", consumer, delivery.ErrNoConsumer, strings.Join(names, ", "))
	}
}

// person is who runs the command, as far as the system knows.
func person() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return os.Getenv("USER")
}

// durationFlag is a flag that may be written in days, as in a manifest.
type durationFlag time.Duration

// String writes whole days as days.
func (d *durationFlag) String() string { return contract.Duration(*d).String() }

// Set reads 30d, 72h, 5m, 1s.
func (d *durationFlag) Set(text string) error {
	return (*contract.Duration)(d).UnmarshalText([]byte(text))
}

// Type is how the help names it.
func (d *durationFlag) Type() string { return "duration" }

// or is the first value that says something.
func or[T comparable](values ...T) T {
	var zero T
	for _, v := range values {
		if v != zero {
			return v
		}
	}
	return zero
}
