package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

const (
	setPaused   = `UPDATE evc_consumer SET paused = $2, paused_by = $3, paused_at = evc_now($4) WHERE id = $1 AND paused <> $2`
	selectCases = `SELECT q.id, c.name, q.key, q.lane_type, q.lane_id, q.version, q.envelope, q.reason, q.errors, q.attempts,
			q.first_at, q.last_at, q.build, q.host, q.owner, q.due_at, q.state, q.resolved_by, q.resolution, coalesce(q.resolved_at, 0), q.holds, q.topic,
			octet_length(q.payload), q.payload_sha256, CASE WHEN $1 THEN q.payload END
		FROM evc_quarantine q JOIN evc_consumer c ON c.id = q.consumer`
	caseLane    = `SELECT consumer, lane_type, lane_id, version, key, holds, topic FROM evc_quarantine WHERE id = $1 AND state = 'open' FOR UPDATE`
	discardCase = `UPDATE evc_quarantine SET state = 'discarded', resolved_by = $2, resolution = $3, resolved_at = evc_now($4) WHERE id = $1`
	// A lane that waited for the case goes on behind it.
	passMark = `INSERT INTO evc_mark AS m (consumer, lane_type, lane_id, topic, version, event, key) VALUES ($1, $2, $3, $4, $5, '', $6)
		ON CONFLICT (consumer, lane_type, lane_id, topic) DO UPDATE SET version = excluded.version, event = '', key = excluded.key WHERE m.version < excluded.version`
	wakeHeld = `UPDATE evc_block SET wake_at = evc_now($4) WHERE consumer = $1 AND lane_type = $2 AND lane_id = $3 AND why IN ('quarantine', 'gap') AND NOT ` + stuck
	// What waits in front of a case would be left behind.
	anyEarlier = `SELECT EXISTS (SELECT 1 FROM evc_parked p WHERE p.consumer = $1 AND p.lane_type = $2 AND p.lane_id = $3 AND p.version > 0 AND p.version < $4)
		OR coalesce(` + holding + ` < $4, false)`
	byVersion = `SELECT i FROM unnest($1::bigint[]) AS i LEFT JOIN evc_quarantine q ON q.id = i ORDER BY q.version, i`

	newestOf    = `SELECT newest, evc_now($2) FROM evc_consumer WHERE id = $1`
	setHorizon  = `UPDATE evc_consumer SET horizon = $2 WHERE id = $1 AND horizon < $2`
	dropSeen    = `DELETE FROM evc_seen WHERE ctid = ANY (ARRAY (SELECT ctid FROM evc_seen WHERE consumer = $1 AND bucket < $2 AND outcome NOT IN ('parked', 'quarantined') LIMIT $3))`
	dropCases   = `DELETE FROM evc_quarantine WHERE consumer = $1 AND state IN ('resolved', 'discarded') AND resolved_at < evc_now($3) - $2`
	dropDryRuns = `DELETE FROM evc_rehearsal WHERE replay IN (SELECT id FROM evc_replay WHERE consumer = $1 AND finished_at < evc_now($3) - $2)`
	dropCalls   = `DELETE FROM evc_effect WHERE key IN (SELECT key FROM evc_effect WHERE settled_at < evc_now($3) - $2 AND consumer = $1 ORDER BY settled_at LIMIT $4)`
	dropMembers = `DELETE FROM evc_member WHERE consumer = $1 AND seen_at < evc_now($3) - $2 AND inflight IS NULL AND handled + duplicates + stale + parked + failed + quarantined = 0`
)

// Pause implements delivery.OperatorStore.
func (s *Store) Pause(ctx context.Context, consumer string, paused bool, by string) (changed bool, err error) {
	id, err := s.consumer(ctx, consumer)
	if err != nil {
		return false, err
	}
	err = s.begin(ctx, func(t *Tx) error {
		done, err := t.Exec(ctx, setPaused, id, paused, by, s.at())
		changed = done.RowsAffected() > 0
		return err
	})
	return changed, err
}

// Cases implements delivery.OperatorStore.
func (s *Store) Cases(ctx context.Context, f delivery.CaseFilter) (found []delivery.Case, err error) {
	err = s.begin(ctx, func(t *Tx) error {
		found, err = t.cases(ctx, f)
		return err
	})
	return found, err
}

func (t *Tx) cases(ctx context.Context, f delivery.CaseFilter) ([]delivery.Case, error) {
	where, args := filter(f)
	rows, err := t.Query(ctx, selectCases+where, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanCase)
}

// filter is a condition of fixed texts; what the caller gave is in args.
func filter(f delivery.CaseFilter) (where string, args []any) {
	var and []string
	args = []any{!f.Bare} // of selectCases itself
	add := func(condition string, arg any) {
		args = append(args, arg)
		and = append(and, fmt.Sprintf(condition, len(args)))
	}
	if f.Consumer != "" {
		add("c.name = $%d", f.Consumer)
	}
	if f.State != "" {
		add("q.state = $%d", string(f.State))
	}
	if f.Reason != "" {
		add("q.reason = $%d", string(f.Reason))
	}
	if f.Lane != (event.Lane{}) {
		add("q.lane_type = $%d", f.Lane.Type)
		add("q.lane_id = $%d", f.Lane.ID)
	}
	if f.IDs != nil {
		add("q.id = ANY ($%d)", f.IDs)
	}
	if len(and) > 0 {
		where = " WHERE " + strings.Join(and, " AND ")
	}
	limit := f.Limit
	if limit <= 0 {
		limit = 1000
	}
	args = append(args, limit)
	return where + fmt.Sprintf(" ORDER BY q.id LIMIT $%d", len(args)), args
}

func scanCase(rows pgx.CollectableRow) (delivery.Case, error) {
	var c delivery.Case
	var key [16]byte
	var payload, digest []byte
	var version, firstAt, lastAt, due, resolved int64
	var envelope, texts string
	if err := rows.Scan(&c.ID, &c.Consumer, &key, &c.Lane.Type, &c.Lane.ID, &version, &envelope, &c.Reason, &texts, &c.Attempts,
		&firstAt, &lastAt, &c.Build, &c.Host, &c.Owner, &due, &c.State, &c.ResolvedBy, &c.Resolution, &resolved, &c.Holds, &c.Topic,
		&c.PayloadBytes, &digest, &payload); err != nil {
		return c, err
	}
	m := delivery.DecodeEnvelope([]byte(envelope))
	m.Payload = payload
	copy(c.PayloadSHA256[:], digest)
	c.Key, c.Message, c.Version = key, m, uint64(version)
	c.First, c.Last, c.Due = instant(firstAt), instant(lastAt), instant(due)
	c.Within = time.Duration(due-lastAt) * time.Microsecond
	if resolved != 0 {
		c.ResolvedAt = instant(resolved)
	}
	if json.Unmarshal([]byte(texts), &c.Errors) != nil {
		c.Errors = []string{texts}
	}
	return c, nil
}

// Discard implements delivery.OperatorStore.
func (s *Store) Discard(ctx context.Context, ids []int64, by, reason string) error {
	if by == "" || reason == "" {
		return errors.New("discarding needs a name and a reason")
	}
	return s.persist(ctx, func(t *Tx) error {
		rows, err := t.Query(ctx, byVersion, ids)
		if err != nil {
			return err
		}
		sorted, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		if err != nil {
			return err
		}
		for _, id := range sorted {
			if err := t.discard(ctx, id, by, reason); err != nil {
				return fmt.Errorf("case %d: %w", id, err)
			}
		}
		return nil
	})
}

func (t *Tx) discard(ctx context.Context, id int64, by, reason string) error {
	var consumer, version int64
	var lane event.Lane
	var key [16]byte
	var holds, earlier bool
	var topic string
	err := t.QueryRow(ctx, caseLane, id).Scan(&consumer, &lane.Type, &lane.ID, &version, &key, &holds, &topic)
	if errors.Is(err, pgx.ErrNoRows) {
		return errors.New("no open case has this number")
	}
	if err != nil {
		return err
	}
	now := t.store.at()
	t.Queue(discardCase, id, by, reason, now)
	t.Queue(setOutcomes, consumer, [][16]byte{key}, []string{string(delivery.Discarded)})
	if !holds {
		return nil
	}
	if err := t.QueryRow(ctx, anyEarlier, consumer, lane.Type, lane.ID, version).Scan(&earlier); err != nil {
		return err
	}
	if earlier {
		return delivery.ErrEarlier
	}
	if version > 0 {
		t.Queue(passMark, consumer, lane.Type, lane.ID, topic, version, key)
	}
	t.Queue(wakeHeld, consumer, lane.Type, lane.ID, now)
	return nil
}

// Forget implements delivery.OperatorStore. The horizon and the deletion are
// one transaction: what was forgotten is known to be.
func (s *Store) Forget(ctx context.Context, consumer string, remember, keep time.Duration) (int, error) {
	id, err := s.consumer(ctx, consumer)
	if err != nil {
		return 0, err
	}
	var gone int64
	err = s.begin(ctx, func(t *Tx) error {
		var now, newest int64
		if err := t.QueryRow(ctx, newestOf, id, s.at()).Scan(&newest, &now); err != nil {
			return err
		}
		const day = 24 * time.Hour
		horizon := min(newest, now/micros(day)) - int64((remember+day-1)/day)
		for _, step := range []struct {
			query string
			args  []any
		}{
			{dropSeen, []any{id, horizon, retainPiece}},
			{dropCases, []any{id, micros(keep), s.at()}},
			{dropDryRuns, []any{id, micros(keep), s.at()}},
			{dropCalls, []any{consumer, micros(remember), s.at(), retainPiece}},
			{dropMembers, []any{id, micros(day), s.at()}},
		} {
			tag, err := t.Exec(ctx, step.query, step.args...)
			if err != nil {
				return err
			}
			gone += tag.RowsAffected()
		}
		t.Queue(setHorizon, id, horizon) // last: see Record
		return nil
	})
	return int(gone), err
}
