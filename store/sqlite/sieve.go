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
// is looked for. A key too many in it does no harm, and so none is ever taken out.
// It belongs to whoever has the writing connection.
type sieve struct {
	least  int // room at first
	upto   int64
	held   int
	layers []layer // a key is in one of them; new ones go to the last
}

// layer has room for some keys.
type layer struct {
	room, held int
	blocks     [][8]uint64
}

func newLayer(room int) layer { return layer{room: room, blocks: make([][8]uint64, room/32)} }

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
	rows := int(last - first)
	if len(s.layers) == 0 || s.held > 4*max(rows, s.least) { // most of them were forgotten since
		s.begin(rows)
	}
	if len(s.layers) > 0 && s.upto < last {
		if err := s.read(c, some+sievePiece); err != nil {
			return false, err
		}
	}
	return len(s.layers) > 0 && s.upto >= last, nil
}

// begin begins anew, with room for twice as many rows as there are, or without
// any where they are too many.
func (s *sieve) begin(rows int) {
	room := s.least
	for room < 2*rows {
		room *= 2
	}
	*s = sieve{least: s.least}
	if room <= sieveMost {
		s.layers = []layer{newLayer(room)}
	}
}

// grow makes room for more keys, if there may be so many.
func (s *sieve) grow() {
	all := 0
	for i := range s.layers {
		all += s.layers[i].room
	}
	more := 4 * s.layers[len(s.layers)-1].room
	if all+more > sieveMost {
		s.layers = nil
		return
	}
	s.layers = append(s.layers, newLayer(more))
}

func (s *sieve) read(c *conn, some int) error {
	return c.query(keysSince, func(row []driver.Value) error {
		s.add(row[1].(int64), event.Key(row[2].([]byte)))
		s.upto = row[0].(int64)
		return nil
	}, s.upto, int64(some))
}

func (s *sieve) add(consumer int64, key event.Key) {
	if n := len(s.layers); n > 0 && s.layers[n-1].held == s.layers[n-1].room {
		s.grow()
	}
	if len(s.layers) == 0 {
		return
	}
	l := &s.layers[len(s.layers)-1]
	s.held++
	l.held++
	h, bits := hash(consumer, key)
	b := l.block(h)
	for range 6 {
		b[bits>>61] |= 1 << (bits >> 55 & 63)
		bits <<= 9
	}
}

// has reports whether a key may be there.
func (s *sieve) has(consumer int64, key event.Key) bool {
	h, bits := hash(consumer, key)
	for i := range s.layers {
		if s.layers[i].has(h, bits) {
			return true
		}
	}
	return false
}

func (l *layer) has(h, bits uint64) bool {
	b := l.block(h)
	for range 6 {
		if b[bits>>61]&(1<<(bits>>55&63)) == 0 {
			return false
		}
		bits <<= 9
	}
	return true
}

// block is where the bits of a key are.
func (l *layer) block(h uint64) *[8]uint64 { return &l.blocks[h>>32*uint64(len(l.blocks))>>32] }

// hash gives what chooses the block of a key and, nine bits each, its bits there.
func hash(consumer int64, key event.Key) (h, bits uint64) {
	const odd = 0x9e3779b97f4a7c15
	h = (binary.BigEndian.Uint64(key[:8]) ^ uint64(consumer)) * odd
	return h, (binary.BigEndian.Uint64(key[8:]) ^ h) * odd
}
