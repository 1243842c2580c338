package delivery

import (
	"github.com/evcontract/evcontract/event"
)

// verdict is what a version guard says of an event.
type verdict uint8

const (
	follows  verdict = iota // handle it
	older                   // the state is newer: skip it
	late                    // the lane has gone on without it, and must not skip it
	conflict                // another event has its version
	gap                     // an earlier one is missing: wait
)

// guard compares an event with the newest version of its lane. Version 0 is an
// event without a version, which nothing can be said about.
//
// The chain of a lane is the previous version that the relay stamped, and not
// version minus one: not every change of an aggregate makes an event. A sender
// that stamps nothing is taken to send every version, whatever the topic. Else
// each topic has a chain of its own: no broker keeps order across topics.
func guard(order event.Order, m event.Message, id event.Identity, mark Mark, midway bool) verdict {
	if order == event.OrderAny || id.Version == 0 {
		return follows
	}
	switch {
	case id.Version < mark.Version && order == event.OrderContiguous && !mark.Borrowed && !midway:
		return late
	case id.Version < mark.Version:
		return older
	case id.Version == mark.Version:
		return twin(m, id, mark)
	case order == event.OrderLatest:
		return follows
	}
	previous := m.Previous
	if !m.Chained {
		previous = id.Version - 1
	}
	if previous <= mark.Version || midway && mark.Version == 0 {
		return follows
	}
	return gap
}

// twin judges an event of the version that the lane is at: one change may make
// several events of different names, but not two of one name.
func twin(m event.Message, id event.Identity, mark Mark) verdict {
	if mark.Event == NameOf(m.Type) && mark.Key != id.Key {
		return conflict
	}
	return follows
}

// order is what a route needs. A consumer with one contiguous route takes all
// its events in order: the chain of a lane runs through every one of them.
func (r *runner) order(route *event.Route) event.Order {
	if r.contiguous {
		return event.OrderContiguous
	}
	if route == nil {
		return event.OrderAny
	}
	return route.Order
}
