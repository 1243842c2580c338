package postgres

import (
	"math"
	"testing"
	"time"
)

// rowOf is what firstPending answers.
type rowOf struct{ oldest, first int64 }

func (r rowOf) Scan(to ...any) error {
	*to[0].(*int64), *to[1].(*int64) = r.oldest, r.first
	return nil
}

func TestFloor(t *testing.T) {
	const none = math.MaxInt64
	now := time.Unix(0, 0).Add(time.Hour)
	var f floor
	for i, step := range []struct {
		after time.Duration // since the step before
		from  int64
		look  *rowOf // nil: it does not look
		rows  int
		xid   int64
	}{
		{0, 0, &rowOf{90, 1000}, 500, 100}, // 1000 may be a floor when all before 100 have ended
		{time.Second, 0, nil, floorRows, 101},
		{time.Second, 0, &rowOf{99, 6500}, 500, 102}, // one runs still
		{time.Second, 0, nil, floorRows, 103},
		{time.Second, 0, &rowOf{100, 7000}, 500, 104}, // none does
		{time.Second, 1000, nil, floorRows, 105},
		{time.Second, 1000, &rowOf{104, 1001}, floorRows, 106}, // one that committed late is seen
		{time.Second, 1001, &rowOf{106, none}, 0, 0},           // nothing waits: what was first then is a floor
		{time.Second, 1001, nil, floorRows, 107},               // which nothing said
		{2 * floorTrust, 0, &rowOf{107, 900}, 1, 108},          // the numbers went back
		{time.Second, 900, nil, 1, 109},
	} {
		now = now.Add(step.after)
		from, look := f.from(now)
		if from != step.from || look != (step.look != nil) {
			t.Fatalf("step %d: a scan begins at %d and looks: %v; want %d, %v", i, from, look, step.from, step.look != nil)
		}
		if look {
			if err := f.saw(step.look); err != nil {
				t.Fatal(err)
			}
		}
		if step.rows > 0 {
			f.handed(step.rows, step.xid)
		}
	}
}
