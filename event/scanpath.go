package event

import "strconv"

// scanLevel is one object or list that is open, and where in it the scanner is.
type scanLevel struct {
	name  []byte // of an object's member, as it stands there
	index int    // of a list's element; -1 before the first
	list  bool
}

// path is where the value at hand stands. Nobody notes it on the way: the text
// before it, which is known to be JSON, is read again.
func (s *Scanner) path() string {
	levels := s.levels()
	if last := len(levels) - 1; last >= 0 && levels[last].list && !s.fresh {
		levels[last].index = max(levels[last].index, 0) // entered, and at the first element
	}
	var b []byte
	for _, l := range levels {
		switch {
		case l.list && l.index >= 0:
			b = append(strconv.AppendInt(append(b, '['), int64(l.index), 10), ']')
		case !l.list && l.name != nil:
			name := NewScanner(l.name)
			b = appendName(b, name.text())
		}
	}
	return string(b)
}

// levels are the objects and lists that are open at the next byte.
func (s *Scanner) levels() []scanLevel {
	var open []scanLevel
	var text []byte // the last string
	for at := 0; at < s.at; at++ {
		last := len(open) - 1
		c := s.data[at]
		if last >= 0 && open[last].list && open[last].index < 0 && kindOf[c] != NoKind {
			open[last].index = 0
		}
		switch c {
		case '{', '[':
			open = append(open, scanLevel{index: -1, list: c == '['})
		case '}', ']':
			open = open[:max(last, 0)]
		case '"':
			end := stringEnd(s.data, at)
			text, at = s.data[at:end], end-1
		case ':':
			if last >= 0 {
				open[last].name = text
			}
		case ',':
			if last >= 0 && open[last].list {
				open[last].index++
			}
		}
	}
	return open
}

// stringEnd gives the offset behind the string that starts at a quote.
func stringEnd(data []byte, at int) int {
	for at++; at < len(data); at++ {
		switch data[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(data)
}
