// Package decimal stands for a decimal type of somebody else's.
package decimal

import (
	"fmt"
	"math/big"
)

// Decimal is an exact number.
type Decimal struct{ rat big.Rat }

// New reads a number as people write it.
func New(text string) Decimal {
	var d Decimal
	if err := d.UnmarshalText([]byte(text)); err != nil {
		panic(err)
	}
	return d
}

// UnmarshalText reads a number of at most 40 characters.
func (d *Decimal) UnmarshalText(text []byte) error {
	if len(text) > 40 {
		return fmt.Errorf("%.40s is too long for a decimal", text)
	}
	if _, ok := d.rat.SetString(string(text)); !ok {
		return fmt.Errorf("%s is no decimal", text)
	}
	return nil
}

// MarshalText writes it with three decimals.
func (d Decimal) MarshalText() ([]byte, error) { return []byte(d.rat.FloatString(3)), nil }
