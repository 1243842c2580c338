package delivery

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/evcontract/evcontract/event"
)

// PositionKey stands for the key of a message that has none: where the broker
// keeps it.
func PositionKey(m event.Message) event.Key {
	return event.NewKey("evcontract position", m.Topic,
		strconv.Itoa(int(m.Position.Partition)), strconv.FormatInt(m.Position.Offset, 10))
}

// items identifies messages and leaves out those that the consumer doesn't read.
func (r *runner) items(ms []event.Message) []item {
	items := make([]item, 0, len(ms))
	ignored := 0
	for _, m := range ms {
		it, ok := r.item(m)
		if !ok {
			ignored++
			continue
		}
		items = append(items, it)
	}
	if ignored > 0 {
		r.Observe(Observation{Loop: LoopInbox, Consumer: r.consumer.Name, Outcome: Ignored, Count: ignored})
	}
	return items
}

func (r *runner) item(m event.Message) (item, bool) {
	route := r.routes[m.Type]
	if route == nil && m.Type != "" {
		return r.passing(m)
	}
	it := item{m: m, route: route}
	if route == nil {
		it.err = errors.New("message without an event type")
	} else {
		it.id, it.err = identify(route, m)
	}
	if it.err == nil && it.id.Key.IsZero() {
		it.err = event.ErrZeroKey
	}
	if it.err == nil {
		it.err = checkPlace(it.id.Lane, it.id.Version)
	}
	if it.err != nil {
		it.id = event.Identity{Key: PositionKey(m)}
		it.entry = Entry{Key: it.id.Key, Bucket: BucketOf(it.id, m)}
		return it, true
	}
	it.entry = r.entry(it)
	return it, true
}

func (r *runner) entry(it item) Entry {
	e := Entry{Key: it.id.Key, Lane: it.id.Lane, Bucket: BucketOf(it.id, it.m)}
	if e.Lane == (event.Lane{}) { // about no aggregate: it waits for nobody
		e.Lane.ID = e.Key.String()
		return e
	}
	order := r.order(it.route)
	e.Marked = order != event.OrderAny && it.id.Version > 0
	if order == event.OrderContiguous && it.m.Chained {
		e.Topic = it.m.Topic // a relay stamps what came before on the same topic
	}
	return e
}

// passing is an event that nobody handles in a consumer that needs every step:
// the chain of versions runs through it, so its lane's mark must move. Another
// major version of an event that is read is no such step: the fact comes in the
// version that is read as well, or the consumer misses it, which shows as a gap.
func (r *runner) passing(m event.Message) (item, bool) {
	lane := event.Lane{Type: m.AggregateType, ID: m.Subject}
	if !r.contiguous || r.names[NameOf(m.Type)] || lane.Type == "" || lane.ID == "" || m.Version == 0 || checkPlace(lane, m.Version) != nil {
		return item{}, false
	}
	var key event.Key
	if key.UnmarshalText([]byte(m.IdempotencyKey)) != nil {
		return item{}, false
	}
	// Another major version of a fact that is read has the same key; the entry
	// must not take the place of the one that is handled.
	key = event.NewKey("evcontract passing", m.Type, key.String())
	it := item{m: m, id: event.Identity{Key: key, Version: m.Version, Time: m.Time, Lane: lane}}
	it.entry = r.entry(it)
	return it, true
}

func identify(route *event.Route, m event.Message) (id event.Identity, err error) {
	err = protect(func() (err error) {
		id, err = route.Identify(m)
		return err
	})
	if err != nil {
		return id, fmt.Errorf("identify %s: %w", m.Type, err)
	}
	return id, nil
}

// chain lists an error and what it wraps, outermost first, each cut to a size
// that a row can hold.
func chain(err error) []string {
	const longest = 4096
	var texts []string
	for ; err != nil && len(texts) < 20; err = errors.Unwrap(err) {
		text := err.Error()
		if len(text) > longest {
			text = strings.ToValidUTF8(text[:longest], "")
		}
		text = asText(text)
		if n := len(texts); n == 0 || texts[n-1] != text {
			texts = append(texts, text)
		}
	}
	return texts
}
