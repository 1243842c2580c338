package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/store/postgres"
)

// postgresVariable holds the DSN of a database in which tests may make schemas.
const postgresVariable = "EVCONTRACT_POSTGRES"

// postgresSource is a schema of its own, as a --store.
func postgresSource(t *testing.T) string {
	t.Helper()
	settings := os.Getenv(postgresVariable)
	if settings == "" {
		t.Skipf("%s is not set: it holds the DSN of a PostgreSQL database in which tests may make schemas", postgresVariable)
	}
	schema := fmt.Sprintf("evc_test_cmd_%d_%d", os.Getpid(), time.Now().UnixNano())
	if err := onPostgres(t.Context(), settings, "CREATE SCHEMA "+schema); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := onPostgres(context.Background(), settings, "DROP SCHEMA "+schema+" CASCADE"); err != nil {
			t.Error(err)
		}
	})
	within, err := inSchema(settings, schema)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(within, "://") {
		return within
	}
	return "postgres:" + within
}

// session runs commands against one database.
type session struct {
	t      *testing.T
	source string
}

// run runs a command and gives its exit code and what it printed.
func (s session) run(args ...string) (int, string) {
	s.t.Helper()
	var out, errs bytes.Buffer
	a := &app{out: &out, err: &errs, now: time.Now}
	code := a.run(s.t.Context(), append(args, "--store", s.source))
	return code, out.String() + errs.String()
}

func (s session) want(code int, text string, args ...string) string {
	s.t.Helper()
	got, out := s.run(args...)
	if got != code || !strings.Contains(out, text) {
		s.t.Errorf("evcontract %s: exit code %d, want %d, and %q in\n%s", strings.Join(args, " "), got, code, text, out)
	}
	return out
}

func (s session) eventually(text string, args ...string) {
	s.t.Helper()
	var out string
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if _, out = s.run(args...); strings.Contains(out, text) {
			return
		}
	}
	s.t.Fatalf("evcontract %s never printed %q:\n%s", strings.Join(args, " "), text, out)
}

// TestPostgres: every command works on PostgreSQL as the scripts show it on
// SQLite.
func TestPostgres(t *testing.T) {
	s := session{t, postgresSource(t)}
	s.want(2, "database has no tables of evcontract", "status", "--over", "1ms")
	s.want(2, "evcontract relay --migrate makes it", "relay")
	s.want(0, "relay stopped", "relay", "--migrate", "--drain")
	s.want(0, "nobody handles events here", "status", "--over", "1ms")
	_, settings, _ := strings.Cut(s.source, ":")
	store, err := postgres.Open(t.Context(), dsn(s.source, settings))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	append3(t, dsn(s.source, settings), store)
	s.want(0, "outbox  3 events wait", "status", "--over", "1ms")
	s.want(0, "published=3", "relay", "--drain")

	mended := make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- delivery.Inbox{Store: store, Broker: store.NewBroker("audit"), Build: "build-1"}.Run(ctx, audit(mended))
	}()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	s.eventually("quarantine 1 open, 0 overdue", "status", "--over", "1ms")
	s.want(0, "audit is paused", "pause", "audit", "--by", "ada")
	s.want(0, "paused by ada", "status", "--over", "1ms")
	s.want(0, "goes on where it stopped", "resume", "audit")
	number := caseNumber.FindStringSubmatch(s.want(0, "order/o-2", "quarantine", "list"))
	if number == nil {
		t.Fatal("no case") // what was rolled back has used up numbers
	}
	s.want(0, "owner      team-audit", "quarantine", "show", number[1])
	s.want(1, "fails", "quarantine", "replay", number[1], "--reason", "a try")
	close(mended)
	plan := planLine.FindStringSubmatch(s.want(0, "done", "quarantine", "replay", number[1], "--reason", "mended"))
	if plan == nil {
		t.Fatal("no plan")
	}
	s.want(0, "done", "quarantine", "replay", "--apply", plan[1], "--reason", "mended")
	s.want(0, "resolved", "quarantine", "show", number[1])
	s.eventually("handled 3 ", "status", "--over", "1ms", "audit") // the neighbours are handled by another loop
}

// audit is a consumer that cannot handle order o-2 until something is mended.
func audit(mended chan struct{}) event.Consumer {
	return event.Consumer{Name: "audit", Revision: "r1", Policy: event.Policy{Owner: "team-audit"}, Routes: []event.Route{{
		Event: "OrderPaid.v1", Topic: "orders.events",
		Identify: func(m event.Message) (id event.Identity, err error) {
			id.Lane, id.Version, id.Time = event.Lane{Type: m.AggregateType, ID: m.Subject}, m.Version, m.Time
			return id, id.Key.UnmarshalText([]byte(m.IdempotencyKey))
		},
		Handle: func(_ context.Context, _ event.Tx, m event.Message, _ event.Identity) error {
			select {
			case <-mended:
				return nil
			default:
			}
			if m.Subject == "o-2" {
				return event.Permanent(errors.New("no account"))
			}
			return nil
		},
	}}}
}

// append3 publishes three events.
func append3(t *testing.T, settings string, store *postgres.Store) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), settings)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	err = pgx.BeginFunc(t.Context(), conn, func(tx pgx.Tx) error {
		for _, order := range []string{"o-1", "o-2", "o-3"} {
			key := event.NewKey("OrderPaid", order)
			_, err := store.In(tx).Append(t.Context(), event.Draft{
				Event: "OrderPaid.v1", Source: "orders", Topic: "orders.events", ID: event.NewID("OrderPaid.v1", key), Key: key,
				Lane: event.Lane{Type: "order", ID: order}, Version: 1, PartitionKey: order, ContentType: "application/json",
				Body: [32]byte{1}, Payload: []byte(`{}`),
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestPostgresDrill: a drill works in schemas of its own, drops them, and refuses
// a database that is in use.
func TestPostgresDrill(t *testing.T) {
	source := postgresSource(t)
	s := session{t, source}
	s.want(0, "relay stopped", "relay", "--migrate", "--drain") // now it is in use
	s.want(2, "evcontract is in use in this database", "drill", "--only", "duplicated")
	out := s.want(0, "1 drill held every invariant; seed 7", "drill", "--only", "duplicated", "--seed", "7", "--beside-data")
	_, own, _ := strings.Cut(out, "schemas "+schemaPrefix)
	own, _, _ = strings.Cut(own, "_")
	_, settings, _ := strings.Cut(source, ":")
	conn, err := pgx.Connect(t.Context(), dsn(source, settings))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	var left int
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_namespace WHERE starts_with(nspname, $1)", schemaPrefix+own).Scan(&left); err != nil || left != 0 || len(own) != 8 {
		t.Errorf("%d schemas %q are left: %v", left, own, err)
	}
}
