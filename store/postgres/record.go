package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/json"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

const (
	setOutcomes = `UPDATE evc_seen s SET outcome = o.outcome FROM unnest($2::uuid[], $3::text[]) AS o (key, outcome) WHERE s.consumer = $1 AND s.key = o.key`
	// A mark that another member made meanwhile breaks the key, which says so as
	// well as a look before each insert would, and costs nothing.
	newMarks = `INSERT INTO evc_mark (consumer, lane_type, lane_id, topic, version, event, key)
		SELECT $1, t, i, o, v, e, k FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::uuid[]) AS m (t, i, o, v, e, k)`
	moveMarks = `WITH m AS (UPDATE evc_mark AS mark SET version = v, event = e, key = k
			FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::uuid[], $8::bigint[]) AS m (t, i, o, v, e, k, w)
			WHERE mark.consumer = $1 AND mark.lane_type = t AND mark.lane_id = i AND mark.topic = o AND mark.version = w
			RETURNING 1) SELECT evc_expect((SELECT count(*) FROM m), $9)`

	// The lowest version of a lane that a person must settle: what lies behind it
	// waits. Nothing waits in front of it in a lane that is stuck.
	holding = `(SELECT min(q.version) FROM evc_quarantine q WHERE q.consumer = $1 AND q.lane_type = $2 AND q.lane_id = $3 AND q.holds AND q.state = 'open')`
	stuck   = `(` + holding + ` IS NOT NULL AND NOT EXISTS (SELECT 1 FROM evc_parked p WHERE p.consumer = $1 AND p.lane_type = $2 AND p.lane_id = $3 AND p.version <= ` + holding + `))`

	setBlock = `INSERT INTO evc_block (consumer, lane_type, lane_id, why, since, wake_at) VALUES ($1, $2, $3, $4, evc_now($6), CASE WHEN $5::bigint >= 0 THEN evc_now($6) + $5::bigint END)
		ON CONFLICT (consumer, lane_type, lane_id) DO UPDATE SET why = excluded.why, wake_at = excluded.wake_at, held_by = NULL`
	giveBlock = `UPDATE evc_block SET wake_at = evc_now($5) + $4, held_by = NULL WHERE consumer = $1 AND lane_type = $2 AND lane_id = $3 AND held_by = $6`
	wakeBlock = `UPDATE evc_block SET why = CASE WHEN ` + stuck + ` THEN 'quarantine' ELSE why END, wake_at = CASE WHEN NOT ` + stuck + ` THEN evc_now($4) END, held_by = NULL
		WHERE consumer = $1 AND lane_type = $2 AND lane_id = $3`
	dropBlock = `DELETE FROM evc_block WHERE consumer = $1 AND lane_type = $2 AND lane_id = $3
		AND NOT EXISTS (SELECT 1 FROM evc_parked WHERE consumer = $1 AND lane_type = $2 AND lane_id = $3) AND ` + holding + ` IS NULL`

	park        = `INSERT INTO evc_parked (consumer, lane_type, lane_id, key, version, envelope, payload, parked_at) VALUES ($1, $2, $3, $4, $5, $6, $7, evc_now($8))`
	resolveCase = `UPDATE evc_quarantine SET state = 'resolved', resolved_at = evc_now($3), resolution = 'replayed',
		resolved_by = (SELECT requested_by FROM evc_replay r WHERE r.state = 'applying' AND r.consumer = $1 AND evc_quarantine.id = ANY (r.cases) LIMIT 1)
		WHERE consumer = $1 AND key = ANY ($2) AND state = 'replaying'`
	unpark = `DELETE FROM evc_parked WHERE consumer = $1 AND key = ANY ($2)`

	setAttempt = `INSERT INTO evc_attempt (consumer, key, count, open, first_at, last_at, error, build) VALUES ($1, $2, $3, $4, evc_now($5), evc_now($5), $6, $7)
		ON CONFLICT (consumer, key) DO UPDATE SET count = excluded.count, open = excluded.open, last_at = excluded.last_at, error = excluded.error, build = excluded.build`
	dropAttempts = `DELETE FROM evc_attempt WHERE consumer = $1 AND key = ANY ($2)`

	setCase = `INSERT INTO evc_quarantine (consumer, key, lane_type, lane_id, version, event, envelope, payload, payload_sha256,
			reason, errors, attempts, first_at, last_at, build, host, owner, due_at, holds, topic)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, least((SELECT first_at FROM evc_attempt WHERE consumer = $1 AND key = $2), evc_now($13)), evc_now($13),
			$14, $15, $16, evc_now($13) + $17, $18, $19)
		ON CONFLICT (consumer, key) DO UPDATE SET state = 'open', holds = excluded.holds, reason = excluded.reason, errors = excluded.errors,
			attempts = evc_quarantine.attempts + excluded.attempts, first_at = least(evc_quarantine.first_at, excluded.first_at), last_at = excluded.last_at, build = excluded.build, host = excluded.host,
			resolved_by = '', resolution = '', resolved_at = NULL`

	// A member that another one took for gone takes its keys back: those are no suspects.
	setMember = `WITH m AS (UPDATE evc_member SET inflight = NULL, adopted = false, seen_at = evc_now($3), handled = handled + $4, duplicates = duplicates + $5,
			stale = stale + $6, parked = parked + $7, failed = failed + $8, quarantined = quarantined + $9,
			slow = (SELECT array_agg(coalesce(a, 0) + b ORDER BY i) FROM unnest($10::bigint[]) WITH ORDINALITY AS n (b, i) LEFT JOIN unnest(slow) WITH ORDINALITY AS h (a, k) ON k = i)
			WHERE consumer = $1 AND instance = $2),
		was AS (SELECT adopted FROM evc_member WHERE consumer = $1 AND instance = $2)
		DELETE FROM evc_attempt WHERE (SELECT adopted FROM was) AND consumer = $1 AND key = ANY ($11) AND count = 1 AND open`
	setNewest = `UPDATE evc_consumer SET newest = $2 WHERE id = $1 AND newest < $2`
)

// Record implements delivery.Work: it queues everything, and the commit sends it.
//
// Whoever locks rows of several tables takes the dedupe rows first, then the
// member, then what lanes and attempts have, and the consumer's row last: two
// that hold what the other waits for would stand still until the server notices.
func (w *work) Record(ctx context.Context, c delivery.Changes) error {
	w.outcomes(c)
	n := c.Counts
	w.t.Queue(setMember, w.consumer, w.member.Instance, w.t.store.at(),
		n.Handled, n.Duplicates, n.Stale, n.Parked, n.Failed, n.Quarantined, n.Slow[:], uuids(w.entered))
	w.marks(c)
	w.blocks(c)
	if err := w.parks(c); err != nil {
		return err
	}
	for _, a := range c.Attempts {
		w.t.Queue(setAttempt, w.consumer, [16]byte(a.Key), a.Count, a.Open, w.t.store.at(), a.Error, a.Build)
	}
	if err := w.cases(c); err != nil {
		return err
	}
	w.unparks(c)
	if err := w.unblocks(ctx, c); err != nil {
		return err
	}
	w.rehearsed(c)
	if c.Newest > 0 && w.t.store.newer(w.consumer, c.Newest) {
		w.t.Queue(setNewest, w.consumer, c.Newest)
		w.newest = c.Newest
	}
	return w.check(ctx, c)
}

// check sends what is queued where its result decides what comes next: a mark
// that was moved by another member shows here and not at the commit only.
func (w *work) check(ctx context.Context, c delivery.Changes) error {
	if len(c.Block)+len(c.Park)+len(c.Unpark)+len(c.Unblock) == 0 {
		return nil
	}
	return w.t.flush(ctx)
}

func (w *work) outcomes(c delivery.Changes) {
	if len(c.Outcomes) == 0 {
		return
	}
	last := map[event.Key]int{} // an event may be mentioned twice: the last one counts
	var keys [][16]byte
	var texts []string
	for _, o := range c.Outcomes {
		if i, again := last[o.Key]; again {
			texts[i] = string(o.Outcome)
			continue
		}
		last[o.Key] = len(keys)
		keys, texts = append(keys, o.Key), append(texts, string(o.Outcome))
	}
	w.t.Queue(setOutcomes, w.consumer, keys, texts)
}

// columns are marks as columns.
type columns struct {
	types, ids, topics []string
	events             []string
	versions, was      []int64
	keys               [][16]byte
}

func (c *columns) add(m delivery.Mark) {
	c.types, c.ids, c.events = append(c.types, m.Lane.Type), append(c.ids, m.Lane.ID), append(c.events, m.Event)
	c.topics = append(c.topics, m.Topic)
	c.versions, c.was = append(c.versions, int64(m.Version)), append(c.was, int64(m.Was))
	c.keys = append(c.keys, m.Key)
}

func (w *work) marks(c delivery.Changes) {
	var fresh, moved columns
	for _, m := range c.Marks {
		if m.Was == 0 {
			fresh.add(m)
		} else {
			moved.add(m)
		}
	}
	if len(fresh.ids) > 0 {
		w.t.Queue(newMarks, w.consumer, fresh.types, fresh.ids, fresh.topics, fresh.versions, fresh.events, fresh.keys)
	}
	if n := len(moved.ids); n > 0 {
		w.t.Queue(moveMarks, w.consumer, moved.types, moved.ids, moved.topics, moved.versions, moved.events, moved.keys, moved.was, n)
	}
}

func (w *work) blocks(c delivery.Changes) {
	now := w.t.store.at()
	for _, b := range c.Block {
		wait := int64(-1)
		if b.For >= 0 {
			wait = micros(b.For)
		}
		if b.Why == "" {
			w.t.Queue(giveBlock, w.consumer, b.Lane.Type, b.Lane.ID, wait, now, w.member.Instance)
		} else {
			w.t.Queue(setBlock, w.consumer, b.Lane.Type, b.Lane.ID, string(b.Why), wait, now)
		}
	}
}

func (w *work) parks(c delivery.Changes) error {
	for _, p := range c.Park {
		envelope, err := delivery.EncodeEnvelope(p.Message)
		if err != nil {
			return err
		}
		w.t.Queue(park, w.consumer, p.Lane.Type, p.Lane.ID, [16]byte(p.Key), int64(p.Version), string(envelope), notNull(p.Message.Payload), w.t.store.at())
	}
	return nil
}

func (w *work) cases(c delivery.Changes) error {
	var keys []event.Key
	for _, q := range c.Quarantine {
		envelope, err := delivery.EncodeEnvelope(q.Message)
		if err != nil {
			return err
		}
		texts, err := json.Marshal(q.Errors)
		if err != nil {
			return err
		}
		digest := sha256.Sum256(q.Message.Payload)
		w.t.Queue(setCase, w.consumer, [16]byte(q.Key), q.Lane.Type, q.Lane.ID, int64(q.Version), q.Message.Type,
			string(envelope), notNull(q.Message.Payload), digest[:], string(q.Reason), string(texts), q.Attempts,
			w.t.store.at(), q.Build, q.Host, q.Owner, micros(q.Within), q.Holds, q.Topic)
		keys = append(keys, q.Key)
	}
	if len(keys) > 0 {
		w.t.Queue(unpark, w.consumer, uuids(keys))
	}
	return nil
}

func (w *work) unparks(c delivery.Changes) {
	if len(c.Unpark) > 0 {
		w.t.Queue(unpark, w.consumer, uuids(c.Unpark))
		w.t.Queue(resolveCase, w.consumer, uuids(c.Unpark), w.t.store.at())
	}
	if len(c.Clear) > 0 {
		w.t.Queue(dropAttempts, w.consumer, uuids(c.Clear))
	}
}

// unblocks lets lanes flow in which nothing waits; the others are due again,
// unless they wait for a person.
func (w *work) unblocks(ctx context.Context, c delivery.Changes) error {
	for _, lane := range c.Unblock {
		tag, err := w.t.Exec(ctx, dropBlock, w.consumer, lane.Type, lane.ID)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			w.t.Queue(wakeBlock, w.consumer, lane.Type, lane.ID, w.t.store.at())
		}
	}
	return nil
}
