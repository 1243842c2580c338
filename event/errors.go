package event

import "errors"

// ErrKeyReused is returned by Append when a key that was published before comes
// with another body: the caller computed one key for two different facts.
var ErrKeyReused = errors.New("idempotency key was used for another event body")

// ErrVersionTaken is returned by Append when another key already claims the
// same version of the same lane under the same event name.
var ErrVersionTaken = errors.New("aggregate version was already published under another key")

// ErrZeroKey is returned for a key that no constructor made.
var ErrZeroKey = errors.New("zero idempotency key: make it with its generated constructor")

// Permanent marks an error that no retry can mend: the event goes to quarantine
// at once. Permanent(nil) is nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return permanent{err}
}

// IsPermanent reports whether any error in the chain is marked Permanent.
func IsPermanent(err error) bool {
	var p permanent
	return errors.As(err, &p)
}

type permanent struct{ error }

func (p permanent) Unwrap() error { return p.error }
