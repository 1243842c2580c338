package deliverytest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/evcontract/evcontract/event"
)

// Violation is an invariant that doesn't hold.
type Violation struct {
	Invariant string // I1 … I10
	Detail    string
}

func (v Violation) String() string { return v.Invariant + ": " + v.Detail }

// Check reads the database of a world at rest and says which invariants are
// broken. Poisoned are the lanes that may wait or be in quarantine.
func (w *World) Check(ctx context.Context, poisoned ...string) ([]Violation, error) {
	c := &checker{db: w.DB, ctx: ctx, tidy: w.Tidy, poisoned: poisoned}
	for _, check := range []func(){
		c.load, c.atomic, c.complete, c.once, c.ordered, c.isolated, c.called, c.quarantined, c.drained, c.acknowledged,
	} {
		if check(); c.err != nil {
			return c.found, c.err
		}
	}
	return c.found, nil
}

type checker struct {
	db       *Database
	ctx      context.Context
	poisoned []string
	tidy     bool
	found    []Violation
	err      error

	published map[string]published         // by key
	chain     map[string][]string          // keys of what a topic has of a lane, by version
	outcomes  map[string]map[string]string // by consumer and key
	ledger    map[string][]effect          // by consumer, in the order of commits
}

type published struct {
	trail string // its lane and topic
	times int
}

type effect struct {
	key, lane string
	version   int64
}

func (c *checker) fail(invariant, format string, args ...any) {
	c.found = append(c.found, Violation{invariant, fmt.Sprintf(format, args...)})
}

func (c *checker) rows(query string, args ...any) [][]any {
	if c.err != nil {
		return nil
	}
	rows, err := c.db.Query(c.ctx, query, args...)
	if err != nil {
		c.err = fmt.Errorf("%s: %w", query, err)
	}
	return rows
}

func (c *checker) load() {
	c.published, c.chain = map[string]published{}, map[string][]string{}
	c.outcomes, c.ledger = map[string]map[string]string{}, map[string][]effect{}
	for _, r := range c.rows("SELECT key, lane_id, topic FROM evc_event WHERE event IN ('OrderPaid.v1', 'OrderShipped.v1') ORDER BY version") {
		key := keyText(r[0])
		p := published{r[1].(string) + " on " + r[2].(string), c.published[key].times + 1}
		c.published[key] = p
		c.chain[p.trail] = append(c.chain[p.trail], key)
	}
	for _, r := range c.rows("SELECT c.name, s.key, s.outcome FROM evc_seen s JOIN evc_consumer c ON c.id = s.consumer") {
		name := r[0].(string)
		if c.outcomes[name] == nil {
			c.outcomes[name] = map[string]string{}
		}
		c.outcomes[name][keyText(r[1])] = r[2].(string)
	}
	for _, r := range c.rows("SELECT consumer, key, lane, version FROM t_effect ORDER BY n") {
		name := r[0].(string)
		c.ledger[name] = append(c.ledger[name], effect{r[1].(string), r[2].(string), r[3].(int64)})
	}
}

func keyText(v any) string { return event.Key(v.([]byte)).String() }

// atomic is I1: every committed business change has exactly one event.
func (c *checker) atomic() {
	changes := map[string]int{}
	for _, r := range c.rows("SELECT key FROM t_change") {
		changes[r[0].(string)]++
	}
	for key, n := range changes {
		if c.published[key].times != n {
			c.fail("I1", "change %s has %d events", key, c.published[key].times)
		}
	}
	for key := range c.published {
		if changes[key] == 0 {
			c.fail("I1", "event %s has no business change", key)
		}
	}
}

// complete is I2: every event reaches every consumer, or waits with evidence.
func (c *checker) complete() {
	cases := map[string]bool{}
	for _, r := range c.rows("SELECT c.name, q.key FROM evc_quarantine q JOIN evc_consumer c ON c.id = q.consumer") {
		cases[r[0].(string)+keyText(r[1])] = true
	}
	parked := map[string]bool{}
	for _, r := range c.rows("SELECT c.name, p.key FROM evc_parked p JOIN evc_consumer c ON c.id = p.consumer") {
		parked[r[0].(string)+keyText(r[1])] = true
	}
	for _, name := range Consumers {
		handled := map[string]bool{}
		for _, e := range c.ledger[name] {
			handled[e.key] = true
		}
		for key := range c.published {
			outcome := c.outcomes[name][key]
			ok := outcome == "done" && handled[key] || outcome == "stale" && name == Projection || outcome == "discarded" ||
				outcome == "parked" && parked[name+key] || outcome == "quarantined" && cases[name+key]
			if !ok {
				c.fail("I2", "%s: event %s is %q, effect %v, parked %v, case %v", name, key, outcome, handled[key], parked[name+key], cases[name+key])
			}
		}
	}
}

// once is I3: at most one business effect per consumer and key.
func (c *checker) once() {
	for name, effects := range c.ledger {
		times := map[string]int{}
		for _, e := range effects {
			if times[e.key]++; times[e.key] == 2 {
				c.fail("I3", "%s: key %s has two effects", name, e.key)
			}
			if c.published[e.key].times == 0 {
				c.fail("I3", "%s: key %s has an effect and was never published", name, e.key)
			}
		}
	}
}

// ordered is I4 and I5: applied versions increase, without a gap where every
// step is needed, and the state that was replaced is the newest.
func (c *checker) ordered() {
	if c.tidy {
		c.increasing(Loyalty)
	}
	last := c.increasing(Projection)
	for _, r := range c.rows("SELECT lane, version FROM t_state WHERE consumer = 'projection'") {
		if lane := r[0].(string); r[1].(int64) != last[lane] {
			c.fail("I5", "projection: lane %s shows version %d, version %d was applied", lane, r[1], last[lane])
		}
	}
	c.stepwise(Audit)
}

// stepwise checks that a consumer left nothing out that a person has not: what
// was discarded, and what came after a person had let its lane go on.
func (c *checker) stepwise(consumer string) {
	at, late := map[string]int{}, map[string]bool{}
	for _, r := range c.rows("SELECT q.key FROM evc_quarantine q JOIN evc_consumer c ON c.id = q.consumer WHERE c.name = $1 AND q.reason = 'late'", consumer) {
		late[keyText(r[0])] = true
	}
	for _, e := range c.ledger[consumer] {
		trail := c.published[e.key].trail
		chain, n := c.chain[trail], at[trail]
		for n < len(chain) && (late[chain[n]] || c.outcomes[consumer][chain[n]] == "discarded") {
			n++
		}
		if n >= len(chain) || chain[n] != e.key {
			c.fail("I4", "%s: %s applied version %d (%s) after %d steps of %v", consumer, trail, e.version, e.key, n, chain)
		}
		at[trail] = n + 1
	}
}

// increasing returns the newest version of each lane.
func (c *checker) increasing(consumer string) map[string]int64 {
	last := map[string]int64{}
	for _, e := range c.ledger[consumer] {
		if e.version < last[e.lane] {
			c.fail("I4", "%s: lane %s went from version %d to %d", consumer, e.lane, last[e.lane], e.version)
		}
		last[e.lane] = max(last[e.lane], e.version)
	}
	return last
}

// isolated is I6, at rest: only poisoned lanes wait.
func (c *checker) isolated() {
	for _, query := range []string{
		"SELECT DISTINCT lane_id FROM evc_block", "SELECT DISTINCT lane_id FROM evc_parked",
		"SELECT DISTINCT lane_id FROM evc_quarantine WHERE reason <> 'unidentified'",
	} {
		for _, r := range c.rows(query) {
			if lane := r[0].(string); !slices.Contains(c.poisoned, lane) {
				c.fail("I6", "lane %s is not poisoned and waits (%s)", lane, query)
			}
		}
	}
}

// called is I7: at most one request reached the provider under a key, and every
// handled event made its call.
func (c *checker) called() {
	for _, r := range c.rows("SELECT key, count(*) FROM t_provider GROUP BY key HAVING count(*) > 1") {
		c.fail("I7", "provider got %d requests with key %s", r[1], r[0])
	}
	for _, r := range c.rows("SELECT state, count(*) FROM evc_effect WHERE state <> 'confirmed' GROUP BY state") {
		c.fail("I7", "%d calls are %s", r[1], r[0])
	}
	calls := c.rows("SELECT count(*) FROM evc_effect")
	if c.err == nil && calls[0][0].(int64) != int64(len(c.ledger[Notify])) {
		c.fail("I7", "%d calls for %d handled events", calls[0][0], len(c.ledger[Notify]))
	}
}

// quarantined is I8: a case has everything that a person needs.
func (c *checker) quarantined() {
	for _, r := range c.rows(`SELECT id, envelope, payload, payload_sha256, reason, errors, attempts, build, owner,
		CASE WHEN first_at <= last_at AND due_at > first_at THEN 1 ELSE 0 END FROM evc_quarantine`) {
		id, payload := r[0].(int64), r[2].([]byte)
		digest := sha256.Sum256(payload)
		var chain []string
		switch {
		case !bytes.Equal(digest[:], r[3].([]byte)):
			c.fail("I8", "case %d: payload is not what its digest says", id)
		case json.Unmarshal([]byte(r[5].(string)), &chain) != nil || len(chain) == 0:
			c.fail("I8", "case %d: no error chain", id)
		case r[1].(string) == "" || r[4].(string) == "" || r[7].(string) == "" || r[8].(string) == "" || toInt(r[9]) != 1:
			c.fail("I8", "case %d: incomplete: %v", id, r)
		case toInt(r[6]) == 0 && (r[4] == "exhausted" || r[4] == "crash"):
			c.fail("I8", "case %d: no attempts", id)
		}
	}
}

func toInt(v any) int64 {
	n, _ := v.(int64) // of another type it is not the number that is wanted
	return n
}

// drained is I9, at rest: nothing is left to do.
func (c *checker) drained() {
	busy, err := Busy(c.ctx, c.db)
	if err != nil {
		c.err = err
	}
	for _, b := range busy {
		c.fail("I9", "%s", b)
	}
}

// acknowledged is I10: what a group's cursor has passed is in its dedupe table.
func (c *checker) acknowledged() {
	for _, r := range c.rows("SELECT k.grp, t.envelope FROM evc_topic t JOIN evc_cursor k ON k.topic = t.topic AND t.pos <= k.pos") {
		var envelope struct{ Type, IdempotencyKey string }
		if json.Unmarshal([]byte(r[1].(string)), &envelope) != nil || envelope.Type != "OrderPaid.v1" && envelope.Type != Shipped+".v1" {
			continue
		}
		if name := r[0].(string); c.outcomes[name][envelope.IdempotencyKey] == "" && c.published[envelope.IdempotencyKey].times > 0 {
			c.fail("I10", "%s: event %s is acknowledged and not recorded", name, envelope.IdempotencyKey)
		}
	}
}

// Busy says what the runtime still has to do.
func Busy(ctx context.Context, db *Database) (busy []string, err error) {
	for _, q := range []struct{ what, query string }{
		{"events wait in the outbox", "SELECT count(*) FROM evc_outbox"},
		{"lanes wait for their time", "SELECT count(*) FROM evc_block WHERE wake_at IS NOT NULL"},
		{"calls wait for their time", "SELECT count(*) FROM evc_effect WHERE next_at IS NOT NULL"},
		{"messages are not acknowledged", "SELECT count(*) FROM evc_topic t JOIN evc_consumer c ON 1 = 1 LEFT JOIN evc_cursor k ON k.topic = t.topic AND k.grp = c.name WHERE k.pos IS NULL OR t.pos > k.pos"},
	} {
		n, err := db.Count(ctx, q.query)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			busy = append(busy, fmt.Sprintf("%d %s", n, q.what))
		}
	}
	return busy, nil
}
