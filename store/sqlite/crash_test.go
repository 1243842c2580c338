package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/store/sqlite"
)

// crashKeys is how many keys all processes share, so that most of what they do
// was done before by another one.
const crashKeys = 1500

// crasher is a process that publishes and consumes until it is killed.
type crasher struct {
	store *sqlite.Store
	seed  uint64
}

// publish appends some keys, some of them twice and some undone, and writes a
// row for each that is new.
func (c *crasher) publish(ctx context.Context, dice *rand.Rand) error {
	all := func(ctx context.Context, tx *sql.Tx) error {
		for range 1 + dice.IntN([]int{3, 30, 200}[dice.IntN(3)]) {
			if dice.IntN(3) == 0 {
				if err := appendUndone(ctx, tx, draftOf(fmt.Sprint(dice.IntN(crashKeys)), "same")); err != nil {
					return err
				}
			}
			key := dice.IntN(crashKeys)
			r, err := sqlite.In(tx).Append(ctx, draftOf(fmt.Sprint(key), "same"))
			if err == nil && !r[0].Duplicate {
				_, err = tx.ExecContext(ctx, "INSERT INTO facts VALUES (?)", key)
			}
			if err != nil {
				return err
			}
		}
		if dice.IntN(4) == 0 {
			return errUndone
		}
		return nil
	}
	if dice.IntN(2) == 0 {
		return c.store.InTx(ctx, all)
	}
	tx, err := c.store.DB().BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := all(ctx, tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// appendUndone appends a draft in a savepoint that is rolled back.
func appendUndone(ctx context.Context, tx *sql.Tx, d event.Draft) error {
	_, begin := tx.ExecContext(ctx, "SAVEPOINT own")
	_, err := sqlite.In(tx).Append(ctx, d)
	_, end := tx.ExecContext(ctx, "ROLLBACK TO own; RELEASE own")
	return errors.Join(begin, err, end)
}

// consume enters some keys and writes a row for each that is new.
func (c *crasher) consume(ctx context.Context, dice *rand.Rand) error {
	var batch []delivery.Entry
	numbers := map[event.Key]int{}
	for range 1 + dice.IntN([]int{3, 40, 200}[dice.IntN(3)]) {
		n := 1 + dice.IntN(crashKeys)
		if e := entryOf(n); numbers[e.Key] == 0 {
			numbers[e.Key], e.Marked = n, false
			batch = append(batch, e)
		}
	}
	return c.store.Work(ctx, c.member(), func(ctx context.Context, w delivery.Work) error {
		answers, err := w.Enter(ctx, batch)
		if err != nil {
			return err
		}
		var changes delivery.Changes
		for i := range answers {
			if answers[i].Seen != "" {
				continue
			}
			if dice.IntN(10) == 0 {
				changes.Outcomes = append(changes.Outcomes, delivery.Changed{Key: batch[i].Key, Outcome: delivery.Stale})
			}
			if _, err := sqlite.From(w.Tx()).ExecContext(ctx, "INSERT INTO effects VALUES (?)", numbers[batch[i].Key]); err != nil {
				return err
			}
		}
		if err := w.Record(ctx, changes); err != nil {
			return err
		}
		if dice.IntN(4) == 0 {
			return errUndone
		}
		return nil
	})
}

func (c *crasher) member() delivery.Member {
	return delivery.Member{Consumer: "c", Instance: fmt.Sprint("i", c.seed)}
}

// run goes on for ever; contexts end at any time.
func (c *crasher) run(work func(context.Context, *rand.Rand) error, dice *rand.Rand) {
	for {
		ctx, cancel := context.WithCancel(context.Background())
		if dice.IntN(5) == 0 {
			time.AfterFunc(time.Duration(dice.IntN(5000))*time.Microsecond, cancel)
		}
		err := work(ctx, dice)
		cancel()
		if err != nil && !errors.Is(err, errUndone) && !errors.Is(err, context.Canceled) && !errors.Is(err, sql.ErrTxDone) {
			fmt.Println(err)
		}
	}
}

// Variables of the processes of TestCrashes.
const (
	crasherFile = "EVCONTRACT_CRASHER"
	crasherSeed = "EVCONTRACT_CRASHER_SEED"
)

// crash is what the processes of TestCrashes do, until they are killed or
// whoever started them is gone.
func crash(path, seed string) error {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	n, err := strconv.ParseUint(seed, 10, 64)
	if err != nil {
		return err
	}
	s, err := sqlite.Open(path)
	if err != nil {
		return err
	}
	c := &crasher{store: s, seed: n}
	dice := rand.New(rand.NewPCG(n, 0))
	c.store.MoveAt(1 + dice.IntN(200))
	c.store.MoveIDsAt(1+dice.IntN(300), 1+dice.IntN(40))
	c.store.SieveRoom(32)
	if err := c.store.Join(context.Background(), c.member()); err != nil {
		return err
	}
	var running sync.WaitGroup
	for i, work := range []func(context.Context, *rand.Rand) error{c.publish, c.publish, c.consume, c.consume} {
		running.Go(func() { c.run(work, rand.New(rand.NewPCG(n, uint64(i+1)))) })
	}
	running.Wait()
	return nil
}

// TestCrashes kills processes that publish and consume the same keys in one file:
// each key has one event and one effect at most, and what was committed is known.
func TestCrashes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	s := openStore(t, path)
	if _, err := s.DB().Exec("CREATE TABLE facts (key INTEGER); CREATE TABLE effects (key INTEGER)"); err != nil {
		t.Fatal(err)
	}
	count := func(query string) (n int) {
		t.Helper()
		if err := s.Reader().QueryRow(query).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	seed := rand.Uint64N(1 << 40)
	t.Logf("seeds from %d", seed)
	start := func() *exec.Cmd {
		seed++
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), crasherFile+"="+path, fmt.Sprint(crasherSeed, "=", seed))
		c.Stdout, c.Stderr = os.Stderr, os.Stderr
		if _, err := c.StdinPipe(); err != nil { // which ends with this process
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
		return c
	}
	moved := func() int { return count("SELECT coalesce(sum(seen_at), 0) FROM evc_member") } // with each batch
	children := []*exec.Cmd{start(), start(), start()}
	for kill := range 15 {
		deadline := time.Now().Add(2 * time.Minute)
		for seen, moves := moved(), 0; moves < 20; time.Sleep(2 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the processes do nothing")
			}
			if now := moved(); now != seen {
				seen = now
				moves++
			}
		}
		c := children[kill%len(children)]
		_ = c.Process.Kill()
		_ = c.Wait()
		children[kill%len(children)] = start()
	}
	for _, c := range children {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
	for what, query := range map[string]string{
		"keys with two events":         "SELECT count(*) - count(DISTINCT key) FROM facts",
		"keys with two effects":        "SELECT count(*) - count(DISTINCT key) FROM effects",
		"ids of two events":            "SELECT count(*) - count(DISTINCT id) FROM evc_event",
		"changes without an event":     "SELECT (SELECT count(*) FROM facts) - (SELECT count(*) FROM evc_event)",
		"events that wait for no one":  "SELECT (SELECT count(*) FROM evc_event) - (SELECT count(*) FROM evc_outbox)",
		"effects whose key is unknown": "SELECT (SELECT count(*) FROM effects) - (SELECT count(*) FROM evc_seen)",
	} {
		if n := count(query); n != 0 {
			t.Errorf("%s: %d", what, n)
		}
	}
	t.Logf("%d events, %d effects", count("SELECT count(*) FROM facts"), count("SELECT count(*) FROM effects"))
}
