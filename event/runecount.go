package event

import (
	"math/bits"
)

// RuneCount is utf8.RuneCountInString of a string that is UTF-8, as all are that
// a Scanner gives, eight bytes at once.
func RuneCount(text string) int {
	const each = 0x0101010101010101
	n, at := len(text), 0
	for ; at+8 <= len(text); at += 8 {
		t := text[at : at+8]
		x := uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 |
			uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
		n -= bits.OnesCount64(x >> 7 &^ (x >> 6) & each) // bytes that continue a character begin with the bits 10
	}
	for ; at < len(text); at++ {
		if text[at]&0xc0 == 0x80 {
			n--
		}
	}
	return n
}
