package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/evcontract/evcontract/delivery"
)

const (
	outboxStatus = `SELECT (SELECT count(*) FROM evc_outbox), coalesce((SELECT appended_at FROM evc_outbox ORDER BY seq LIMIT 1), 0),
		(SELECT count(*) FROM evc_hold), (SELECT count(*) FROM evc_relay WHERE until >= evc_now($1) AND owner !~ '/[0-9]+$'), (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM evc_outbox_seq_seq), evc_now($1)`
	consumerStatus = `SELECT c.id, c.name, c.owner, c.revision, c.build, c.paused, c.paused_by,
			(SELECT count(*) FROM evc_member m WHERE m.consumer = c.id AND m.seen_at >= $1 AND strpos(m.instance, '/') = 0),
			(SELECT count(*) FROM evc_block b WHERE b.consumer = c.id), (SELECT count(*) FROM evc_parked p WHERE p.consumer = c.id),
			coalesce((SELECT min(p.parked_at) FROM evc_parked p WHERE p.consumer = c.id), 0),
			(SELECT count(*) FROM evc_quarantine q WHERE q.consumer = c.id AND q.state IN ('open', 'replaying')),
			(SELECT count(*) FROM evc_quarantine q WHERE q.consumer = c.id AND q.state IN ('open', 'replaying') AND q.due_at < $2),
			coalesce((SELECT min(q.first_at) FROM evc_quarantine q WHERE q.consumer = c.id AND q.state IN ('open', 'replaying')), 0)
		FROM evc_consumer c ORDER BY c.name`
	memberStatus  = `SELECT handled, duplicates, stale, parked, failed, quarantined, slow FROM evc_member WHERE consumer = $1`
	reasonStatus  = `SELECT reason, count(*) FROM evc_quarantine WHERE consumer = $1 AND state IN ('open', 'replaying') GROUP BY reason`
	effectsStatus = `SELECT name, state, count(*), min(created_at) FROM evc_effect GROUP BY name, state ORDER BY name`
)

// Status implements delivery.OperatorStore.
func (s *Store) Status(ctx context.Context) (delivery.Status, error) {
	var st delivery.Status
	err := s.begin(ctx, func(t *Tx) error {
		t.Queue("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY") // one snapshot for all figures
		return s.status(ctx, t, &st)
	})
	return st, err
}

func (s *Store) status(ctx context.Context, tx *Tx, st *delivery.Status) error {
	var now, oldest int64
	o := &st.Outbox
	if err := tx.QueryRow(ctx, outboxStatus, s.at()).Scan(&o.Pending, &oldest, &o.Held, &o.Relays, &o.Newest, &now); err != nil {
		return fmt.Errorf("outbox: %w", err)
	}
	o.Oldest = age(now, oldest)
	ids, err := consumersStatus(ctx, tx, now, st)
	if err != nil {
		return fmt.Errorf("consumers: %w", err)
	}
	for i, id := range ids {
		if err := countStatus(ctx, tx, id, &st.Consumers[i]); err != nil {
			return fmt.Errorf("consumer %s: %w", st.Consumers[i].Consumer, err)
		}
	}
	return effectStatus(ctx, tx, now, st)
}

// age of something that began then; nothing began at 0.
func age(now, then int64) time.Duration {
	if then == 0 {
		return 0
	}
	return since(now, then)
}

func consumersStatus(ctx context.Context, tx *Tx, now int64, st *delivery.Status) (ids []int64, err error) {
	return ids, each(ctx, tx, func(rows pgx.Rows) error {
		var c delivery.ConsumerStatus
		var id, parked, opened int64
		if err := rows.Scan(&id, &c.Consumer, &c.Owner, &c.Revision, &c.Build, &c.Paused, &c.PausedBy, &c.Members,
			&c.ParkedLanes, &c.ParkedEvents, &parked, &c.Open, &c.Overdue, &opened); err != nil {
			return err
		}
		c.OldestParked, c.OldestCase = age(now, parked), age(now, opened)
		ids, st.Consumers = append(ids, id), append(st.Consumers, c)
		return nil
	}, consumerStatus, now-micros(time.Minute), now)
}

func countStatus(ctx context.Context, tx *Tx, id int64, c *delivery.ConsumerStatus) error {
	err := each(ctx, tx, func(rows pgx.Rows) error {
		var n delivery.Counts
		var slow []int
		if err := rows.Scan(&n.Handled, &n.Duplicates, &n.Stale, &n.Parked, &n.Failed, &n.Quarantined, &slow); err != nil {
			return err
		}
		copy(n.Slow[:], slow)
		c.Counts.Add(n)
		return nil
	}, memberStatus, id)
	if err != nil {
		return err
	}
	c.P95 = c.Counts.Percentile(0.95)
	c.CasesByReason = map[delivery.Reason]int{}
	return each(ctx, tx, func(rows pgx.Rows) error {
		var reason delivery.Reason
		var n int
		if err := rows.Scan(&reason, &n); err != nil {
			return err
		}
		c.CasesByReason[reason] = n
		return nil
	}, reasonStatus, id)
}

func effectStatus(ctx context.Context, tx *Tx, now int64, st *delivery.Status) error {
	return each(ctx, tx, func(rows pgx.Rows) error {
		var name string
		var state delivery.CallState
		var n int
		var created int64
		if err := rows.Scan(&name, &state, &n, &created); err != nil {
			return err
		}
		if k := len(st.Effects); k == 0 || st.Effects[k-1].Name != name {
			st.Effects = append(st.Effects, delivery.EffectStatus{Name: name, States: map[delivery.CallState]int{}})
		}
		e := &st.Effects[len(st.Effects)-1]
		e.States[state] = n
		if state != delivery.CallConfirmed && state != delivery.CallFailed {
			e.Oldest = max(e.Oldest, age(now, created))
		}
		return nil
	}, effectsStatus)
}

// each calls f with every row.
func each(ctx context.Context, tx *Tx, f func(pgx.Rows) error, query string, args ...any) error {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
