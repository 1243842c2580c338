package source

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

func isDigit(c byte) bool { return c-'0' < 10 }

// isWord reports whether a byte can be part of a bare word such as true.
func isWord(c byte) bool {
	return c|0x20-'a' < 26 || c == '_' || c == '$'
}

func firstRune(text string) rune {
	r, _ := utf8.DecodeRuneInString(text)
	return r
}

// digits passes digits and says how many there were.
func (s *scanner) digits() int {
	from := s.at
	for s.at < len(s.src) && isDigit(s.src[s.at]) {
		s.at++
	}
	return s.at - from
}

// number passes a number and gives its literal.
func (s *scanner) number() string {
	at, from := s.pos(), s.at
	if s.peek() == '-' {
		s.at++
	}
	zero := s.peek() == '0'
	n := s.digits()
	ok := n == 1 || n > 1 && !zero
	if s.peek() == '.' {
		s.at++
		ok = s.digits() > 0 && ok
	}
	if s.peek()|0x20 == 'e' {
		s.at++
		if c := s.peek(); c == '+' || c == '-' {
			s.at++
		}
		ok = s.digits() > 0 && ok
	}
	if c := s.peek(); !ok || isWord(c) || c == '.' {
		s.bare()
		s.wrong(at, "%s is not a JSON number", s.src[from:s.at])
	}
	return s.src[from:s.at]
}

// bare passes everything that could belong to a word or a number.
func (s *scanner) bare() string {
	from := s.at
	for s.at < len(s.src) {
		c := s.src[s.at]
		if !isWord(c) && !isDigit(c) && c != '.' && c != '+' && c != '-' {
			break
		}
		s.at++
	}
	return s.src[from:s.at]
}

func (s *scanner) word(n *Node) {
	word := s.bare()
	switch word {
	case "true", "false":
		n.Kind, n.Text = Bool, word
	case "null":
	case "True", "False", "None", "TRUE", "FALSE", "Null", "NULL":
		s.wrong(n.Pos, "%s is not JSON: write true, false or null in small letters", word)
	default:
		s.wrong(n.Pos, "%s is not a JSON value: strings stand in double quotes", word)
	}
}

// plain marks the bytes of a string that stand for themselves and are one
// column wide.
var plain = func() (t [256]bool) {
	for c := 0x20; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// text passes a string and gives its value, a piece of the source where there
// is no escape.
func (s *scanner) text() string {
	open := s.pos()
	src, from := s.src, s.at+1
	for at := from; at < len(src); at++ {
		c := src[at]
		switch {
		case plain[c]:
		case c >= utf8.RuneSelf:
			s.wide += int(c>>6&1 ^ 1) // 10xxxxxx continues a code point
		case c == '"':
			s.at = at + 1
			return src[from:at]
		default:
			s.at = at
			return s.escaped(open, from)
		}
	}
	s.giveUp(open, "a string that is never closed")
	return ""
}

// escaped goes on with a string at its first escape or control character.
func (s *scanner) escaped(open Pos, from int) string {
	s.scratch = append(s.scratch[:0], s.src[from:s.at]...)
	for s.at < len(s.src) {
		c := s.src[s.at]
		switch {
		case c == '"':
			s.at++
			return string(s.scratch)
		case c == '\\':
			s.escape()
			continue
		case c == '\n':
			s.giveUp(open, "a string that is not closed in its line")
			return ""
		case c < 0x20:
			s.wrong(s.pos(), "a control character in a string: write \\u%04x", c)
		case c&0xC0 == 0x80:
			s.wide++
		}
		s.scratch = append(s.scratch, c)
		s.at++
	}
	s.giveUp(open, "a string that is never closed")
	return ""
}

// escapes gives the byte that follows a backslash its meaning.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (s *scanner) escape() {
	at := s.pos()
	s.at++
	c := s.peek()
	switch {
	case c == 'u':
		s.unicode(at)
	case escapes[c] != 0:
		s.scratch = append(s.scratch, escapes[c])
		s.at++
	default:
		s.wrong(at, "an unknown escape in a string: a backslash itself is written \\\\")
	}
}

// unicode passes \uXXXX, and the second half of a surrogate pair.
func (s *scanner) unicode(at Pos) {
	r, ok := hex4(s.src[s.at+1:])
	if !ok {
		s.wrong(at, "\\u wants four hexadecimal digits")
		return
	}
	s.at += 5
	if utf16.IsSurrogate(r) {
		r = s.pair(r)
	}
	s.scratch = utf8.AppendRune(s.scratch, r)
}

// pair joins two surrogates; one that stands alone means U+FFFD.
func (s *scanner) pair(high rune) rune {
	if !strings.HasPrefix(s.src[s.at:], `\u`) {
		return utf8.RuneError
	}
	low, ok := hex4(s.src[s.at+2:])
	if !ok {
		return utf8.RuneError
	}
	r := utf16.DecodeRune(high, low)
	if r != utf8.RuneError {
		s.at += 6
	}
	return r
}

func hex4(text string) (rune, bool) {
	if len(text) < 4 {
		return 0, false
	}
	var r rune
	for i := range 4 {
		d := hexDigit(text[i])
		if d < 0 {
			return 0, false
		}
		r = r<<4 | d
	}
	return r, true
}

func hexDigit(c byte) rune {
	switch {
	case isDigit(c):
		return rune(c - '0')
	case c|0x20-'a' < 6:
		return rune(c|0x20-'a') + 10
	}
	return -1
}
