package sqlite

import (
	"bytes"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/evcontract/evcontract/event"
)

const (
	idState = `SELECT moving, moved, coalesce((SELECT max(seq) FROM evc_event), 0),
			coalesce((SELECT min(first) FROM evc_recent_id), 0), coalesce((SELECT max(first) FROM evc_recent_id), 0) FROM evc_sweep`
	idsSince    = `SELECT first, ids FROM evc_recent_id WHERE first > ? ORDER BY first`
	insertIDs   = `INSERT INTO evc_recent_id (first, ids) VALUES (?, ?)`
	dropIDs     = `DELETE FROM evc_recent_id WHERE first <= ?`
	setMovedIDs = `UPDATE evc_sweep SET moving = ?, moved = ?`
	seqOf       = `SELECT seq FROM evc_id WHERE id = ?`
	dropID      = `DELETE FROM evc_id WHERE id = ?`
)

// An id that is there already is that of an event that was dropped.
var insertID = manyRows(`INSERT OR FAIL INTO evc_id (id, seq) VALUES `, `?, ?`, ` ON CONFLICT (id) DO UPDATE SET seq = excluded.seq`)

// moveIDsAt is how many ids the log holds before they are moved, or how many
// rows: the rows go with the last of their ids. moveIDsLeast is how many are moved
// at once: a page takes several only if several move.
const (
	moveIDsAt    = 1 << 16
	moveIDRowsAt = 1 << 14
	moveIDsLeast = 128
)

// idLog is what a writing connection knows of evc_recent_id, which it reads on
// in every transaction that appends. It holds only what is committed, by whatever
// process: a transaction that is rolled back leaves nothing behind in it.
type idLog struct {
	rows   []idRow
	upto   int64              // rows up to this one are being moved
	moving []idAt             // their ids, sorted
	fresh  map[event.ID]int64 // the ids of the other rows
}

// idRow is a row of evc_recent_id.
type idRow struct {
	first int64
	ids   []byte
}

// idAt is an id and its event.
type idAt struct {
	id  event.ID
	seq int64
}

func (r idRow) each(yield func(idAt) bool) {
	seq := r.first
	for ids := r.ids; len(ids) >= len(event.ID{}); ids = ids[len(event.ID{}):] {
		if !yield(idAt{event.ID(ids), seq}) {
			return
		}
		seq++
	}
}

// movingIDs is what the database says of the ids.
type movingIDs struct {
	upto         int64  // rows up to this one are being moved; 0 for none
	last         []byte // the last id of them that was; empty at first
	newest       int64  // event
	first, until int64  // rows of the log
}

// sync brings the log up to date.
func (l *idLog) sync(c *conn) (st movingIDs, err error) {
	found := false
	err = c.query(idState, func(row []driver.Value) error {
		found = true
		st = movingIDs{row[0].(int64), bytes.Clone(row[1].([]byte)), row[2].(int64), row[3].(int64), row[4].(int64)}
		return nil
	})
	if err == nil && !found {
		err = errors.New("evc_sweep has lost its row")
	}
	if err == nil {
		err = l.read(c, st)
	}
	if err != nil {
		*l = idLog{}
		return st, fmt.Errorf("read the ids that came last: %w", err)
	}
	return st, nil
}

func (l *idLog) read(c *conn, st movingIDs) error {
	if n := len(l.rows); n > 0 && st.until < l.rows[n-1].first {
		*l = idLog{}
	}
	gone := 0
	for gone < len(l.rows) && l.rows[gone].first < st.first {
		gone++
	}
	l.rows = slices.Delete(l.rows, 0, gone)
	n, known := len(l.rows), int64(0)
	if n > 0 {
		known = l.rows[n-1].first
	}
	if known != st.until {
		if err := c.query(idsSince, func(row []driver.Value) error {
			l.rows = append(l.rows, idRow{row[0].(int64), bytes.Clone(row[1].([]byte))})
			return nil
		}, known); err != nil {
			return err
		}
	}
	if gone > 0 || l.fresh == nil || st.upto != l.upto {
		l.arrange(st.upto)
		return nil
	}
	for _, row := range l.rows[n:] {
		l.add(row)
	}
	return nil
}

// arrange sorts the ids of the rows up to one, which are moved.
func (l *idLog) arrange(upto int64) {
	l.upto, l.moving, l.fresh = upto, l.moving[:0], map[event.ID]int64{}
	for _, row := range l.rows {
		if row.first > upto {
			l.add(row)
			continue
		}
		for at := range row.each {
			l.moving = append(l.moving, at)
		}
	}
	slices.SortFunc(l.moving, func(a, b idAt) int { return bytes.Compare(a.id[:], b.id[:]) })
}

func (l *idLog) add(row idRow) {
	for at := range row.each {
		l.fresh[at.id] = at.seq
	}
}

// seq is the event of an id, 0 if the log has none.
func (l *idLog) seq(id event.ID) int64 {
	if seq, ok := l.fresh[id]; ok {
		return seq
	}
	if i := l.behind(id[:]); i > 0 && l.moving[i-1].id == id {
		return l.moving[i-1].seq
	}
	return 0
}

// behind is the index of the first moving id that is greater.
func (l *idLog) behind(id []byte) int {
	return sort.Search(len(l.moving), func(i int) bool { return bytes.Compare(l.moving[i].id[:], id) > 0 })
}

// move carries on with moving ids to evc_id, n of them, once there are at least
// some. The rows that are moved leave the log with the last of them.
func (l *idLog) move(c *conn, st movingIDs, n, some int) error {
	if st.upto == 0 {
		if len(l.rows) == 0 || len(l.fresh) < some && len(l.rows) < moveIDRowsAt {
			return nil
		}
		st.upto, st.last = l.rows[len(l.rows)-1].first, nil
		l.arrange(st.upto)
	}
	at := l.behind(st.last)
	piece := l.moving[at:min(at+n, len(l.moving))]
	if err := addIDs(c, piece); err != nil {
		return err
	}
	if at+len(piece) < len(l.moving) {
		_, err := c.exec(setMovedIDs, st.upto, piece[len(piece)-1].id[:])
		return err
	}
	if _, err := c.exec(dropIDs, st.upto); err != nil {
		return err
	}
	_, err := c.exec(setMovedIDs, int64(0), []byte{})
	return err
}

// addIDs writes sorted ids.
func addIDs(c *conn, ids []idAt) error {
	args := make([]driver.Value, 0, 2*rowsAtOnce)
	for len(ids) > 0 {
		query, places := insertID.next(len(ids))
		n := min(len(ids), places)
		args = args[:0]
		for i := range places {
			at := &ids[min(i, n-1)]
			args = append(args, at.id[:], at.seq)
		}
		if _, err := c.exec(query, args...); err != nil {
			return err
		}
		ids = ids[n:]
	}
	return nil
}
