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
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

const (
	insertReplay = `INSERT INTO evc_replay (consumer, cases, requested_by, reason, apply, plan, state, requested_at) VALUES ($1, $2, $3, $4, $5, $6, $7, evc_now($8)) RETURNING id`
	selectReplay = `SELECT r.id, c.name, r.cases, r.requested_by, r.reason, coalesce(r.apply, 0), r.plan, r.state, r.results
		FROM evc_replay r JOIN evc_consumer c ON c.id = r.consumer WHERE r.id = $1`
	setReplay  = `UPDATE evc_replay SET state = $2, results = $3, finished_at = evc_now($4) WHERE id = $1`
	dueReplay  = `SELECT id, cases FROM evc_replay WHERE consumer = $1 AND ` + replayIsDue + ` ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED`
	holdReplay = `UPDATE evc_replay SET held_by = $2, held_until = evc_now($4) + $3 WHERE id = $1`
	endReplay  = `UPDATE evc_replay SET state = 'rehearsed', finished_at = evc_now($2) WHERE id = $1`

	// A dry run of the member itself is due again: it has come to the end of what it took.
	replayIsDue = `state = 'requested' AND apply IS NULL AND (held_by = $3 OR held_until <= evc_now($2) OR held_until > evc_now($2) + 46800000000)`

	setRehearsal = `INSERT INTO evc_rehearsal (replay, case_id, outcome, error) VALUES ($1, $2, $3, $4) ON CONFLICT (replay, case_id) DO UPDATE SET outcome = excluded.outcome, error = excluded.error`
	rehearsalsOf = `SELECT case_id, outcome, error FROM evc_rehearsal WHERE replay = $1`
	unrehearsed  = `SELECT q.id, q.lane_type, q.lane_id FROM unnest($2::bigint[]) WITH ORDINALITY AS j (id, i) JOIN evc_quarantine q ON q.id = j.id
		WHERE NOT EXISTS (SELECT 1 FROM evc_rehearsal r WHERE r.replay = $1 AND r.case_id = q.id) ORDER BY j.i`
	caseStates = `SELECT id, state, errors FROM evc_quarantine WHERE id = ANY ($1)`

	replayCase = `UPDATE evc_quarantine SET state = 'replaying' WHERE id = $1 AND state = 'open'`
	replaySeen = `INSERT INTO evc_seen (consumer, key, bucket, outcome) VALUES ($1, $2, $3, 'parked') ON CONFLICT (consumer, key) DO UPDATE SET outcome = 'parked'`
	parkCase   = `INSERT INTO evc_parked (consumer, lane_type, lane_id, key, version, envelope, payload, parked_at, case_id)
		SELECT consumer, lane_type, lane_id, key, version, envelope, payload, evc_now($2), id FROM evc_quarantine WHERE id = $1`
	casesAsWaiting = `SELECT key, version, envelope, payload, evc_now($2) - evc_now($2), id, 0, false, 0::bigint, '', '' FROM evc_quarantine WHERE id = $1`
)

// Replay implements delivery.OperatorStore. Who reads a run doesn't wait for an
// inbox that is busy with it.
func (s *Store) Replay(ctx context.Context, r delivery.Replay) (run delivery.Replay, err error) {
	err = s.persist(ctx, func(t *Tx) (err error) {
		id := r.ID
		switch {
		case id != 0:
		case r.Apply != 0:
			id, err = t.applyReplay(ctx, r)
		default:
			id, err = t.requestReplay(ctx, r)
		}
		if err != nil {
			return err
		}
		if run, err = t.replay(ctx, id); err != nil || run.State != delivery.ReplayApplying || slices.ContainsFunc(run.Results, waits) {
			return err
		}
		run.State = delivery.ReplayDone
		return t.saveReplay(ctx, run)
	})
	return run, err
}

func waits(r delivery.Rehearsed) bool { return r.Outcome == delivery.Parked }

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
	found, err := t.cases(ctx, delivery.CaseFilter{Consumer: consumer, State: delivery.CaseOpen, IDs: ids, Limit: len(ids), Bare: true})
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
func (t *Tx) applyReplay(ctx context.Context, r delivery.Replay) (int64, error) {
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
func (t *Tx) parkCase(ctx context.Context, c delivery.Case) error {
	consumer, err := t.store.consumer(ctx, c.Consumer)
	if err != nil {
		return err
	}
	now := t.store.at()
	t.Queue(replaySeen, consumer, [16]byte(c.Key), delivery.BucketOf(event.Identity{}, c.Message))
	t.Queue(setBlock, consumer, c.Lane.Type, c.Lane.ID, string(delivery.WhyReplay), int64(0), now)
	t.queue.Queue(replayCase, c.ID).Exec(func(tag pgconn.CommandTag) error {
		if tag.RowsAffected() == 0 { // somebody else has settled it since the plan was made
			return delivery.ErrPlanChanged
		}
		return nil
	})
	t.Queue(parkCase, c.ID, now)
	return t.flush(ctx)
}

// replay reads a run. What one has done that is applied stands in its cases.
func (t *Tx) replay(ctx context.Context, id int64) (r delivery.Replay, err error) {
	var results string
	err = t.QueryRow(ctx, selectReplay, id).Scan(&r.ID, &r.Consumer, &r.Cases, &r.By, &r.Reason, &r.Apply, &r.Plan, &r.State, &results)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return r, fmt.Errorf("no replay has number %d", id)
	case err != nil:
		return r, err
	}
	if err := json.Unmarshal([]byte(results), &r.Results); err != nil {
		return r, err
	}
	found := map[int64]delivery.Rehearsed{}
	switch {
	case r.State == delivery.ReplayApplying:
		var c delivery.Case
		var texts string
		err = t.each(ctx, []any{&c.ID, &c.State, &texts}, func() error {
			c.Errors = nil
			err := json.Unmarshal([]byte(texts), &c.Errors)
			found[c.ID] = delivery.ReplayedCase(id, c)
			return err
		}, caseStates, r.Cases)
	case r.Apply == 0:
		result := delivery.Rehearsed{Replay: id}
		err = t.each(ctx, []any{&result.Case, &result.Outcome, &result.Error}, func() error {
			found[result.Case] = result
			return nil
		}, rehearsalsOf, id)
	default:
		return r, nil
	}
	r.Results = delivery.ReplayResults(r.Cases, found)
	return r, err
}

// each calls f for every row, whose columns are then in into.
func (t *Tx) each(ctx context.Context, into []any, f func() error, query string, args ...any) error {
	rows, err := t.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	_, err = pgx.ForEachRow(rows, into, f)
	return err
}

func (t *Tx) saveReplay(ctx context.Context, r delivery.Replay) error {
	results, err := json.Marshal(r.Results)
	if err != nil {
		return err
	}
	t.Queue(setReplay, r.ID, string(r.State), string(results), t.store.at())
	return t.flush(ctx)
}

// rehearseAtOnce is how many cases of a dry run are handed out, and the rest of
// the last one's lane: other lanes are drained in between.
const rehearseAtOnce = 50

// takeRehearsals hands out the next cases of a dry run, a lane at a time. It is
// over when every case has an answer: one that was begun by a process that is
// gone goes on where it stopped.
func (t *Tx) takeRehearsals(ctx context.Context, consumer int64, m delivery.Member, hold time.Duration) (lanes []delivery.Blocked, err error) {
	var id int64
	var all []int64
	err = t.QueryRow(ctx, dueReplay, consumer, t.store.at(), m.Instance).Scan(&id, &all)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, err
	}
	t.Queue(holdReplay, id, m.Instance, micros(hold), t.store.at())
	next, err := t.unrehearsed(ctx, id, all)
	if err != nil {
		return nil, err
	}
	if len(next) == 0 {
		t.Queue(endReplay, id, t.store.at())
	}
	for _, c := range next {
		if lanes, err = t.addRehearsal(ctx, lanes, id, c); err != nil {
			return nil, err
		}
	}
	return lanes, nil
}

// unrehearsed are the next cases, with nothing but their numbers and lanes.
func (t *Tx) unrehearsed(ctx context.Context, replay int64, all []int64) (next []delivery.Case, err error) {
	var c delivery.Case
	err = t.each(ctx, []any{&c.ID, &c.Lane.Type, &c.Lane.ID}, func() error {
		if n := len(next); n < rehearseAtOnce || next[n-1].Lane == c.Lane {
			next = append(next, c)
		}
		return nil
	}, unrehearsed, replay, all)
	return next, err
}

// addRehearsal appends a case to the lane before it, when it is the same lane.
func (t *Tx) addRehearsal(ctx context.Context, lanes []delivery.Blocked, replay int64, c delivery.Case) ([]delivery.Blocked, error) {
	waiting, err := t.waiting(ctx, casesAsWaiting, c.ID, t.store.at())
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
func (w *work) rehearsed(c delivery.Changes) {
	for _, r := range c.Rehearsed {
		w.t.Queue(setRehearsal, r.Replay, r.Case, string(r.Outcome), r.Error)
	}
}
