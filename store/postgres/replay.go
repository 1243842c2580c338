package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

const (
	insertReplay = `INSERT INTO evc_replay (consumer, cases, requested_by, reason, apply, plan, state, requested_at) VALUES ($1, $2, $3, $4, $5, $6, $7, evc_now($8)) RETURNING id`
	selectReplay = `SELECT r.id, c.name, r.cases, r.requested_by, r.reason, coalesce(r.apply, 0), r.plan, r.state, r.results
		FROM evc_replay r JOIN evc_consumer c ON c.id = r.consumer WHERE r.id = $1`
	// Who reads a run must not wait for an inbox that is busy with it; who changes it must.
	lockReplay = selectReplay + ` FOR UPDATE OF r`
	setReplay  = `UPDATE evc_replay SET state = $2, results = $3, finished_at = evc_now($4) WHERE id = $1`
	dueReplays = `SELECT id, cases FROM evc_replay WHERE consumer = $1 AND state = 'requested' AND apply IS NULL AND (held_until <= evc_now($2) OR held_until > evc_now($2) + 46800000000) FOR UPDATE SKIP LOCKED`
	holdReplay = `UPDATE evc_replay SET held_until = evc_now($3) + $2 WHERE id = $1`

	replayCase = `UPDATE evc_quarantine SET state = 'replaying' WHERE id = $1 AND state = 'open'`
	replaySeen = `INSERT INTO evc_seen (consumer, key, bucket, outcome) VALUES ($1, $2, $3, 'parked') ON CONFLICT (consumer, key) DO UPDATE SET outcome = 'parked'`
	parkCase   = `INSERT INTO evc_parked (consumer, lane_type, lane_id, key, version, envelope, payload, parked_at, case_id)
		SELECT consumer, lane_type, lane_id, key, version, envelope, payload, evc_now($2), id FROM evc_quarantine WHERE id = $1`
	casesAsWaiting = `SELECT key, version, envelope, payload, evc_now($2) - evc_now($2), id, 0, false, 0::bigint, '', '' FROM evc_quarantine WHERE id = $1`
)

// Replay implements delivery.OperatorStore.
func (s *Store) Replay(ctx context.Context, r delivery.Replay) (delivery.Replay, error) {
	var id int64
	err := s.begin(ctx, func(t *Tx) (err error) {
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
		r, err = t.replay(ctx, selectReplay, id)
		return err
	})
	return r, err
}

// requestReplay plans a dry run: lane by lane, and in each by version and age.
func (t *Tx) requestReplay(ctx context.Context, r delivery.Replay) (int64, error) {
	if r.By == "" || r.Reason == "" || len(r.Cases) == 0 {
		return 0, errors.New("a replay needs cases, a name and a reason")
	}
	found, plan, err := t.plan(ctx, r.Consumer, r.Cases)
	if err != nil {
		return 0, err
	}
	return t.addReplay(ctx, r, found, plan, delivery.ReplayRequested, nil)
}

func (t *Tx) addReplay(ctx context.Context, r delivery.Replay, found []delivery.Case, plan string, state delivery.ReplayState, apply any) (id int64, err error) {
	consumer, err := t.store.consumer(ctx, r.Consumer)
	if err != nil {
		return 0, err
	}
	ids := make([]int64, len(found))
	for i, c := range found {
		ids[i] = c.ID
	}
	err = t.QueryRow(ctx, insertReplay, consumer, ids, r.By, r.Reason, apply, plan, string(state), t.store.at()).Scan(&id)
	return id, err
}

// plan orders open cases and digests what would be handled.
func (t *Tx) plan(ctx context.Context, consumer string, ids []int64) ([]delivery.Case, string, error) {
	found, err := t.cases(ctx, delivery.CaseFilter{Consumer: consumer, State: delivery.CaseOpen, IDs: ids, Limit: len(ids)})
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
func (t *Tx) applyReplay(ctx context.Context, r delivery.Replay) (int64, error) {
	dry, err := t.replay(ctx, lockReplay, r.Apply)
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
func (t *Tx) parkCase(ctx context.Context, c delivery.Case) error {
	consumer, err := t.store.consumer(ctx, c.Consumer)
	if err != nil {
		return err
	}
	now := t.store.at()
	t.Queue(setBlock, consumer, c.Lane.Type, c.Lane.ID, string(delivery.WhyReplay), int64(0), now)
	t.Queue(replayCase, c.ID)
	t.Queue(replaySeen, consumer, [16]byte(c.Key), delivery.BucketOf(event.Identity{}, c.Message))
	t.Queue(parkCase, c.ID, now)
	return t.flush(ctx)
}

// replay reads a run; one that is applied is done when no case of it is open to
// an inbox any more.
func (t *Tx) replay(ctx context.Context, query string, id int64) (delivery.Replay, error) {
	var r delivery.Replay
	var state, results string
	err := t.QueryRow(ctx, query, id).Scan(&r.ID, &r.Consumer, &r.Cases, &r.By, &r.Reason, &r.Apply, &r.Plan, &state, &results)
	if errors.Is(err, pgx.ErrNoRows) {
		return r, fmt.Errorf("no replay has number %d", id)
	}
	if err != nil {
		return r, err
	}
	r.State = delivery.ReplayState(state)
	if err := json.Unmarshal([]byte(results), &r.Results); err != nil {
		return r, err
	}
	if r.State != delivery.ReplayApplying {
		return r, nil
	}
	all, err := t.cases(ctx, delivery.CaseFilter{Consumer: r.Consumer, IDs: r.Cases, Limit: len(r.Cases)})
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

func (t *Tx) saveReplay(ctx context.Context, r delivery.Replay) error {
	results, err := json.Marshal(r.Results)
	if err != nil {
		return err
	}
	t.Queue(setReplay, r.ID, string(r.State), string(results), t.store.at())
	return t.flush(ctx)
}

// takeRehearsals hands out the cases of dry runs, a lane at a time.
func (t *Tx) takeRehearsals(ctx context.Context, consumer int64, hold time.Duration) (lanes []delivery.Blocked, err error) {
	dry, err := t.dueReplays(ctx, consumer)
	if err != nil {
		return nil, err
	}
	for id, ids := range dry {
		t.Queue(holdReplay, id, micros(hold), t.store.at())
		for _, caseID := range ids {
			if lanes, err = t.addRehearsal(ctx, lanes, id, caseID); err != nil {
				return nil, err
			}
		}
	}
	return lanes, nil
}

func (t *Tx) dueReplays(ctx context.Context, consumer int64) (map[int64][]int64, error) {
	rows, err := t.Query(ctx, dueReplays, consumer, t.store.at())
	if err != nil {
		return nil, err
	}
	dry := map[int64][]int64{}
	var id int64
	var ids []int64
	_, err = pgx.ForEachRow(rows, []any{&id, &ids}, func() error {
		dry[id], ids = ids, nil
		return nil
	})
	return dry, err
}

// addRehearsal appends a case to the lane before it, when it is the same lane.
func (t *Tx) addRehearsal(ctx context.Context, lanes []delivery.Blocked, replay, caseID int64) ([]delivery.Blocked, error) {
	var lane event.Lane
	if err := t.QueryRow(ctx, "SELECT lane_type, lane_id FROM evc_quarantine WHERE id = $1", caseID).Scan(&lane.Type, &lane.ID); err != nil {
		if errors.Is(err, pgx.ErrNoRows) {
			return lanes, nil
		}
		return nil, err
	}
	waiting, err := t.waiting(ctx, casesAsWaiting, caseID, t.store.at())
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
func (w *work) rehearsed(ctx context.Context, c delivery.Changes) error {
	for _, result := range c.Rehearsed {
		r, err := w.t.replay(ctx, lockReplay, result.Replay)
		if err != nil {
			return err
		}
		r.Results = append(r.Results, result)
		if len(r.Results) >= len(r.Cases) {
			r.State = delivery.ReplayRehearsed
		}
		if err := w.t.saveReplay(ctx, r); err != nil {
			return err
		}
	}
	return nil
}
