package sqlite

import (
	"database/sql/driver"
	"encoding/binary"

	"github.com/evcontract/evcontract/event"
)

const (
	keysSince = `SELECT id, consumer, key FROM evc_key WHERE id > ? ORDER BY id LIMIT ?`
	keysRange = `SELECT coalesce((SELECT min(id) FROM evc_key), 0), coalesce((SELECT max(id) FROM evc_key), 0)`
)

const (
	sieveLeast = 1 << 16 // keys that there is room for at first
	sieveMost  = 1 << 25 // keys that there is room for at most: 64 MB
	sievePiece = 100     // keys that are read at least
)

// sieve says of most keys that evc_key does not have them, without a look at it:
// a key that is new, as nearly all are, would be looked for in a page that nobody
// else needs. It is a Bloom filter in memory, 16 bits a key, over the rows up to
// an id. Ids only grow (AUTOINCREMENT), so that it is complete when it has
// read up to the newest one, which it does a piece at a time: until then every key
// is looked for. A key too many in it does no harm, and so none is ever taken out:
// when it is full it begins anew. It belongs to whoever has the writing connection.
type sieve struct {
	least  int // room at first
	upto   int64
	room   int // keys that it is made for
	held   int
	blocks [][8]uint64
}

// follow reads on, some rows at most, and reports whether the sieve has all. The
// transaction must not have written keys.
func (s *sieve) follow(c *conn, some int) (complete bool, err error) {
	var first, last int64
	if err := c.query(keysRange, func(row []driver.Value) error {
		first, last = row[0].(int64), row[1].(int64)
		return nil
	}); err != nil {
		return false, err
	}
	if s.blocks == nil || s.held > s.room {
		s.make(int(last - first))
	}
	if s.room > sieveMost {
		return false, nil
	}
	if s.upto < last {
		if err := s.read(c, some+sievePiece); err != nil {
			return false, err
		}
	}
	return s.upto >= last && s.held <= s.room, nil
}

// make begins anew, with room for twice as many rows as there are.
func (s *sieve) make(rows int) {
	*s = sieve{least: s.least, room: s.least}
	for s.room < 2*rows {
		s.room *= 2
	}
	if s.room <= sieveMost {
		s.blocks = make([][8]uint64, s.room/32)
	}
}

func (s *sieve) read(c *conn, some int) error {
	return c.query(keysSince, func(row []driver.Value) error {
		s.add(row[1].(int64), event.Key(row[2].([]byte)))
		s.upto = row[0].(int64)
		return nil
	}, s.upto, int64(some))
}

func (s *sieve) add(consumer int64, key event.Key) {
	if len(s.blocks) == 0 {
		return
	}
	s.held++
	b, bits := s.place(consumer, key)
	for range 6 {
		b[bits>>61] |= 1 << (bits >> 55 & 63)
		bits <<= 9
	}
}

// has reports whether a key may be there.
func (s *sieve) has(consumer int64, key event.Key) bool {
	b, bits := s.place(consumer, key)
	for range 6 {
		if b[bits>>61]&(1<<(bits>>55&63)) == 0 {
			return false
		}
		bits <<= 9
	}
	return true
}

// place is the block of a key and, nine bits each, its bits there.
func (s *sieve) place(consumer int64, key event.Key) (*[8]uint64, uint64) {
	const odd = 0x9e3779b97f4a7c15
	h := (binary.BigEndian.Uint64(key[:8]) ^ uint64(consumer)) * odd
	return &s.blocks[h>>32*uint64(len(s.blocks))>>32], (binary.BigEndian.Uint64(key[8:]) ^ h) * odd
}
