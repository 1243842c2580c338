package source

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Edit changes one key of the map at the root of a YAML text and nothing else:
// comments, order and spelling of all the rest stay as they were. Edits that
// would not read back as what was asked for are refused.
type Edit struct {
	file string
	data []byte
	root *Node // nil where the text says nothing
}

// NewEdit reads the text that is to be changed. A text of blank lines and
// comments is a map without keys.
func NewEdit(file string, data []byte) (*Edit, *Error) {
	e := &Edit{file: file, data: data}
	if saysNothing(data) {
		return e, nil
	}
	root, problems := Parse(file, data)
	switch {
	case len(problems) > 0:
		return nil, problems[0]
	case root.Kind != Map:
		return nil, Errorf(root.Pos, "want a map at the root, this is %s", root.Kind)
	case e.at(root.Pos) == '{':
		return nil, Errorf(root.Pos, "the file is written between braces, where nothing can be changed without losing how it looks: write one key a line")
	}
	e.root = root
	return e, nil
}

func saysNothing(data []byte) bool {
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}

// Set gives the text in which a key has another value, a YAML value that fits on
// the key's line. A key that is not there is added at the end; an empty value
// removes the key. A comment on the line of a value that is replaced stays.
func (e *Edit) Set(key, value string) ([]byte, *Error) {
	m := e.member(key)
	line := Scalar(key) + ": " + value
	var out []byte
	switch {
	case m == nil && value == "":
		return e.data, nil
	case m == nil:
		out = e.appended(line)
	case value == "":
		first, last := e.span(m)
		out = e.replaced(first, last)
	default:
		first, last := e.span(m)
		indent := strings.Repeat(" ", max(m.Pos.Column-1, 0))
		out = e.replaced(first, last, indent+line+e.comment(m.Value, last))
	}
	want := e.others(key)
	if value != "" {
		want[key] = e.read(value)
	}
	return e.verified(out, m, want)
}

// Append gives the text in which the list under a key has one more item at its
// end, a YAML value that fits on a line. A list that is not there is made.
func (e *Edit) Append(key, item string) ([]byte, *Error) {
	m := e.member(key)
	want := e.others(key)
	var list []any
	var out []byte
	switch {
	case m == nil:
		out = e.appended(Scalar(key)+":", "  - "+item)
	case m.Value.Kind != List:
		return nil, Errorf(m.Value.Pos, "%s: want a list, this is %s", key, m.Value.Kind)
	case e.at(m.Value.Pos) == '[':
		list, _ = m.Value.Any().([]any)
		out = e.intoFlow(m, item)
	default:
		list, _ = m.Value.Any().([]any)
		_, last := e.span(m)
		indent := strings.Repeat(" ", max(m.Value.Pos.Column-1, 0))
		out = e.inserted(last+1, indent+"- "+item)
	}
	want[key] = append(list, e.read(item))
	return e.verified(out, m, want)
}

// intoFlow puts an item into a list that stands between brackets: an empty one
// becomes a list with one item a line.
func (e *Edit) intoFlow(m *Member, item string) []byte {
	first, last := e.span(m)
	if len(m.Value.Items) == 0 {
		return e.replaced(first, last, Scalar(m.Key)+":"+e.comment(m.Value, last), "  - "+item)
	}
	end := e.end(m.Value) - 1 // of the closing bracket
	body := bytes.TrimRight(e.data[:end], " \t\r\n")
	comma := ", "
	if bytes.HasSuffix(body, []byte(",")) {
		comma = " "
	}
	return append(append(bytes.Clone(body), comma+item...), e.data[end:]...)
}

// Scalar writes a text as YAML: as it is where it reads back so, else in quotes.
func Scalar(text string) string {
	node, problems := ParseYAML("", []byte(text))
	plain := len(problems) == 0 && node.Kind == String && node.Text == text &&
		!strings.ContainsAny(text, "\n,[]{}\"'#:") && strings.TrimSpace(text) == text
	if plain {
		return text
	}
	quoted, _ := json.Marshal(text) // a string of JSON is one of YAML
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(text) == nil {
		quoted = bytes.TrimSpace(b.Bytes())
	}
	return string(quoted)
}

func (e *Edit) member(key string) *Member {
	if e.root == nil {
		return nil
	}
	for i := range e.root.Members {
		if e.root.Members[i].Key == key {
			return &e.root.Members[i]
		}
	}
	return nil
}

// span gives the first and the last line of a key with its value, counted from
// one. Comments and blank lines in front of the next key belong to that one.
func (e *Edit) span(m *Member) (first, last int) {
	lines := e.lines()
	last = len(lines)
	for _, other := range e.root.Members {
		if other.Pos.Line > m.Pos.Line && other.Pos.Line-1 < last {
			last = other.Pos.Line - 1
		}
	}
	for ; last > m.Pos.Line; last-- {
		if text := bytes.TrimSpace(lines[last-1]); len(text) > 0 && text[0] != '#' {
			break
		}
	}
	return m.Pos.Line, last
}

// comment is what follows a value on its last line, with the blanks before it.
func (e *Edit) comment(value *Node, last int) string {
	end := e.end(value)
	if e.line(end) != last {
		return ""
	}
	rest, _, _ := bytes.Cut(e.data[end:], []byte("\n"))
	if text := strings.TrimRight(string(rest), "\r"); strings.HasPrefix(strings.TrimSpace(text), "#") && strings.TrimLeft(text, " \t") != text {
		return text
	}
	return ""
}

// end is the offset behind a value that stands between brackets or on one line.
func (e *Edit) end(value *Node) int {
	start := e.offset(value.Pos)
	if start >= len(e.data) {
		return len(e.data)
	}
	switch c := e.data[start]; c {
	case '"', '\'':
		return quoteEnd(e.data, start)
	case '[', '{':
		return flowEnd(e.data, start)
	}
	end := start
	for end < len(e.data) && e.data[end] != '\n' && !(e.data[end] == '#' && end > start && (e.data[end-1] == ' ' || e.data[end-1] == '\t')) {
		end++
	}
	return start + len(bytes.TrimRight(e.data[start:end], " \t\r"))
}

// flowEnd is the offset behind the bracket that closes the one at start.
func flowEnd(data []byte, start int) int {
	depth := 0
	for i := start; i < len(data); {
		switch c := data[i]; {
		case (c == '"' || c == '\'') && bytes.IndexByte([]byte(" \t\n[{,:"), data[i-1]) >= 0:
			i = quoteEnd(data, i)
			continue
		case c == '#' && (data[i-1] == ' ' || data[i-1] == '\t' || data[i-1] == '\n'):
			for i < len(data) && data[i] != '\n' {
				i++
			}
			continue
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(data)
}

// quoteEnd is the offset behind the quote that closes the one at start.
func quoteEnd(data []byte, start int) int {
	quote := data[start]
	for i := start + 1; i < len(data); i++ {
		switch {
		case quote == '"' && data[i] == '\\':
			i++
		case data[i] != quote:
		case quote == '\'' && i+1 < len(data) && data[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	return len(data)
}

// lines are those of the text, each with its line feed.
func (e *Edit) lines() [][]byte {
	lines := bytes.SplitAfter(e.data, []byte("\n"))
	if last := len(lines) - 1; len(lines[last]) == 0 {
		lines = lines[:last]
	}
	return lines
}

// offset is where a place is in the text.
func (e *Edit) offset(pos Pos) int {
	at := 0
	for line := 1; line < pos.Line; line++ {
		next := bytes.IndexByte(e.data[at:], '\n')
		if next < 0 {
			return len(e.data)
		}
		at += next + 1
	}
	for column := 1; column < pos.Column && at < len(e.data); column++ {
		_, size := utf8.DecodeRune(e.data[at:])
		at += size
	}
	return at
}

// line is the line, from one, that an offset is on.
func (e *Edit) line(offset int) int { return 1 + bytes.Count(e.data[:offset], []byte("\n")) }

func (e *Edit) at(pos Pos) byte {
	if at := e.offset(pos); at < len(e.data) {
		return e.data[at]
	}
	return 0
}

func (e *Edit) newline() string {
	if bytes.Contains(e.data, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// replaced has new lines for first to last.
func (e *Edit) replaced(first, last int, with ...string) []byte {
	var out []byte
	for i, line := range e.lines() {
		if i+1 == first {
			for _, text := range with {
				out = append(out, text+e.newline()...)
			}
		}
		if i+1 < first || i+1 > last {
			out = append(out, line...)
		}
	}
	return e.ended(out)
}

// inserted has a new line in front of a line.
func (e *Edit) inserted(before int, text string) []byte {
	var out []byte
	lines := e.lines()
	for i, line := range lines {
		if i+1 == before {
			out = append(out, text+e.newline()...)
		}
		out = append(out, line...)
	}
	out = e.ended(out)
	if before > len(lines) {
		out = append(out, text+e.newline()...)
	}
	return out
}

// appended has new lines at the end.
func (e *Edit) appended(lines ...string) []byte {
	out := e.ended(bytes.Clone(e.data))
	for _, line := range lines {
		out = append(out, line+e.newline()...)
	}
	return out
}

func (e *Edit) ended(out []byte) []byte {
	if len(out) > 0 && !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, e.newline()...)
	}
	return out
}

// others are the values of all other keys.
func (e *Edit) others(key string) map[string]any {
	values := map[string]any{}
	if e.root != nil {
		for _, m := range e.root.Members {
			if m.Key != key {
				values[m.Key] = m.Value.Any()
			}
		}
	}
	return values
}

func (e *Edit) read(value string) any {
	node, problems := ParseYAML(e.file, []byte(value))
	if len(problems) > 0 {
		return nil
	}
	return node.Any()
}

// verified gives an edited text if it says what was asked for.
func (e *Edit) verified(out []byte, m *Member, want map[string]any) ([]byte, *Error) {
	at := Pos{File: e.file}
	if m != nil {
		at = m.Pos
	}
	got := map[string]any{}
	if !saysNothing(out) {
		root, problems := Parse(e.file, out)
		if len(problems) > 0 || root.Kind != Map {
			return nil, Errorf(at, "cannot be changed without losing how the file looks: change it by hand")
		}
		got, _ = root.Any().(map[string]any)
	}
	a, errA := json.Marshal(got)
	b, errB := json.Marshal(want)
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		return nil, Errorf(at, "cannot be changed without losing how the file looks: change it by hand")
	}
	return out, nil
}
