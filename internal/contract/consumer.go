package contract

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strconv"

	"github.com/evcontract/evcontract/internal/source"
)

// Consumer is a named group that reads some fields of some event types in its
// own way: a manifest NAME.consumer.yaml, perhaps in another repository.
type Consumer struct {
	Pos        source.Pos          `yaml:",pos"`
	Name       source.At[string]   `yaml:"consumer"`
	Owner      source.At[string]   `yaml:"owner"`
	Summary    source.At[string]   `yaml:"summary"`
	Reads      []Reading           `yaml:"reads"`
	Effects    []source.At[string] `yaml:"effects"`
	Retry      Retry               `yaml:"retry"`
	Quarantine Quarantine          `yaml:"quarantine"`
	SLO        SLO                 `yaml:"slo"`
	Remember   source.At[Duration] `yaml:"remember"`
}

// Reading is how a consumer reads one event type.
type Reading struct {
	Pos           source.Pos           `yaml:",pos"`
	Event         source.At[Name]      `yaml:"event"`
	Fields        []source.At[Path]    `yaml:"fields"` // empty: every field
	Order         source.At[Order]     `yaml:"order"`
	UnknownFields source.At[Treatment] `yaml:"unknown_fields"`
	UnknownEnums  source.At[Treatment] `yaml:"unknown_enums"`
	Upcast        source.At[Name]      `yaml:"upcast"` // the later major version that an event is turned into before it is handled; zero: none
	Batch         source.At[bool]      `yaml:"batch"`  // the handler takes several events at once
}

// Retry bounds the attempts at one event.
type Retry struct {
	Pos      source.Pos          `yaml:",pos"`
	Attempts source.At[int]      `yaml:"attempts"`
	Initial  source.At[Duration] `yaml:"initial"`
	Max      source.At[Duration] `yaml:"max"`
	Jitter   source.At[float64]  `yaml:"jitter"`
}

// Quarantine says who must act by when, and how long a resolved row is kept.
type Quarantine struct {
	Pos           source.Pos          `yaml:",pos"`
	ResolveWithin source.At[Duration] `yaml:"resolve_within"`
	Keep          source.At[Duration] `yaml:"keep"`
}

// SLO is what the running consumer is held against.
type SLO struct {
	Pos           source.Pos          `yaml:",pos"`
	OldestMessage source.At[Duration] `yaml:"oldest_message"`
	HandlingP95   source.At[Duration] `yaml:"handling_p95"`
	RetryRatio    source.At[float64]  `yaml:"retry_ratio"`
}

// Inherit fills what the consumer leaves out from the workspace's defaults.
func (c *Consumer) Inherit(d Defaults) {
	inherit(&c.Retry.Attempts, d.Retry.Attempts)
	inherit(&c.Retry.Initial, d.Retry.Initial)
	inherit(&c.Retry.Max, d.Retry.Max)
	inherit(&c.Retry.Jitter, d.Retry.Jitter)
	inherit(&c.Quarantine.ResolveWithin, d.Quarantine.ResolveWithin)
	inherit(&c.Quarantine.Keep, d.Quarantine.Keep)
	inherit(&c.SLO.OldestMessage, d.SLO.OldestMessage)
	inherit(&c.SLO.HandlingP95, d.SLO.HandlingP95)
	inherit(&c.SLO.RetryRatio, d.SLO.RetryRatio)
	inherit(&c.Remember, d.Remember)
}

func inherit[T any](own *source.At[T], def source.At[T]) {
	if own.Pos.IsZero() {
		*own = def
	}
}

// Reading gives how the consumer reads an event, nil where it does not.
func (c *Consumer) Reading(event Name) *Reading {
	for i := range c.Reads {
		if c.Reads[i].Event.Value == event {
			return &c.Reads[i]
		}
	}
	return nil
}

// Revision is the first 16 hex digits of a SHA-256 over what the consumer reads
// and how: the revision of each event of which the set has a schema, the fields,
// and what becomes of what it does not know. It is what an inbox reports of a
// consumer that was generated from the set. Names of effects, retries and
// objectives take no part: they change nothing in what can be read.
func (c *Consumer) Revision(set *Set) string {
	h := sha256.New()
	add := func(parts ...string) {
		for _, p := range parts {
			io.WriteString(h, p)
			h.Write([]byte{0})
		}
	}
	add("evcontract consumer revision 1", c.Name.Value)
	for i := range c.Reads {
		r := &c.Reads[i]
		e := set.Event(r.Event.Value)
		if e == nil || e.Schema == nil || e.Status.Value == Retired {
			continue
		}
		add(r.Event.Value.String(), e.Revision(), string(cmp.Or(r.Order.Value, AnyOrder)),
			string(cmp.Or(r.UnknownFields.Value, Ignore)), string(cmp.Or(r.UnknownEnums.Value, Reject)),
			strconv.FormatBool(r.Batch.Value))
		if !r.Upcast.Pos.IsZero() {
			add("upcast", r.Upcast.Value.String())
		}
		for _, f := range r.Fields {
			add("field", f.Value.String())
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// UpcastFault tells why a reading's events cannot be turned into what it says,
// "" where they can, or need not. A target is of the same event and of a later
// major version, so that upcasts never come round.
func (c *Consumer) UpcastFault(r *Reading) string {
	target := r.Upcast.Value
	switch {
	case r.Upcast.Pos.IsZero() || target.Base == "": // not said, or told as unreadable
		return ""
	case target.Base != r.Event.Value.Base:
		return "it is another event, not a later major version of this one"
	case target.Major <= r.Event.Value.Major:
		return "it is no later major version"
	case c.Reading(target) == nil:
		return c.Name.Value + " does not read " + target.String()
	}
	return ""
}
