package event

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// String passes a string and gives its value.
func (s *Scanner) String() string {
	text := s.Text()
	from := s.at - 1 - len(text)
	if len(text) == 0 || s.err != nil || &text[0] != &s.data[from] { // it held an escape
		return string(text)
	}
	return s.cut(from, s.at-1)
}

// cut gives a piece of the document as a string.
func (s *Scanner) cut(from, to int) string {
	if len(s.data) > scanShared {
		return string(s.data[from:to])
	}
	if s.all == "" {
		s.all = string(s.data)
	}
	return s.all[from:to]
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

// text passes the string that starts here.
func (s *Scanner) text() []byte {
	data, from := s.data, s.at+1
	ascii := true
	for at := from; at < len(data); at++ {
		c := data[at]
		switch {
		case plain[c]:
		case c >= utf8.RuneSelf:
			ascii = false
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

// skipText passes a string whose value nobody wants.
func (s *Scanner) skipText() { s.text() }

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
