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
	dueReplays = `SELECT id, cases FROM evc_replay WHERE consumer = ?1 AND state = 'requested' AND apply IS NULL AND (held_until <= ?2 OR held_until > ?2 + 46800000000)`
	holdReplay = `UPDATE evc_replay SET held_until = ?2 WHERE id = ?1`

	replayCase = `UPDATE evc_quarantine SET state = 'replaying' WHERE id = ? AND state = 'open'`
	replaySeen = `INSERT INTO evc_key (consumer, key, bucket, outcome) VALUES (?, ?, ?, 'parked') ON CONFLICT (consumer, key) DO UPDATE SET outcome = 'parked'`
	parkCase   = `INSERT INTO evc_parked (consumer, lane_type, lane_id, key, version, envelope, payload, parked_at, case_id)
		SELECT consumer, lane_type, lane_id, key, version, envelope, payload, ?2, id FROM evc_quarantine WHERE id = ?1`
	casesAsWaiting = `SELECT key, version, envelope, payload, ?2, id, 0, 0, 0, '', '' FROM evc_quarantine WHERE id = ?1`
)

// Replay implements delivery.OperatorStore.
func (s *Store) Replay(ctx context.Context, r delivery.Replay) (delivery.Replay, error) {
	var id int64
	err := s.begin(ctx, func(t *txn) (err error) {
		switch {
		case r.ID != 0:
			id = r.ID
		case r.Apply != 0:
			id, err = t.applyReplay(ctx, r)
		default:
			id, err = t.requestReplay(ctx, r)
		}
		if err != nil {
			return err
		}
		r, err = t.replay(ctx, id)
		return err
	})
	return r, err
}

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
	found, err := cases(ctx, t.tx, delivery.CaseFilter{Consumer: consumer, State: delivery.CaseOpen, IDs: ids, Limit: len(ids)})
	if err != nil {
		return nil, "", err
	}
	if len(found) != len(ids) {
		return nil, "", fmt.Errorf("%d of %d cases are open cases of %s: list them again", len(found), len(ids), consumer)
	}
	delivery.SortCases(found)
	h := sha256.New()
	for _, c := range found {
		fmt.Fprintf(h, "%d %s %d %x\n", c.ID, c.Key, c.Attempts, sha256.Sum256(c.Message.Payload))
	}
	return found, hex.EncodeToString(h.Sum(nil)), nil
}

// applyReplay carries out the plan of a dry run and nothing else.
func (t *txn) applyReplay(ctx context.Context, r delivery.Replay) (int64, error) {
	dry, err := t.replay(ctx, r.Apply)
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
		if err := t.parkCase(ctx, c); err != nil {
			return 0, fmt.Errorf("case %d: %w", c.ID, err)
		}
	}
	return id, nil
}

// parkCase puts a case at the head of its lane, where an inbox finds it.
func (t *txn) parkCase(ctx context.Context, c delivery.Case) error {
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
		{replayCase, []any{c.ID}},
		{replaySeen, []any{consumer, c.Key[:], bucket}},
		{parkCase, []any{c.ID, now}},
	} {
		if _, err := t.exec(ctx, step.query, step.args...); err != nil {
			return err
		}
	}
	return nil
}

// replay reads a run; one that is applied is done when no case of it is open to
// an inbox any more.
func (t *txn) replay(ctx context.Context, id int64) (delivery.Replay, error) {
	var r delivery.Replay
	var list, results string
	found, err := t.row(ctx, selectReplay, []any{id}, &r.ID, &r.Consumer, &list, &r.By, &r.Reason, &r.Apply, &r.Plan, &r.State, &results)
	if err != nil {
		return r, err
	}
	if !found {
		return r, fmt.Errorf("no replay has number %d", id)
	}
	if err := errors.Join(json.Unmarshal([]byte(list), &r.Cases), json.Unmarshal([]byte(results), &r.Results)); err != nil {
		return r, err
	}
	if r.State != delivery.ReplayApplying {
		return r, nil
	}
	all, err := cases(ctx, t.tx, delivery.CaseFilter{Consumer: r.Consumer, IDs: r.Cases, Limit: len(r.Cases)})
	if err != nil {
		return r, err
	}
	r.Results = delivery.ReplayedCases(r.ID, all)
	if slices.ContainsFunc(all, func(c delivery.Case) bool { return c.State == delivery.CaseReplaying }) {
		return r, nil
	}
	r.State = delivery.ReplayDone
	return r, t.saveReplay(ctx, r)
}

func (t *txn) saveReplay(ctx context.Context, r delivery.Replay) error {
	results, err := json.Marshal(r.Results)
	if err != nil {
		return err
	}
	_, err = t.exec(ctx, setReplay, r.ID, string(r.State), string(results), t.now())
	return err
}

// takeRehearsals hands out the cases of dry runs, a lane at a time.
func (t *txn) takeRehearsals(ctx context.Context, consumer int64, hold time.Duration) (lanes []delivery.Blocked, err error) {
	dry, err := t.dueReplays(ctx, consumer)
	if err != nil {
		return nil, err
	}
	for id, list := range dry {
		if _, err := t.exec(ctx, holdReplay, id, t.now()+micros(hold)); err != nil {
			return nil, err
		}
		ids := []int64{}
		if err := json.Unmarshal([]byte(list), &ids); err != nil {
			return nil, err
		}
		for _, caseID := range ids {
			if lanes, err = t.addRehearsal(ctx, lanes, id, caseID); err != nil {
				return nil, err
			}
		}
	}
	return lanes, nil
}

func (t *txn) dueReplays(ctx context.Context, consumer int64) (map[int64]string, error) {
	rows, err := t.tx.QueryContext(ctx, dueReplays, consumer, t.now())
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	dry := map[int64]string{}
	for rows.Next() {
		var id int64
		var list string
		if err := rows.Scan(&id, &list); err != nil {
			return nil, err
		}
		dry[id] = list
	}
	return dry, rows.Err()
}

// addRehearsal appends a case to the lane before it, when it is the same lane.
func (t *txn) addRehearsal(ctx context.Context, lanes []delivery.Blocked, replay, caseID int64) ([]delivery.Blocked, error) {
	var lane event.Lane
	if err := t.tx.QueryRowContext(ctx, "SELECT lane_type, lane_id FROM evc_quarantine WHERE id = ?", caseID).Scan(&lane.Type, &lane.ID); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			return lanes, nil
		}
		return nil, err
	}
	waiting, err := t.waiting(ctx, casesAsWaiting, caseID, t.now())
	if err != nil {
		return nil, err
	}
	for i := range waiting {
		waiting[i].Lane = lane
	}
	if n := len(lanes); n > 0 && lanes[n-1].Lane == lane && lanes[n-1].Replay == replay {
		lanes[n-1].Waiting = append(lanes[n-1].Waiting, waiting...)
		return lanes, nil
	}
	return append(lanes, delivery.Blocked{Lane: lane, Why: delivery.WhyRehearsal, Waiting: waiting, Replay: replay}), nil
}

// rehearsed notes what a dry run did; it is over when every case has an answer.
func (w *work) rehearsed(ctx context.Context, c delivery.Changes, _ int64) error {
	for _, result := range c.Rehearsed {
		r, err := w.replay(ctx, result.Replay)
		if err != nil {
			return err
		}
		r.Results = append(r.Results, result)
		if len(r.Results) >= len(r.Cases) {
			r.State = delivery.ReplayRehearsed
		}
		if err := w.saveReplay(ctx, r); err != nil {
			return err
		}
	}
	return nil
}
