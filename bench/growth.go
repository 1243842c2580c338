package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/store/postgres"
)

// Growth measures what full tables cost: the processor time an event of relay
// and inbox with 10^4 and with 10^6 rows of keys, marks and log, and what an
// hour of traffic leaves behind in the outbox. Processor time is what doesn't
// depend on who else uses the machine.
type growth struct {
	conn  *pgx.Conn
	store *postgres.Store
	rows  int // that the tables were filled up to
}

const (
	few, many   = 10_000, 1_000_000
	growthTries = 5
	hour        = 360_000 // events: 100 a second
)

func measureGrowth(ctx context.Context, dsn string) (figures []Figure, err error) {
	const schema = "evc_growth"
	conn, err := pgx.Connect(ctx, with(dsn, "search_path="+schema))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	if _, err := conn.Exec(ctx, "DROP SCHEMA IF EXISTS "+schema+" CASCADE; CREATE SCHEMA "+schema); err != nil {
		return nil, err
	}
	defer func() {
		_, dropErr := conn.Exec(context.WithoutCancel(ctx), "DROP SCHEMA "+schema+" CASCADE")
		err = errors.Join(err, dropErr)
	}()
	store, err := postgres.Open(ctx, with(dsn, "search_path="+schema, "application_name="+schema))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if _, err := conn.Exec(ctx, "CREATE TABLE effect (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key uuid, n int)"); err != nil {
		return nil, err
	}
	g := &growth{conn: conn, store: store}
	if figures, err = g.perEvent(ctx); err != nil {
		return nil, err
	}
	left, err := g.hour(ctx)
	return append(figures, left...), err
}

// perEvent measures at both sizes.
func (g *growth) perEvent(ctx context.Context) ([]Figure, error) {
	var figures []Figure
	small := map[string]float64{}
	for _, rows := range []int{few, many} {
		if err := g.fill(ctx, rows); err != nil {
			return nil, fmt.Errorf("fill to %d rows: %w", rows, err)
		}
		for _, s := range []struct {
			name string
			run  func(context.Context) (events int, err error)
		}{{"relay", g.relay}, {"inbox", g.inbox}} {
			var tries []float64
			for range growthTries {
				us, err := g.cpu(ctx, s.run)
				if err != nil {
					return nil, fmt.Errorf("%s with %d rows: %w", s.name, rows, err)
				}
				fmt.Fprintf(os.Stderr, "growth   %-44s %10.1f us of processor an event\n", fmt.Sprintf("%s, %d rows", s.name, rows), us)
				tries = append(tries, us)
			}
			f := Figure{Name: fmt.Sprintf("pg %s, processor time with %d rows", s.name, rows), Value: median(tries), Unit: "us/event"}
			if rows == few {
				small[s.name] = f.Value
			} else {
				f.Against, f.Ratio, f.Goal = fmt.Sprintf("pg %s, processor time with %d rows", s.name, few), f.Value/small[s.name], "<= 1.3"
			}
			figures = append(figures, f)
		}
	}
	return figures, nil
}

// fill brings the tables that grow to a number of rows.
func (g *growth) fill(ctx context.Context, rows int) error {
	if err := g.store.Join(ctx, delivery.Member{Consumer: "bench", Instance: "fill"}); err != nil {
		return err
	}
	if _, err := g.store.Lease(ctx, delivery.Lease{Owner: "fill", For: time.Second}); err != nil { // makes today's part of the log
		return err
	}
	if err := g.store.Release(ctx, delivery.Lease{Owner: "fill"}); err != nil {
		return err
	}
	for _, statement := range []string{
		`INSERT INTO evc_seen (consumer, key, bucket, outcome) SELECT c.id, gen_random_uuid(), 20000, 'done' FROM evc_consumer c, generate_series($1::int, $2::int)`,
		`INSERT INTO evc_mark (consumer, lane_type, lane_id, topic, version, event, key) SELECT c.id, 'order', 'old-' || i, '', 1, 'OrderPaid', gen_random_uuid() FROM evc_consumer c, generate_series($1::int, $2::int) AS i`,
		`INSERT INTO evc_event (id, key, event, revision, topic, lane_type, lane_id, version, body, appended_at, claim)
			SELECT gen_random_uuid(), gen_random_uuid(), 'OrderPaid.v1', '0123456789abcdef', 'orders.events', 'order', 'old-' || i, 1, decode(repeat('00', 32), 'hex'), evc_now(NULL), 'OrderPaid' FROM generate_series($1::int, $2::int) AS i`,
		`INSERT INTO evc_log SELECT evc_now(NULL) / 86400000000, -i, evc_now(NULL), 'fill', gen_random_uuid(), gen_random_uuid(), 'OrderPaid.v1', '0123456789abcdef', 'orders.events', 'order', 'old-' || i, 1, 'orders', 'old', 0, 'application/json', '', convert_to(repeat('x', 300), 'UTF8'), 0 FROM generate_series($1::int, $2::int) AS i`,
	} {
		if _, err := g.conn.Exec(ctx, statement, g.rows+1, rows); err != nil {
			return err
		}
	}
	g.rows = rows
	_, err := g.conn.Exec(ctx, "VACUUM ANALYZE evc_seen, evc_mark, evc_event, evc_log")
	return err
}

func (g *growth) append(ctx context.Context, n int) error {
	for n > 0 {
		drafts := make([]event.Draft, min(n, 1000))
		for i := range drafts {
			drafts[i] = draft()
		}
		n -= len(drafts)
		if err := pgx.BeginFunc(ctx, g.conn, func(tx pgx.Tx) error {
			_, err := postgres.In(tx).Append(ctx, drafts...)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

func (g *growth) relay(ctx context.Context) (int, error) {
	const n = 10_000
	_, err := relay(ctx, g.store, func(int) error { return nil }, n)
	return n, err
}

func (g *growth) inbox(ctx context.Context) (events int, err error) {
	d := time.Second
	perSecond, err := consume(ctx, g.store, 1, d, event.Route{
		Handle: func(_ context.Context, tx event.Tx, _ event.Message, id event.Identity) error {
			postgres.FromQueue(tx).Queue(insertEffect, [16]byte(id.Key), 1)
			return nil
		},
	})
	return int(perSecond * d.Seconds()), err
}

// cpu is the processor time of this process and of the server's backends.
func (g *growth) cpu(ctx context.Context, f func(context.Context) (int, error)) (usPerEvent float64, err error) {
	if err := g.append(ctx, 10_000); err != nil { // the relay's; they make the connections warm
		return 0, err
	}
	before, err := g.used(ctx)
	if err != nil {
		return 0, err
	}
	n, err := f(ctx)
	if err != nil {
		return 0, err
	}
	after, err := g.used(ctx)
	if _, clearErr := g.conn.Exec(ctx, "DELETE FROM evc_outbox"); err == nil {
		err = clearErr
	}
	return float64((after - before).Microseconds()) / float64(max(n, 1)), err
}

func (g *growth) used(ctx context.Context) (time.Duration, error) {
	all := ownTime()
	rows, err := g.conn.Query(ctx, "SELECT pid FROM pg_stat_activity WHERE application_name = 'evc_growth'")
	if err != nil {
		return 0, err
	}
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int32])
	if err != nil {
		return 0, err
	}
	for _, pid := range pids {
		backend, err := processOf(pid)
		if err != nil {
			return 0, err
		}
		all += backend.own
	}
	own, err := processOf(int32(g.conn.PgConn().PID()))
	if err != nil {
		return 0, err
	}
	server, err := processOf(own.parent) // has what backends used that ended meanwhile
	return all + server.ended, err
}

// process is what Linux says of one.
type process struct {
	parent     int32
	own, ended time.Duration // processor time of its own, and of children that ended
}

func processOf(pid int32) (process, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, fmt.Errorf("the server must be on this machine: %w", err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest) // of proc(5), from the third on
	var p process
	var user, system, endedUser, endedSystem int64
	_, err = fmt.Sscan(strings.Join(slices.Concat(fields[1:2], fields[11:15]), " "), &p.parent, &user, &system, &endedUser, &endedSystem)
	const tick = time.Second / 100
	p.own, p.ended = time.Duration(user+system)*tick, time.Duration(endedUser+endedSystem)*tick
	return p, err
}

// hour sends an hour's traffic through the outbox, vacuumed as often as
// autovacuum would do it in an hour, and shows what that leaves behind.
func (g *growth) hour(ctx context.Context) ([]Figure, error) {
	const part = hour / 36
	if _, err := g.conn.Exec(ctx, "VACUUM evc_outbox"); err != nil {
		return nil, err
	}
	var scans []float64
	var dead, kilobytes float64
	for range hour / part {
		if err := g.append(ctx, part); err != nil {
			return nil, err
		}
		scan, err := g.scan(ctx)
		if err != nil {
			return nil, err
		}
		scans = append(scans, scan)
		if _, err := relay(ctx, g.store, func(int) error { return nil }, part); err != nil {
			return nil, err
		}
		if err := g.conn.QueryRow(ctx, `SELECT greatest($1, pg_stat_get_dead_tuples('evc_outbox'::regclass)::float8)`, dead).Scan(&dead); err != nil {
			return nil, err
		}
		if _, err := g.conn.Exec(ctx, "VACUUM evc_outbox"); err != nil {
			return nil, err
		}
	}
	if err := g.conn.QueryRow(ctx, `SELECT pg_total_relation_size('evc_outbox')::float8 / 1024`).Scan(&kilobytes); err != nil {
		return nil, err
	}
	first, last := median(scans[:6]), median(scans[len(scans)-6:])
	return []Figure{
		{Name: "pg outbox in an hour's traffic, most dead tuples", Value: dead, Unit: "rows"},
		{Name: "pg outbox after an hour's traffic, size", Value: kilobytes, Unit: "kB"},
		{Name: "pg outbox, scan of 500 in the first ten minutes", Value: first, Unit: "us"},
		{Name: "pg outbox, scan of 500 in the last ten minutes", Value: last, Unit: "us", Against: "pg outbox, scan of 500 in the first ten minutes", Ratio: last / first},
	}, nil
}

// scan is how long reading a batch takes, in microseconds.
func (g *growth) scan(ctx context.Context) (float64, error) {
	lease := delivery.Lease{Owner: "scan", For: time.Minute}
	if _, err := g.store.Lease(ctx, lease); err != nil {
		return 0, err
	}
	var tries []float64
	for range 7 {
		start := time.Now()
		if _, err := g.store.Pending(ctx, lease, batch); err != nil {
			return 0, err
		}
		tries = append(tries, float64(time.Since(start).Microseconds()))
	}
	return median(tries), g.store.Release(ctx, lease)
}
