package sqlite

import (
	"cmp"
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

const (
	newMark = `INSERT INTO evc_mark (consumer, lane_type, lane_id, topic, version, event, key) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING`
	setMark = `UPDATE evc_mark SET version = ?5, event = ?6, key = ?7 WHERE consumer = ?1 AND lane_type = ?2 AND lane_id = ?3 AND topic = ?4 AND version = ?8`
)

var (
	// The marks of some lanes of one type.
	marksOf = manyValues(`SELECT lane_id, topic, version, event, key FROM evc_mark WHERE consumer = ? AND lane_type = ? AND lane_id IN (`, `)`)

	// Like insertKeys it need not undo itself.
	putMarks = manySharing(`INSERT OR FAIL INTO evc_mark (consumer, lane_type, topic, event, lane_id, version, key) `, 4, 3,
		` ON CONFLICT (consumer, lane_type, lane_id, topic) DO UPDATE SET version = excluded.version, event = excluded.event, key = excluded.key`)
)

// marked fills in the marks of the entries' lanes.
func (w *work) marked(c *conn, entries []delivery.Entry, answers []delivery.Entered) error {
	marks, err := w.marksOf(c, entries)
	if err != nil {
		return err
	}
	w.had = marks
	for i := range entries {
		if e := &entries[i]; e.Marked {
			answers[i].Mark = choose(marks[e.Lane], e)
		}
	}
	return nil
}

// marksOf reads all marks of the lanes whose entries need one.
func (w *work) marksOf(c *conn, entries []delivery.Entry) (map[event.Lane][]delivery.Mark, error) {
	marks := make(map[event.Lane][]delivery.Mark, len(entries))
	ids := map[string][]string{} // by type
	for _, e := range entries {
		if _, have := marks[e.Lane]; e.Marked && !have {
			marks[e.Lane] = nil
			ids[e.Lane.Type] = append(ids[e.Lane.Type], e.Lane.ID)
		}
	}
	args := make([]driver.Value, 0, 2+rowsAtOnce)
	for kind, ids := range ids {
		for len(ids) > 0 {
			query, places := marksOf.next(len(ids))
			n := min(len(ids), places)
			args = append(args[:0], w.consumer, kind)
			for i := range places {
				args = append(args, ids[min(i, n-1)])
			}
			err := c.query(query, func(row []driver.Value) error {
				m := delivery.Mark{Lane: event.Lane{Type: kind, ID: row[0].(string)}, Topic: row[1].(string), Version: uint64(row[2].(int64)), Event: row[3].(string)}
				key, _ := row[4].([]byte)
				copy(m.Key[:], key)
				marks[m.Lane] = append(marks[m.Lane], m)
				return nil
			}, args...)
			if err != nil {
				return nil, err
			}
			ids = ids[n:]
		}
	}
	return marks, nil
}

// choose is the topic's own mark, else what the consumer kept of the lane under
// another order: the mark of the whole lane where a topic is asked about, else
// the newest of any topic.
func choose(marks []delivery.Mark, e *delivery.Entry) delivery.Mark {
	m := delivery.Mark{Lane: e.Lane, Topic: e.Topic}
	for _, have := range marks {
		switch {
		case have.Topic == e.Topic:
			have.Was = have.Version
			return have
		case (have.Topic == "" || e.Topic == "") && have.Version >= m.Version:
			m = have
			m.Topic, m.Borrowed = e.Topic, true
		}
	}
	return m
}

// marks moves the marks of lanes.
func (w *work) marks(_ context.Context, changes delivery.Changes, _ int64) error {
	if len(changes.Marks) == 0 {
		return nil
	}
	return w.direct(func(c *conn) error {
		known := make([]*delivery.Mark, 0, len(changes.Marks))
		for i := range changes.Marks {
			m := &changes.Marks[i]
			if w.unmoved(m) {
				known = append(known, m)
				continue
			}
			n, err := w.mark(c, m)
			if err != nil {
				return fmt.Errorf("record version mark: %w", err)
			}
			if n == 0 {
				return delivery.ErrRaced
			}
		}
		if err := w.putMarks(c, known); err != nil {
			return fmt.Errorf("record version mark: %w", err)
		}
		return nil
	})
}

// unmoved reports whether a mark is where the change says: this transaction has
// read it and nobody else can have changed it since.
func (w *work) unmoved(m *delivery.Mark) bool {
	had, asked := w.had[m.Lane]
	if !asked {
		return false
	}
	var version uint64
	for i := range had {
		if had[i].Topic == m.Topic {
			version = had[i].Version
		}
	}
	return version == m.Was
}

// putMarks writes marks that are of one type, topic and event together.
func (w *work) putMarks(c *conn, marks []*delivery.Mark) error {
	alike := func(a, b *delivery.Mark) int {
		return cmp.Or(strings.Compare(a.Lane.Type, b.Lane.Type), strings.Compare(a.Topic, b.Topic), strings.Compare(a.Event, b.Event))
	}
	if !slices.IsSortedFunc(marks, alike) {
		slices.SortStableFunc(marks, alike)
	}
	args := make([]driver.Value, 0, 4+3*rowsAtOnce)
	for len(marks) > 0 {
		first, n := marks[0], 1
		for n < min(len(marks), rowsAtOnce) && alike(first, marks[n]) == 0 {
			n++
		}
		query, places := putMarks.next(n)
		n = min(n, places)
		args = append(args[:0], w.consumer, first.Lane.Type, first.Topic, first.Event)
		for i := range places {
			m := marks[min(i, n-1)]
			args = append(args, m.Lane.ID, int64(m.Version), m.Key[:])
		}
		if _, err := c.exec(query, args...); err != nil {
			return err
		}
		marks = marks[n:]
	}
	return nil
}

// mark moves a mark, if it is still where the change says.
func (w *work) mark(c *conn, m *delivery.Mark) (int64, error) {
	if m.Was == 0 {
		return c.exec(newMark, w.consumer, m.Lane.Type, m.Lane.ID, m.Topic, int64(m.Version), m.Event, m.Key[:])
	}
	return c.exec(setMark, w.consumer, m.Lane.Type, m.Lane.ID, m.Topic, int64(m.Version), m.Event, m.Key[:], int64(m.Was))
}
