package sqlite

import (
	"bytes"
	"cmp"
	"database/sql/driver"
	"fmt"
	"iter"
	"slices"
	"sort"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

const (
	stateOf = `SELECT horizon, moving, moved,
			coalesce((SELECT id FROM evc_recent WHERE consumer = ?1 ORDER BY id LIMIT 1), 0),
			coalesce((SELECT id FROM evc_recent WHERE consumer = ?1 ORDER BY id DESC LIMIT 1), 0)
		FROM evc_consumer WHERE id = ?1`
	recentSince  = `SELECT id, bucket, keys FROM evc_recent WHERE consumer = ?1 AND id > ?2 ORDER BY id`
	insertRecent = `INSERT INTO evc_recent (consumer, bucket, keys) VALUES (?, ?, ?)`
	dropRecent   = `DELETE FROM evc_recent WHERE consumer = ?1 AND id <= ?2`
	setMoving    = `UPDATE evc_consumer SET moving = ?2, moved = ?3 WHERE id = ?1`
	anyOldRecent = `SELECT EXISTS (SELECT 1 FROM evc_recent WHERE consumer = ?1 AND bucket < ?2)`
)

// The keys in the log of a consumer are moved when there are so many of them, or
// so many rows, which small batches make: those are deleted in one go.
const (
	moveAt     = 1 << 16
	moveRowsAt = 1 << 12
)

// insertKeys fails without undoing what it did: its transaction is rolled back
// anyway, and to be able to undo itself a statement copies every page first.
var insertKeys = manySharing(`INSERT OR FAIL INTO evc_key (consumer, bucket, outcome, key) `, 3, 1, ` ON CONFLICT DO NOTHING`)

// recent is what a store knows of the log of a consumer's keys, which it reads
// on in every transaction that asks: evc_recent. Keys are random, and a table
// that is searched by key changes a page for each of them, which costs more than
// all else that a batch does. So the keys of a batch go into one row of the log.
// When there are many they are moved to evc_key in the order of keys, some with
// each batch, so that a page that changes takes several. A key is known when
// either has it.
//
// It holds only rows that are committed: what a transaction appends to the log
// it reads after it, like what other processes append. It belongs to whoever
// has the writing connection.
type recent struct {
	rows   []logged
	upto   int64                  // rows up to this id are being moved
	moving []queued               // their keys, sorted
	begin  [places + 1]int        // where those of each place begin
	fresh  map[event.Key]struct{} // the keys of the other rows
}

// logged is a row of the log.
type logged struct {
	id     int64
	bucket int
	keys   []byte
}

// queued is a key with its bucket.
type queued struct {
	key    event.Key
	bucket int
}

func byKey(a, b queued) int { return bytes.Compare(a.key[:], b.key[:]) }

// state is what the database says of a consumer's keys.
type state struct {
	horizon     int
	moving      int64  // rows of the log up to this id are being moved; 0 for none
	moved       []byte // the last key of them that was; empty at first
	first, last int64  // rows of the log
}

// recent brings what is known of a consumer's log up to date. The transaction
// must not have written to it.
func (t *txn) recent(c *conn, consumer int64) (*recent, state, error) {
	var st state
	err := c.query(stateOf, func(row []driver.Value) error {
		st.horizon, st.moving, st.first, st.last = int(row[0].(int64)), row[1].(int64), row[3].(int64), row[4].(int64)
		st.moved = bytes.Clone(row[2].([]byte))
		return nil
	}, consumer)
	if err != nil {
		return nil, st, err
	}
	r := t.store.recents[consumer]
	if r == nil {
		r = &recent{}
		t.store.recents[consumer] = r
	}
	if err := r.sync(c, consumer, st); err != nil {
		*r = recent{}
		return nil, st, fmt.Errorf("read the keys that came last: %w", err)
	}
	return r, st, nil
}

func (r *recent) sync(c *conn, consumer int64, st state) error {
	if n := len(r.rows); n > 0 && st.last < r.rows[n-1].id { // somebody cleaned up
		*r = recent{}
	}
	gone := 0
	for gone < len(r.rows) && r.rows[gone].id < st.first {
		gone++
	}
	r.rows = slices.Delete(r.rows, 0, gone)
	n := len(r.rows)
	if err := r.load(c, consumer, st.last); err != nil {
		return err
	}
	if gone > 0 || r.fresh == nil || st.moving != r.upto {
		r.arrange(st.moving)
		return nil
	}
	for _, row := range r.rows[n:] {
		r.add(row)
	}
	return nil
}

// load reads the rows that are new.
func (r *recent) load(c *conn, consumer, last int64) error {
	var known int64
	if n := len(r.rows); n > 0 {
		known = r.rows[n-1].id
	}
	if known == last {
		return nil
	}
	return c.query(recentSince, func(row []driver.Value) error {
		r.rows = append(r.rows, logged{id: row[0].(int64), bucket: int(row[1].(int64)), keys: bytes.Clone(row[2].([]byte))})
		return nil
	}, consumer, known)
}

// arrange sorts the keys of the rows up to an id, which are moved.
func (r *recent) arrange(upto int64) {
	r.upto, r.fresh = upto, map[event.Key]struct{}{}
	var begin [places + 1]int
	for _, row := range r.rows {
		if row.id > upto {
			r.add(row)
			continue
		}
		for key := range row.each {
			begin[placeOf(key)+1]++
		}
	}
	for i := range places {
		begin[i+1] += begin[i]
	}
	r.fill(begin)
}

// fill puts the keys that are moved in their places, which begin there, and
// sorts each place.
func (r *recent) fill(begin [places + 1]int) {
	r.begin = begin
	r.moving = make([]queued, begin[places])
	for _, row := range r.rows {
		if row.id > r.upto {
			continue
		}
		for key := range row.each {
			at := placeOf(key)
			r.moving[begin[at]] = queued{key, row.bucket}
			begin[at]++
		}
	}
	for i := range places {
		slices.SortFunc(r.moving[r.begin[i]:r.begin[i+1]], byKey)
	}
}

func (r *recent) add(row logged) {
	for key := range row.each {
		r.fresh[key] = struct{}{}
	}
}

// each yields the keys of a row.
func (row logged) each(yield func(event.Key) bool) {
	for keys := row.keys; len(keys) >= len(event.Key{}); keys = keys[len(event.Key{}):] {
		if !yield(event.Key(keys[:len(event.Key{})])) {
			return
		}
	}
}

// places is how many parts the keys that are moved are divided into by their
// first bits, so that a search begins near its end.
const places = 1 << 12

func placeOf(key event.Key) int { return (int(key[0])<<8 | int(key[1])) >> 4 }

func (r *recent) has(key event.Key) bool {
	if len(r.moving) > 0 {
		at := placeOf(key)
		for i := r.begin[at]; i < r.begin[at+1]; i++ {
			if r.moving[i].key == key {
				return true
			}
		}
	}
	_, ok := r.fresh[key]
	return ok
}

// appendRecent writes new keys to the log, a row a bucket.
func appendRecent(c *conn, consumer int64, fresh []queued) error {
	for part := range byBucket(fresh) {
		keys := make([]byte, 0, len(part)*len(event.Key{}))
		for i := range part {
			keys = append(keys, part[i].key[:]...)
		}
		if _, err := c.exec(insertRecent, consumer, int64(part[0].bucket), keys); err != nil {
			return err
		}
	}
	return nil
}

// move carries on with moving keys from the log to the table, n of them, once
// there are at least some, and takes those that are moved out of the log. What
// r knows is not changed: the transaction may be rolled back.
func (r *recent) move(c *conn, consumer int64, st state, n, some int) (moved []queued, err error) {
	if n == 0 {
		return nil, nil
	}
	if st.moving == 0 {
		if len(r.rows) == 0 || len(r.fresh) < some && len(r.rows) < moveRowsAt {
			return nil, nil
		}
		st.moving, st.moved = r.rows[len(r.rows)-1].id, nil
		r.arrange(st.moving)
	}
	at := sort.Search(len(r.moving), func(i int) bool { return bytes.Compare(r.moving[i].key[:], st.moved) > 0 })
	piece := r.moving[at:min(at+n, len(r.moving))]
	if err := addKeys(c, consumer, piece); err != nil {
		return nil, err
	}
	if at+len(piece) < len(r.moving) {
		_, err = c.exec(setMoving, consumer, st.moving, piece[len(piece)-1].key[:])
		return piece, err
	}
	if _, err := c.exec(dropRecent, consumer, st.moving); err != nil {
		return nil, err
	}
	_, err = c.exec(setMoving, consumer, int64(0), []byte{})
	return piece, err
}

// addKeys inserts sorted keys that are not there yet.
func addKeys(c *conn, consumer int64, keys []queued) error {
	args := make([]driver.Value, 0, 3+rowsAtOnce)
	for part := range byBucket(keys) {
		for len(part) > 0 {
			query, places := insertKeys.next(len(part))
			n := min(len(part), places)
			args = append(args[:0], consumer, int64(part[0].bucket), string(delivery.Done))
			for i := range places {
				args = append(args, part[min(i, n-1)].key[:])
			}
			if _, err := c.exec(query, args...); err != nil {
				return err
			}
			part = part[n:]
		}
	}
	return nil
}

// byBucket yields the keys of each bucket, in their order.
func byBucket(keys []queued) iter.Seq[[]queued] {
	inOne := func(a, b queued) int { return cmp.Compare(a.bucket, b.bucket) }
	if !slices.IsSortedFunc(keys, inOne) {
		keys = slices.Clone(keys)
		slices.SortStableFunc(keys, inOne)
	}
	return func(yield func([]queued) bool) {
		for len(keys) > 0 {
			n := sort.Search(len(keys), func(i int) bool { return keys[i].bucket > keys[0].bucket })
			if !yield(keys[:n]) {
				return
			}
			keys = keys[n:]
		}
	}
}
