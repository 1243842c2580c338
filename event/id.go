package event

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// ID identifies one event. It is a UUIDv8 (RFC 9562) derived from the event
// type and the key, so that a retried business operation makes the same event
// and not a second one.
type ID [16]byte

// Key is the idempotency key of one business fact: a UUIDv8 derived from the
// event's name without its major version and the values of its key fields. The
// same fact published as OrderPaid.v1 and as OrderPaid.v2 has one key.
type Key [16]byte

// NewKey derives the key of a fact. Name is the event's name without its major
// version. Fields are the values of the key fields in the declared order:
// strings as they are, integers in decimal, bytes in lower-case hex.
func NewKey(name string, fields ...string) Key {
	return Key(digest("evcontract key", name, fields))
}

// NewID derives the id of the event that tells a fact. EventType carries the
// major version: OrderPaid.v1.
func NewID(eventType string, key Key) ID {
	return ID(digest("evcontract id", eventType, []string{string(key[:])}))
}

// NewEffectKey derives the key of a third-party call. It depends on the fact,
// the consumer and the effect's name only, so that a retry, a replay and the
// next release all send the same key.
func NewEffectKey(key Key, consumer, effect string) EffectKey {
	return EffectKey(digest("evcontract effect", consumer, []string{effect, string(key[:])}))
}

// digest is a UUIDv8 over length-prefixed parts, so that ("ab", "c") and
// ("a", "bc") differ.
func digest(domain, name string, parts []string) [16]byte {
	var room [256]byte // of what most keys need
	text := room[:0]
	add := func(part string) {
		text = binary.BigEndian.AppendUint64(text, uint64(len(part)))
		text = append(text, part...)
	}
	add(domain)
	add(name)
	for _, p := range parts {
		add(p)
	}
	var id [16]byte
	sum := sha256.Sum256(text)
	copy(id[:], sum[:])
	id[6] = id[6]&0x0f | 0x80 // version 8
	id[8] = id[8]&0x3f | 0x80 // RFC 9562 variant
	return id
}

// IsZero reports whether the id was never set.
func (id ID) IsZero() bool { return id == ID{} }

// String is the UUID in its usual form.
func (id ID) String() string { return format(id) }

// MarshalText writes the usual form.
func (id ID) MarshalText() ([]byte, error) { return []byte(format(id)), nil }

// UnmarshalText reads a UUID of any version.
func (id *ID) UnmarshalText(text []byte) error { return parse((*[16]byte)(id), text) }

// IsZero reports whether the key was never set.
func (k Key) IsZero() bool { return k == Key{} }

// String is the UUID in its usual form.
func (k Key) String() string { return format(k) }

// MarshalText writes the usual form.
func (k Key) MarshalText() ([]byte, error) { return []byte(format(k)), nil }

// UnmarshalText reads a UUID of any version.
func (k *Key) UnmarshalText(text []byte) error { return parse((*[16]byte)(k), text) }

func format(u [16]byte) string {
	var b [36]byte
	hex.Encode(b[:8], u[:4])
	hex.Encode(b[9:13], u[4:6])
	hex.Encode(b[14:18], u[6:8])
	hex.Encode(b[19:23], u[8:10])
	hex.Encode(b[24:], u[10:])
	b[8], b[13], b[18], b[23] = '-', '-', '-', '-'
	return string(b[:])
}

func parse(into *[16]byte, text []byte) error {
	bad := len(text) != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-'
	if bad {
		return fmt.Errorf("%q is not a UUID: want 36 characters like 018f3c9a-0000-8000-8000-000000000000", clip(text))
	}
	var digits [32]byte
	copy(digits[:8], text[:8])
	copy(digits[8:12], text[9:13])
	copy(digits[12:16], text[14:18])
	copy(digits[16:20], text[19:23])
	copy(digits[20:], text[24:])
	var u [16]byte
	if _, err := hex.Decode(u[:], digits[:]); err != nil {
		return fmt.Errorf("%q is not a UUID: %w", clip(text), err)
	}
	*into = u
	return nil
}

// clip keeps a message short whatever arrives.
func clip(text []byte) []byte {
	if len(text) > 48 {
		return text[:48]
	}
	return text
}
