package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

const (
	insertReplay = `INSERT INTO evc_replay (consumer, cases, requested_by, reason, apply, plan, state, requested_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`
	selectReplay = `SELECT r.id, c.name, r.cases, r.requested_by, r.reason, coalesce(r.apply, 0), r.plan, r.state, r.results
		FROM evc_replay r JOIN evc_consumer c ON c.id = r.consumer WHERE r.id = ?`
	setReplay  = `UPDATE evc_replay SET state = ?2, results = ?3, finished_at = ?4 WHERE id = ?1`
	dueReplay  = `SELECT id, cases FROM evc_replay WHERE consumer = ?1 AND ` + replayIsDue + ` ORDER BY id LIMIT 1`
	holdReplay = `UPDATE evc_replay SET held_by = ?2, held_until = ?3 WHERE id = ?1`
	endReplay  = `UPDATE evc_replay SET state = 'rehearsed', finished_at = ?2 WHERE id = ?1`

	// A dry run of the member itself is due again: it has come to the end of what it took.
	replayIsDue = `state = 'requested' AND apply IS NULL AND (held_by = ?3 OR held_until <= ?2 OR held_until > ?2 + 46800000000)`

	setRehearsal = `INSERT INTO evc_rehearsal (replay, case_id, outcome, error) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (replay, case_id) DO UPDATE SET outcome = excluded.outcome, error = excluded.error`
	rehearsalsOf = `SELECT case_id, outcome, error FROM evc_rehearsal WHERE replay = ?`
	unrehearsed  = `SELECT q.id, q.lane_type, q.lane_id FROM json_each(?2) j JOIN evc_quarantine q ON q.id = j.value
		WHERE NOT EXISTS (SELECT 1 FROM evc_rehearsal r WHERE r.replay = ?1 AND r.case_id = q.id) ORDER BY j.key`
	caseStates = `SELECT id, state, errors FROM evc_quarantine WHERE id IN (SELECT value FROM json_each(?))`

	replayCase = `UPDATE evc_quarantine SET state = 'replaying', resolved_by = ?2 WHERE id = ?1 AND state = 'open'`
	replaySeen = `INSERT INTO evc_key (consumer, key, bucket, outcome) VALUES (?, ?, ?, 'parked') ON CONFLICT (consumer, key) DO UPDATE SET outcome = 'parked'`
	parkCase   = `INSERT INTO evc_parked (consumer, lane_type, lane_id, key, version, envelope, payload, parked_at, case_id)
		SELECT consumer, lane_type, lane_id, key, version, envelope, payload, ?2, id FROM evc_quarantine WHERE id = ?1`
	casesAsWaiting = `SELECT key, version, envelope, payload, ?2, id, 0, 0, 0, '', '' FROM evc_quarantine WHERE id = ?1`
)

// Replay implements delivery.OperatorStore. Who reads a run doesn't wait for an
// inbox that is busy with it.
func (s *Store) Replay(ctx context.Context, r delivery.Replay) (delivery.Replay, error) {
	if r.ID == 0 {
		err := s.begin(ctx, func(t *txn) (err error) {
			if r.Apply != 0 {
				r.ID, err = t.applyReplay(ctx, r)
			} else {
				r.ID, err = t.requestReplay(ctx, r)
			}
			return err
		})
		if err != nil {
			return r, err
		}
	}
	r, err := replay(ctx, s.read, r.ID)
	if err != nil || r.State != delivery.ReplayApplying || slices.ContainsFunc(r.Results, waits) {
		return r, err
	}
	r.State = delivery.ReplayDone
	return r, s.begin(ctx, func(t *txn) error { return t.saveReplay(ctx, r) })
}

func waits(r delivery.Rehearsed) bool { return r.Outcome == delivery.Parked }

// requestReplay plans a dry run: lane by lane, and in each by version and age.
func (t *txn) requestReplay(ctx context.Context, r delivery.Replay) (int64, error) {
	if r.By == "" || r.Reason == "" || len(r.Cases) == 0 {
		return 0, errors.New("a replay needs cases, a name and a reason")
	}
	found, plan, err := t.plan(ctx, r.Consumer, r.Cases)
	if err != nil {
		return 0, err
	}
	return t.addReplay(ctx, r, found, plan, delivery.ReplayRequested, nil)
}

func (t *txn) addReplay(ctx context.Context, r delivery.Replay, found []delivery.Case, plan string, state delivery.ReplayState, apply any) (id int64, err error) {
	consumer, err := t.store.consumer(ctx, r.Consumer)
	if err != nil {
		return 0, err
	}
	ids := make([]int64, len(found))
	for i, c := range found {
		ids[i] = c.ID
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return 0, err
	}
	_, err = t.row(ctx, insertReplay, []any{consumer, string(list), r.By, r.Reason, apply, plan, string(state), t.now()}, &id)
	return id, err
}

// plan orders open cases and digests what would be handled.
func (t *txn) plan(ctx context.Context, consumer string, ids []int64) ([]delivery.Case, string, error) {
	found, err := cases(ctx, t.tx, delivery.CaseFilter{Consumer: consumer, State: delivery.CaseOpen, IDs: ids, Limit: len(ids), Bare: true})
	if err != nil {
		return nil, "", err
	}
	if len(found) != len(ids) {
		return nil, "", fmt.Errorf("%d of %d cases are open cases of %s: list them again", len(found), len(ids), consumer)
	}
	delivery.SortCases(found)
	h := sha256.New()
	for _, c := range found {
		fmt.Fprintf(h, "%d %s %d %x\n", c.ID, c.Key, c.Attempts, c.PayloadSHA256)
	}
	return found, hex.EncodeToString(h.Sum(nil)), nil
}

// applyReplay carries out the plan of a dry run and nothing else.
func (t *txn) applyReplay(ctx context.Context, r delivery.Replay) (int64, error) {
	dry, err := replay(ctx, t.tx, r.Apply)
	if err != nil {
		return 0, err
	}
	if dry.Apply != 0 || dry.State != delivery.ReplayRehearsed {
		return 0, fmt.Errorf("replay %d is no dry run that is over: it is %s", dry.ID, dry.State)
	}
	found, plan, err := t.plan(ctx, dry.Consumer, dry.Cases)
	if err != nil {
		return 0, err
	}
	if plan != dry.Plan {
		return 0, delivery.ErrPlanChanged
	}
	r.Consumer = dry.Consumer
	id, err := t.addReplay(ctx, r, found, plan, delivery.ReplayApplying, dry.ID)
	if err != nil {
		return 0, err
	}
	for _, c := range found {
		if err := t.parkCase(ctx, c, r.By); err != nil {
			return 0, fmt.Errorf("case %d: %w", c.ID, err)
		}
	}
	return id, nil
}

// parkCase puts a case at the head of its lane, where an inbox finds it.
func (t *txn) parkCase(ctx context.Context, c delivery.Case, by string) error {
	consumer, err := t.store.consumer(ctx, c.Consumer)
	if err != nil {
		return err
	}
	now := t.now()
	bucket := delivery.BucketOf(event.Identity{}, c.Message)
	for _, step := range []struct {
		query string
		args  []any
	}{
		{setBlock, []any{consumer, c.Lane.Type, c.Lane.ID, string(delivery.WhyReplay), now, now}},
		{replayCase, []any{c.ID, by}},
		{replaySeen, []any{consumer, c.Key[:], bucket}},
		{parkCase, []any{c.ID, now}},
	} {
		if _, err := t.exec(ctx, step.query, step.args...); err != nil {
			return err
		}
	}
	return nil
}

// replay reads a run. What one has done that is applied stands in its cases.
func replay(ctx context.Context, db querier, id int64) (r delivery.Replay, err error) {
	var list, results string
	err = each(ctx, db, func(rows *sql.Rows) error {
		return rows.Scan(&r.ID, &r.Consumer, &list, &r.By, &r.Reason, &r.Apply, &r.Plan, &r.State, &results)
	}, selectReplay, id)
	switch {
	case err != nil:
		return r, err
	case r.ID == 0:
		return r, fmt.Errorf("no replay has number %d", id)
	}
	if err := errors.Join(json.Unmarshal([]byte(list), &r.Cases), json.Unmarshal([]byte(results), &r.Results)); err != nil {
		return r, err
	}
	found := map[int64]delivery.Rehearsed{}
	switch {
	case r.State == delivery.ReplayApplying:
		err = each(ctx, db, func(rows *sql.Rows) error {
			var c delivery.Case
			var texts string
			if err := errors.Join(rows.Scan(&c.ID, &c.State, &texts), json.Unmarshal([]byte(texts), &c.Errors)); err != nil {
				return err
			}
			found[c.ID] = delivery.ReplayedCase(r.ID, c)
			return nil
		}, caseStates, list)
	case r.Apply == 0:
		err = each(ctx, db, func(rows *sql.Rows) error {
			result := delivery.Rehearsed{Replay: r.ID}
			err := rows.Scan(&result.Case, &result.Outcome, &result.Error)
			found[result.Case] = result
			return err
		}, rehearsalsOf, id)
	default:
		return r, nil
	}
	r.Results = delivery.ReplayResults(r.Cases, found)
	return r, err
}

func (t *txn) saveReplay(ctx context.Context, r delivery.Replay) error {
	results, err := json.Marshal(r.Results)
	if err != nil {
		return err
	}
	_, err = t.exec(ctx, setReplay, r.ID, string(r.State), string(results), t.now())
	return err
}

// rehearseAtOnce is how many cases of a dry run are handed out, and the rest of
// the last one's lane: other lanes are drained in between.
const rehearseAtOnce = 50

// takeRehearsals hands out the next cases of a dry run, a lane at a time. It is
// over when every case has an answer: one that was begun by a process that is
// gone goes on where it stopped.
func (t *txn) takeRehearsals(ctx context.Context, consumer int64, m delivery.Member, hold time.Duration) (lanes []delivery.Blocked, err error) {
	var id int64
	var list string
	found, err := t.row(ctx, dueReplay, []any{consumer, t.now(), m.Instance}, &id, &list)
	if err != nil || !found {
		return nil, err
	}
	if _, err := t.exec(ctx, holdReplay, id, m.Instance, t.now()+micros(hold)); err != nil {
		return nil, err
	}
	ids, err := t.unrehearsed(ctx, id, list)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		_, err := t.exec(ctx, endReplay, id, t.now())
		return nil, err
	}
	for _, c := range ids {
		if lanes, err = t.addRehearsal(ctx, lanes, id, c); err != nil {
			return nil, err
		}
	}
	return lanes, nil
}

// unrehearsed are the next cases, with nothing but their numbers and lanes.
func (t *txn) unrehearsed(ctx context.Context, replay int64, list string) (next []delivery.Case, err error) {
	err = each(ctx, t.tx, func(rows *sql.Rows) error {
		var c delivery.Case
		if err := rows.Scan(&c.ID, &c.Lane.Type, &c.Lane.ID); err != nil {
			return err
		}
		if n := len(next); n >= rehearseAtOnce && next[n-1].Lane != c.Lane {
			return errEnough
		}
		next = append(next, c)
		return nil
	}, unrehearsed, replay, list)
	return next, enough(err)
}

// addRehearsal appends a case to the lane before it, when it is the same lane.
func (t *txn) addRehearsal(ctx context.Context, lanes []delivery.Blocked, replay int64, c delivery.Case) ([]delivery.Blocked, error) {
	waiting, err := t.waiting(ctx, casesAsWaiting, c.ID, t.now())
	if err != nil {
		return nil, err
	}
	for i := range waiting {
		waiting[i].Lane = c.Lane
	}
	if n := len(lanes); n > 0 && lanes[n-1].Lane == c.Lane {
		lanes[n-1].Waiting = append(lanes[n-1].Waiting, waiting...)
		return lanes, nil
	}
	return append(lanes, delivery.Blocked{Lane: c.Lane, Why: delivery.WhyRehearsal, Waiting: waiting, Replay: replay}), nil
}

// rehearsed notes what a dry run did.
func (w *work) rehearsed(ctx context.Context, c delivery.Changes, _ int64) error {
	for _, r := range c.Rehearsed {
		if _, err := w.exec(ctx, setRehearsal, r.Replay, r.Case, string(r.Outcome), r.Error); err != nil {
			return err
		}
	}
	return nil
}
