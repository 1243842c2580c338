package codegen

import (
	"fmt"
	"time"
)

// duration writes a duration as a person would in Go: 24 * time.Hour.
func duration(d time.Duration) string {
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{time.Hour, "time.Hour"}, {time.Minute, "time.Minute"}, {time.Second, "time.Second"}, {time.Millisecond, "time.Millisecond"}} {
		switch {
		case d == u.unit:
			return u.name
		case d != 0 && d%u.unit == 0:
			return fmt.Sprintf("%d * %s", d/u.unit, u.name)
		}
	}
	return fmt.Sprintf("%d * time.Nanosecond", d)
}
