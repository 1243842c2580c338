package postgres

import (
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/evcontract/evcontract/delivery"
)

// ration is how many rows are asked for while events are large. The server sends
// all that it was asked for, so what is beyond delivery.MostBytes is read past
// once, and then fewer are asked for until they are small again. The zero value
// asks for as many as are wanted.
type ration struct {
	mu   sync.Mutex
	rows int // 0: as many as are wanted
}

func (r *ration) of(wanted int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rows == 0 {
		return wanted
	}
	return min(wanted, r.rows)
}

// saw notes how many rows were read, of how many that were wanted.
func (r *ration) saw(wanted, rows, bytes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case bytes >= delivery.MostBytes:
		r.rows = rows
	case rows == r.rows && bytes <= delivery.MostBytes/2:
		r.rows *= 2
	}
	if r.rows >= wanted {
		r.rows = 0
	}
}

// fill reads rows until their payloads are enough. What was wanted is noted
// before the rest is read past: that may take longer than a statement may.
func fill[T any](rows pgx.Rows, r *ration, wanted int, scan func(pgx.CollectableRow) (T, error), size func(*T) int) ([]T, error) {
	defer rows.Close()
	all := make([]T, 0, wanted)
	bytes := 0
	for bytes < delivery.MostBytes && rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
		bytes += size(&v)
	}
	r.saw(wanted, len(all), bytes)
	rows.Close()
	return all, rows.Err()
}
