package event

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// String passes a string and gives its value.
func (s *Scanner) String() string {
	if s.space() == '"' {
		from := s.at + 1
		if end := plainEnd(s.data, from); end < len(s.data) && s.data[end] == '"' {
			s.at = end + 1
			return s.cut(from, end)
		}
	}
	text := s.Text()
	from := s.at - 1 - len(text)
	if s.err == nil && len(text) > 0 && &text[0] == &s.data[from] { // it holds no escape
		return s.cut(from, s.at-1)
	}
	return string(text)
}

// cut gives a piece of the document as a string.
func (s *Scanner) cut(from, to int) string {
	if i, j := from-s.begin, to-s.begin; i >= 0 && j <= len(s.window) {
		return s.window[i:j]
	}
	return s.open(from, to)
}

// open copies a new window that begins with a piece, and gives the piece.
func (s *Scanner) open(from, to int) string {
	size := min(max(2*len(s.window), scanWindow), scanLargest)
	if len(s.data) <= scanShort && !s.tried {
		size = scanShort
	}
	if to-from > size/4 { // most of a window would be wasted
		return string(s.data[from:to])
	}
	s.begin = from
	s.window = string(s.data[from:min(from+size, len(s.data))])
	return s.window[:to-from]
}

// Pick passes a string that is one of some values, and gives that value.
func (s *Scanner) Pick(values ...string) string {
	text := s.Text()
	for _, v := range values {
		if string(text) == v {
			return v
		}
	}
	if s.err == nil {
		s.Refuse("%s, not %.40q", wanted(values), text)
	}
	return ""
}

// wanted lists what is allowed: want card, transfer or wallet.
func wanted(values []string) string {
	const most = 12
	last := len(values) - 1
	switch {
	case last > most:
		return fmt.Sprintf("want %s or one of %d more", strings.Join(values[:most], ", "), len(values)-most)
	case last == 0:
		return "want " + values[0]
	}
	return "want " + strings.Join(values[:last], ", ") + " or " + values[last]
}

// Text passes a string and gives its value, a piece of the document where it
// holds no escape: copy it to keep it.
func (s *Scanner) Text() []byte {
	if !s.want(StringKind) {
		return nil
	}
	return s.text()
}

// plain marks the bytes of a string that stand for themselves.
var plain = func() (t [256]bool) {
	for c := 0x20; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// plainEnd gives the offset of the first byte that doesn't stand for itself in a
// string, or is not ASCII. It looks at eight bytes at once: a byte's highest bit
// is set in hit if the byte is a quote, a backslash, less than a space or no
// ASCII. Bytes behind the first hit may be marked by mistake.
func plainEnd(data []byte, at int) int {
	const (
		each    = 0x0101010101010101
		highest = 0x80 * each
	)
	for ; at+8 <= len(data); at += 8 {
		x := binary.LittleEndian.Uint64(data[at:])
		quote, slash := x^'"'*each, x^'\\'*each
		hit := (x | (quote - each) | (slash - each) | (x - ' '*each)) & highest
		if hit != 0 {
			return at + bits.TrailingZeros64(hit)/8
		}
	}
	for at < len(data) && plain[data[at]] {
		at++
	}
	return at
}

// text passes the string that starts here.
func (s *Scanner) text() []byte {
	data, from := s.data, s.at+1
	ascii := true
	for at := plainEnd(data, from); at < len(data); at = plainEnd(data, at) {
		switch c := data[at]; {
		case c >= utf8.RuneSelf:
			ascii = false
			at++
		case c == '"':
			s.at = at + 1
			return s.valid(data[from:at], ascii)
		case c == '\\':
			s.at = at
			return s.escaped(bytes.Clone(data[from:at]))
		default:
			s.at = at
			s.Refuse("not JSON: a control character in a string")
			return nil
		}
	}
	s.at = len(data)
	s.syntax("the quote that closes a string")
	return nil
}

func (s *Scanner) valid(text []byte, ascii bool) []byte {
	if !ascii && !utf8.Valid(text) {
		s.Refuse("not JSON: a string that is not UTF-8")
		return nil
	}
	return text
}

// escaped goes on with a string at its first escape.
func (s *Scanner) escaped(b []byte) []byte {
	for s.at < len(s.data) {
		c := s.data[s.at]
		switch {
		case c == '"':
			s.at++
			return s.valid(b, false)
		case c == '\\':
			b = s.escape(b)
			continue
		case c < 0x20:
			s.Refuse("not JSON: a control character in a string")
			return nil
		}
		b = append(b, c)
		s.at++
	}
	s.syntax("the quote that closes a string")
	return nil
}

var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (s *Scanner) escape(b []byte) []byte {
	rest := s.data[s.at+1:]
	switch {
	case len(rest) > 0 && escapes[rest[0]] != 0:
		s.at += 2
		return append(b, escapes[rest[0]])
	case len(rest) > 0 && rest[0] == 'u':
		if r, ok := hex4(rest[1:]); ok {
			s.at += 6
			return utf8.AppendRune(b, s.surrogate(r))
		}
	}
	s.Refuse("not JSON: an unknown escape in a string")
	return b
}

// surrogate joins the two halves of a pair; a half that stands alone means
// U+FFFD, as most readers take it.
func (s *Scanner) surrogate(high rune) rune {
	if !utf16.IsSurrogate(high) {
		return high
	}
	rest := s.data[s.at:]
	if len(rest) < 6 || rest[0] != '\\' || rest[1] != 'u' {
		return utf8.RuneError
	}
	low, ok := hex4(rest[2:])
	r := utf16.DecodeRune(high, low)
	if !ok || r == utf8.RuneError {
		return utf8.RuneError
	}
	s.at += 6
	return r
}

func hex4(text []byte) (rune, bool) {
	if len(text) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range text[:4] {
		switch {
		case c-'0' < 10:
			r = r<<4 | rune(c-'0')
		case c|0x20-'a' < 6:
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
