package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/evcontract/evcontract/delivery"
)

const (
	// The lowest version of a lane that a person must settle: what lies behind it
	// waits. Nothing waits in front of it in a lane that is stuck.
	holding = `(SELECT min(q.version) FROM evc_quarantine q WHERE q.consumer = ?1 AND q.lane_type = ?2 AND q.lane_id = ?3 AND q.holds AND q.state = 'open')`
	stuck   = `(` + holding + ` IS NOT NULL AND NOT EXISTS (SELECT 1 FROM evc_parked p WHERE p.consumer = ?1 AND p.lane_type = ?2 AND p.lane_id = ?3 AND p.version <= ` + holding + `))`

	setBlock = `INSERT INTO evc_block (consumer, lane_type, lane_id, why, since, wake_at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (consumer, lane_type, lane_id) DO UPDATE SET why = excluded.why, wake_at = excluded.wake_at, held_by = NULL`
	takeBlock = `UPDATE evc_block SET wake_at = ?4, held_by = ?5 WHERE consumer = ?1 AND lane_type = ?2 AND lane_id = ?3`
	wakeBlock = `UPDATE evc_block SET why = iif(` + stuck + `, 'quarantine', why), wake_at = iif(` + stuck + `, NULL, ?4), held_by = NULL
		WHERE consumer = ?1 AND lane_type = ?2 AND lane_id = ?3`
	giveBlock = `UPDATE evc_block SET wake_at = ?4, held_by = NULL WHERE consumer = ?1 AND lane_type = ?2 AND lane_id = ?3 AND held_by = ?5`
	dropBlock = `DELETE FROM evc_block WHERE consumer = ?1 AND lane_type = ?2 AND lane_id = ?3
		AND NOT EXISTS (SELECT 1 FROM evc_parked WHERE consumer = ?1 AND lane_type = ?2 AND lane_id = ?3) AND ` + holding + ` IS NULL`

	park = `INSERT INTO evc_parked (consumer, lane_type, lane_id, key, version, envelope, payload, parked_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
	// A replayed case is resolved by whom the replay that put its event here has noted.
	resolveCase = `UPDATE evc_quarantine SET state = 'resolved', resolved_at = ?3, resolution = 'replayed' WHERE consumer = ?1 AND key = ?2 AND state = 'replaying'`
	unpark      = `DELETE FROM evc_parked WHERE consumer = ?1 AND key = ?2`

	setAttempt = `INSERT INTO evc_attempt (consumer, key, count, open, first_at, last_at, error, build) VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7)
		ON CONFLICT (consumer, key) DO UPDATE SET count = excluded.count, open = excluded.open, last_at = excluded.last_at, error = excluded.error, build = excluded.build`
	dropAttempt  = `DELETE FROM evc_attempt WHERE consumer = ? AND key = ?`
	dropSuspect  = `DELETE FROM evc_attempt WHERE consumer = ? AND key = ? AND count = 1 AND open`
	firstAttempt = `SELECT first_at FROM evc_attempt WHERE consumer = ? AND key = ?`

	setCase = `INSERT INTO evc_quarantine (consumer, key, lane_type, lane_id, version, event, holds, topic, envelope, payload, payload_sha256,
			reason, errors, attempts, first_at, last_at, build, host, owner, due_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (consumer, key) DO UPDATE SET state = 'open', holds = excluded.holds, reason = excluded.reason, errors = excluded.errors,
			attempts = attempts + excluded.attempts, first_at = min(first_at, excluded.first_at), last_at = excluded.last_at, build = excluded.build, host = excluded.host,
			resolved_by = '', resolution = '', resolved_at = NULL`

	memberCounts = `SELECT adopted, slow FROM evc_member WHERE consumer = ? AND instance = ?`
	setMember    = `UPDATE evc_member SET inflight = NULL, adopted = 0, seen_at = ?3, handled = handled + ?4, duplicates = duplicates + ?5,
		stale = stale + ?6, parked = parked + ?7, failed = failed + ?8, quarantined = quarantined + ?9, slow = ?10 WHERE consumer = ?1 AND instance = ?2`
	setNewest = `UPDATE evc_consumer SET newest = ?2 WHERE id = ?1 AND newest < ?2`
)

// Record implements delivery.Work.
func (w *work) Record(ctx context.Context, c delivery.Changes) error {
	now := w.now()
	for _, step := range []func(context.Context, delivery.Changes, int64) error{
		w.outcomes, w.marks, w.blocks, w.parks, w.attemptsOf, w.cases, w.unparks, w.unblocks, w.rehearsed, w.counts,
	} {
		if err := step(ctx, c, now); err != nil {
			if errors.Is(err, sql.ErrTxDone) {
				err = errors.Join(errFinished, err)
			}
			return err
		}
	}
	return nil
}

func (w *work) outcomes(ctx context.Context, c delivery.Changes, _ int64) error {
	for _, o := range c.Outcomes {
		if err := w.outcome(ctx, o); err != nil {
			return fmt.Errorf("record outcome: %w", err)
		}
	}
	return nil
}

// outcome is that of an event that was entered, or of one that waited under a
// key that it had because it could not be identified.
func (w *work) outcome(ctx context.Context, o delivery.Changed) error {
	bucket, ok := w.bucketOf(o.Key)
	if ok {
		w.store.sieve.add(w.consumer, o.Key)
		_, err := w.exec(ctx, addOutcome, w.consumer, o.Key[:], string(o.Outcome), bucket)
		return err
	}
	n, err := w.exec(ctx, setOutcome, w.consumer, o.Key[:], string(o.Outcome))
	if err == nil && n == 0 {
		err = fmt.Errorf("event %s was not entered and does not wait", o.Key)
	}
	return err
}

func (w *work) blocks(ctx context.Context, c delivery.Changes, now int64) error {
	for _, b := range c.Block {
		var wake any
		if b.For >= 0 {
			wake = now + micros(b.For)
		}
		var err error
		if b.Why == "" {
			_, err = w.exec(ctx, giveBlock, w.consumer, b.Lane.Type, b.Lane.ID, wake, w.member.Instance)
		} else {
			_, err = w.exec(ctx, setBlock, w.consumer, b.Lane.Type, b.Lane.ID, string(b.Why), now, wake)
		}
		if err != nil {
			return fmt.Errorf("record blocked lane: %w", err)
		}
	}
	return nil
}

func (w *work) parks(ctx context.Context, c delivery.Changes, now int64) error {
	for _, p := range c.Park {
		envelope, err := delivery.EncodeEnvelope(p.Message)
		if err != nil {
			return err
		}
		if _, err := w.exec(ctx, park, w.consumer, p.Lane.Type, p.Lane.ID, p.Key[:], int64(p.Version), string(envelope), notNull(p.Message.Payload), now); err != nil {
			return fmt.Errorf("park: %w", err)
		}
	}
	return nil
}

func (w *work) attemptsOf(ctx context.Context, c delivery.Changes, now int64) error {
	for _, a := range c.Attempts {
		if _, err := w.exec(ctx, setAttempt, w.consumer, a.Key[:], a.Count, a.Open, now, a.Error, a.Build); err != nil {
			return fmt.Errorf("record attempt: %w", err)
		}
	}
	return nil
}

func (w *work) cases(ctx context.Context, c delivery.Changes, now int64) error {
	for _, q := range c.Quarantine {
		envelope, err := delivery.EncodeEnvelope(q.Message)
		if err != nil {
			return err
		}
		texts, err := json.Marshal(q.Errors)
		if err != nil {
			return err
		}
		firstAt := now
		if _, err := w.row(ctx, firstAttempt, []any{w.consumer, q.Key[:]}, &firstAt); err != nil {
			return err
		}
		firstAt = min(firstAt, now) // the clock may have been set back
		digest := sha256.Sum256(q.Message.Payload)
		if _, err := w.exec(ctx, setCase, w.consumer, q.Key[:], q.Lane.Type, q.Lane.ID, int64(q.Version), q.Message.Type,
			q.Holds, q.Topic, string(envelope), notNull(q.Message.Payload), digest[:], string(q.Reason), string(texts), q.Attempts,
			firstAt, now, q.Build, q.Host, q.Owner, now+micros(q.Within)); err != nil {
			return fmt.Errorf("quarantine: %w", err)
		}
		if _, err := w.exec(ctx, unpark, w.consumer, q.Key[:]); err != nil {
			return fmt.Errorf("quarantine: %w", err)
		}
	}
	return nil
}

func (w *work) unparks(ctx context.Context, c delivery.Changes, now int64) error {
	for _, key := range c.Unpark {
		if _, err := w.exec(ctx, unpark, w.consumer, key[:]); err != nil {
			return fmt.Errorf("unpark: %w", err)
		}
		if _, err := w.exec(ctx, resolveCase, w.consumer, key[:], now); err != nil {
			return fmt.Errorf("resolve replayed case: %w", err)
		}
	}
	for _, key := range c.Clear {
		if _, err := w.exec(ctx, dropAttempt, w.consumer, key[:]); err != nil {
			return fmt.Errorf("clear attempts: %w", err)
		}
	}
	return nil
}

// unblocks lets lanes flow in which nothing waits; the others are due again,
// unless they wait for a person.
func (w *work) unblocks(ctx context.Context, c delivery.Changes, now int64) error {
	for _, lane := range c.Unblock {
		n, err := w.exec(ctx, dropBlock, w.consumer, lane.Type, lane.ID)
		if err == nil && n == 0 {
			_, err = w.exec(ctx, wakeBlock, w.consumer, lane.Type, lane.ID, now)
		}
		if err != nil {
			return fmt.Errorf("unblock lane: %w", err)
		}
	}
	return nil
}

// counts takes the keys out of flight and adds up the evidence.
func (w *work) counts(ctx context.Context, c delivery.Changes, now int64) error {
	var taken bool
	text := "[]"
	if _, err := w.row(ctx, memberCounts, []any{w.consumer, w.member.Instance}, &taken, &text); err != nil {
		return fmt.Errorf("read member: %w", err)
	}
	if taken { // another member took this one for gone: its keys are no suspects
		for i := range w.entries {
			if _, err := w.exec(ctx, dropSuspect, w.consumer, w.entries[i].Key[:]); err != nil {
				return err
			}
		}
	}
	slow, err := addSlow(text, c.Counts)
	if err != nil {
		return err
	}
	n := c.Counts
	if _, err := w.exec(ctx, setMember, w.consumer, w.member.Instance, now,
		n.Handled, n.Duplicates, n.Stale, n.Parked, n.Failed, n.Quarantined, slow); err != nil {
		return fmt.Errorf("record counts: %w", err)
	}
	if c.Newest == 0 {
		return nil
	}
	_, err = w.exec(ctx, setNewest, w.consumer, c.Newest)
	return err
}

// addSlow adds handling times to those that were counted before.
func addSlow(text string, c delivery.Counts) (string, error) {
	var have []int
	if err := json.Unmarshal([]byte(text), &have); err != nil {
		return "", fmt.Errorf("counted handling times: %w", err)
	}
	sum := c.Slow
	for i := range min(len(have), len(sum)) {
		sum[i] += have[i]
	}
	out, err := json.Marshal(sum)
	return string(out), err
}
