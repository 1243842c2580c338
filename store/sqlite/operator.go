package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

const (
	setPaused   = `UPDATE evc_consumer SET paused = ?2, paused_by = ?3, paused_at = ?4 WHERE id = ?1 AND paused <> ?2`
	selectCases = `SELECT q.id, c.name, q.key, q.lane_type, q.lane_id, q.version, q.envelope, q.reason, q.errors, q.attempts,
			q.first_at, q.last_at, q.build, q.host, q.owner, q.due_at, q.state, q.resolved_by, q.resolution, coalesce(q.resolved_at, 0), q.holds, q.topic,
			length(q.payload), q.payload_sha256, CASE WHEN ? THEN q.payload END
		FROM evc_quarantine q JOIN evc_consumer c ON c.id = q.consumer`
	caseLane    = `SELECT consumer, lane_type, lane_id, version, key, holds, topic FROM evc_quarantine WHERE id = ? AND state = 'open'`
	discardCase = `UPDATE evc_quarantine SET state = 'discarded', resolved_by = ?2, resolution = ?3, resolved_at = ?4 WHERE id = ?1`
	// A lane that waited for the case goes on behind it.
	passMark = `INSERT INTO evc_mark (consumer, lane_type, lane_id, topic, version, event, key) VALUES (?1, ?2, ?3, ?4, ?5, '', ?6)
		ON CONFLICT (consumer, lane_type, lane_id, topic) DO UPDATE SET version = excluded.version, event = '', key = excluded.key WHERE version < excluded.version`
	wakeHeld = `UPDATE evc_block SET wake_at = ?4 WHERE consumer = ?1 AND lane_type = ?2 AND lane_id = ?3 AND why IN ('quarantine', 'gap') AND NOT ` + stuck
	// What waits in front of a case would be left behind.
	anyEarlier = `SELECT EXISTS (SELECT 1 FROM evc_parked p WHERE p.consumer = ?1 AND p.lane_type = ?2 AND p.lane_id = ?3 AND p.version > 0 AND p.version < ?4)
		OR coalesce(` + holding + ` < ?4, false)`
	versionOf = `SELECT version FROM evc_quarantine WHERE id = ?`

	newestOf   = `SELECT newest FROM evc_consumer WHERE id = ?`
	setHorizon = `UPDATE evc_consumer SET horizon = ?2 WHERE id = ?1 AND horizon < ?2`
	// The oldest keys lie in front, among some that stay: the search is a reader's,
	// whom nobody waits for.
	oldKeys  = `SELECT id FROM evc_key WHERE consumer = ?1 AND ` + isOld + ` ORDER BY id LIMIT ?3`
	dropKeys = `DELETE FROM evc_key WHERE id IN (SELECT value FROM json_each(?1)) AND ` + isOld
	isOld    = `bucket < ?2 AND outcome NOT IN ('parked', 'quarantined')`

	dropCases   = `DELETE FROM evc_quarantine WHERE consumer = ?1 AND state IN ('resolved', 'discarded') AND resolved_at < ?2`
	dropDryRuns = `DELETE FROM evc_rehearsal WHERE replay IN (SELECT id FROM evc_replay WHERE consumer = ?1 AND finished_at < ?2)`
	dropCalls   = `DELETE FROM evc_effect WHERE key IN (SELECT key FROM evc_effect WHERE settled_at < ?2 AND consumer = ?1 ORDER BY settled_at LIMIT ?3)`
	dropMembers = `DELETE FROM evc_member WHERE consumer = ?1 AND seen_at < ?2 AND inflight IS NULL AND handled + duplicates + stale + parked + failed + quarantined = 0`
)

// Pause implements delivery.OperatorStore.
func (s *Store) Pause(ctx context.Context, consumer string, paused bool, by string) (changed bool, err error) {
	id, err := s.consumer(ctx, consumer)
	if err != nil {
		return false, err
	}
	err = s.begin(ctx, func(t *txn) error {
		n, err := t.exec(ctx, setPaused, id, paused, by, s.now())
		changed = n > 0
		return err
	})
	return changed, err
}

// Cases implements delivery.OperatorStore.
func (s *Store) Cases(ctx context.Context, f delivery.CaseFilter) ([]delivery.Case, error) {
	return cases(ctx, s.read, f)
}

type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func cases(ctx context.Context, db querier, f delivery.CaseFilter) ([]delivery.Case, error) {
	where, args := filter(f)
	rows, err := db.QueryContext(ctx, selectCases+where, append([]any{!f.Bare}, args...)...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	var found []delivery.Case
	for rows.Next() {
		c, err := scanCase(rows)
		if err != nil {
			return nil, err
		}
		found = append(found, c)
	}
	return found, rows.Err()
}

// filter is a condition of fixed texts; what the caller gave is in args.
func filter(f delivery.CaseFilter) (where string, args []any) {
	var and []string
	add := func(condition string, arg any) {
		and, args = append(and, condition), append(args, arg)
	}
	if f.Consumer != "" {
		add("c.name = ?", f.Consumer)
	}
	if f.State != "" {
		add("q.state = ?", string(f.State))
	}
	if f.Reason != "" {
		add("q.reason = ?", string(f.Reason))
	}
	if f.Lane != (event.Lane{}) {
		add("q.lane_type = ?", f.Lane.Type)
		add("q.lane_id = ?", f.Lane.ID)
	}
	if f.IDs != nil {
		list, _ := json.Marshal(f.IDs) // numbers only
		add("q.id IN (SELECT value FROM json_each(?))", string(list))
	}
	if len(and) > 0 {
		where = " WHERE " + strings.Join(and, " AND ")
	}
	limit := f.Limit
	if limit <= 0 {
		limit = 1000
	}
	return where + " ORDER BY q.id LIMIT ?", append(args, limit)
}

func scanCase(rows *sql.Rows) (delivery.Case, error) {
	var c delivery.Case
	var key, payload, digest []byte
	var version, firstAt, lastAt, due, resolved int64
	var envelope, texts string
	if err := rows.Scan(&c.ID, &c.Consumer, &key, &c.Lane.Type, &c.Lane.ID, &version, &envelope, &c.Reason, &texts, &c.Attempts,
		&firstAt, &lastAt, &c.Build, &c.Host, &c.Owner, &due, &c.State, &c.ResolvedBy, &c.Resolution, &resolved, &c.Holds, &c.Topic,
		&c.PayloadBytes, &digest, &payload); err != nil {
		return c, err
	}
	m := delivery.DecodeEnvelope([]byte(envelope))
	m.Payload = payload
	copy(c.Key[:], key)
	copy(c.PayloadSHA256[:], digest)
	c.Message, c.Version = m, uint64(version)
	c.First, c.Last, c.Due = instant(firstAt), instant(lastAt), instant(due)
	c.Within = time.Duration(due-lastAt) * time.Microsecond
	if resolved != 0 {
		c.ResolvedAt = instant(resolved)
	} else { // it is known who replays it, and not yet that it is resolved
		c.ResolvedBy = ""
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
	return s.begin(ctx, func(t *txn) error {
		sorted := slices.Clone(ids)
		if err := t.byVersion(ctx, sorted); err != nil {
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

// byVersion sorts cases, the lower versions first.
func (t *txn) byVersion(ctx context.Context, ids []int64) error {
	versions := map[int64]int64{}
	for _, id := range ids {
		var version int64
		if _, err := t.row(ctx, versionOf, []any{id}, &version); err != nil {
			return err
		}
		versions[id] = version
	}
	slices.SortFunc(ids, func(a, b int64) int { return cmp.Or(cmp.Compare(versions[a], versions[b]), cmp.Compare(a, b)) })
	return nil
}

func (t *txn) discard(ctx context.Context, id int64, by, reason string) error {
	var consumer, version int64
	var lane event.Lane
	var key []byte
	var holds bool
	var topic string
	open, err := t.row(ctx, caseLane, []any{id}, &consumer, &lane.Type, &lane.ID, &version, &key, &holds, &topic)
	if err != nil {
		return err
	}
	if !open {
		return errors.New("no open case has this number")
	}
	now := t.now()
	if _, err := t.exec(ctx, discardCase, id, by, reason, now); err != nil {
		return err
	}
	if _, err := t.exec(ctx, setOutcome, consumer, key, string(delivery.Discarded)); err != nil || !holds {
		return err
	}
	var earlier bool
	if _, err := t.row(ctx, anyEarlier, []any{consumer, lane.Type, lane.ID, version}, &earlier); err != nil {
		return err
	}
	if earlier {
		return delivery.ErrEarlier
	}
	if version > 0 {
		if _, err := t.exec(ctx, passMark, consumer, lane.Type, lane.ID, topic, version, key); err != nil {
			return err
		}
	}
	_, err = t.exec(ctx, wakeHeld, consumer, lane.Type, lane.ID, now)
	return err
}

// Forget implements delivery.OperatorStore. The horizon comes before the
// deletion: what was forgotten is known to be.
func (s *Store) Forget(ctx context.Context, consumer string, remember, keep time.Duration) (int, error) {
	id, err := s.consumer(ctx, consumer)
	if err != nil {
		return 0, err
	}
	var gone, horizon int64
	err = s.begin(ctx, func(t *txn) error {
		now := t.now()
		var newest int64
		if _, err := t.row(ctx, newestOf, []any{id}, &newest); err != nil {
			return err
		}
		const day = 24 * time.Hour
		horizon = min(newest, now/micros(day)) - int64((remember+day-1)/day)
		if _, err := t.exec(ctx, setHorizon, id, horizon); err != nil {
			return err
		}
		moved, err := t.moveOld(ctx, id, horizon)
		if err != nil {
			return err
		}
		gone = moved
		for _, step := range []struct {
			query string
			args  []any
		}{
			{dropCases, []any{id, now - micros(keep)}},
			{dropDryRuns, []any{id, now - micros(keep)}},
			{dropCalls, []any{consumer, now - micros(remember), retainPiece}},
			{dropMembers, []any{id, now - micros(day)}},
		} {
			n, err := t.exec(ctx, step.query, step.args...)
			if err != nil {
				return err
			}
			gone += n
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	keys, err := s.dropKeys(ctx, id, horizon)
	return int(gone + keys), err
}

// dropKeys drops some keys of buckets before the horizon.
func (s *Store) dropKeys(ctx context.Context, consumer, horizon int64) (n int64, err error) {
	var ids []int64
	if err := each(ctx, s.read, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	}, oldKeys, consumer, horizon, retainPiece); err != nil || len(ids) == 0 {
		return 0, err
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return 0, err
	}
	err = s.begin(ctx, func(t *txn) error {
		n, err = t.exec(ctx, dropKeys, string(list), horizon)
		return err
	})
	return n, err
}

// moveOld carries on with moving keys out of the log if there are some that may
// be forgotten: they are forgotten where they move to.
func (t *txn) moveOld(ctx context.Context, consumer int64, horizon int64) (moved int64, err error) {
	var old bool
	if _, err := t.row(ctx, anyOldRecent, []any{consumer, horizon}, &old); err != nil || !old {
		return 0, err
	}
	err = t.direct(func(c *conn) error {
		r, st, err := t.recent(c, consumer)
		if err != nil {
			return err
		}
		keys, err := r.move(c, consumer, st, retainPiece, 1)
		moved = int64(len(keys))
		return err
	})
	return moved, err
}
