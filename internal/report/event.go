package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// What is shown of a witness's event. The JSON report has all of it.
const (
	eventWidth  = 88 // a value that fits stays on one line
	eventString = 96 // characters of a string
	eventItems  = 12 // members of a list or a map
	eventLines  = 80
)

// printer writes an event for a person to read and remembers where the
// offending part came to stand.
type printer struct {
	lines []string
	line  strings.Builder
	mark  *source.Node
	way   map[*source.Node]bool // the nodes from the root to the mark: never left out

	markLine, markFrom, markTo int
}

// printEvent gives the event of a witness line by line; carets under a line
// point at its offending part.
func printEvent(w *rule.Witness) []string {
	root, _ := source.ParseJSON("event", w.Event)
	if root == nil {
		return strings.Split(plainLines(string(w.Event)), "\n")
	}
	p := printer{way: map[*source.Node]bool{}, markLine: -1}
	p.aim(root, w.Mark)
	p.value(root, 0)
	p.flush()
	if len(p.lines) > eventLines && p.markLine < eventLines {
		p.lines = append(p.lines[:eventLines], fmt.Sprintf("… %d more lines", len(p.lines)-eventLines))
	}
	return p.marked()
}

// aim finds the marked node and the nodes above it. The root marks nothing.
func (p *printer) aim(root *source.Node, pointer string) {
	p.mark = root.Find(pointer)
	if p.mark == nil || pointer == "" {
		p.mark = nil
		return
	}
	for i := range pointer {
		if pointer[i] == '/' {
			p.way[root.Find(pointer[:i])] = true
		}
	}
	p.way[p.mark] = true
}

func (p *printer) marked() []string {
	if p.markLine < 0 {
		return p.lines
	}
	carets := strings.Repeat(" ", p.markFrom) + strings.Repeat("^", max(1, p.markTo-p.markFrom))
	below := append([]string{carets}, p.lines[p.markLine+1:]...)
	return append(p.lines[:p.markLine+1:p.markLine+1], below...)
}

func (p *printer) flush() {
	p.lines = append(p.lines, p.line.String())
	p.line.Reset()
}

func (p *printer) column() int { return utf8.RuneCountInString(p.line.String()) }

// value writes a node: on the rest of the line if it fits, else one member a line.
func (p *printer) value(n *source.Node, indent int) {
	line, from := len(p.lines), p.column()
	f := flat{printer: p, room: eventWidth - from}
	switch {
	case f.fits(n):
		p.line.WriteString(f.String())
		if f.to > f.from {
			p.markLine, p.markFrom, p.markTo = line, from+f.from, from+f.to
		}
	case n.Kind < source.List:
		p.line.WriteString(scalar(n))
	case len(p.lines) > eventLines && !p.way[n]: // nobody will see it
		p.line.WriteString("…")
	default:
		p.tall(n, indent)
	}
	if n == p.mark {
		p.markLine, p.markFrom, p.markTo = line, from, p.column()
		if len(p.lines) > line {
			p.markTo = utf8.RuneCountInString(p.lines[line])
		}
	}
}

// tall writes a list or a map with one member a line.
func (p *printer) tall(n *source.Node, indent int) {
	open, end := brackets(n)
	p.line.WriteString(open)
	pad := strings.Repeat(" ", indent+2)
	members := p.shown(n)
	for i, m := range members {
		p.flush()
		p.line.WriteString(pad + m.key)
		if m.value != nil {
			p.value(m.value, indent+2)
		}
		if i+1 < len(members) {
			p.line.WriteByte(',')
		}
	}
	p.flush()
	p.line.WriteString(pad[2:] + end)
}

// flat is a node on one line, as far as there is room, and where the mark stands
// in it.
type flat struct {
	*printer
	strings.Builder
	room     int
	from, to int
}

// fits writes the whole node and reports whether there was room for it.
func (f *flat) fits(n *source.Node) bool {
	f.node(n)
	return f.width() <= f.room
}

// width counts only as far as it matters: an event may be large.
func (f *flat) width() int {
	if f.Len() > f.room*utf8.UTFMax {
		return f.Len()
	}
	return utf8.RuneCountInString(f.String())
}

func (f *flat) node(n *source.Node) {
	if f.Len() > f.room*utf8.UTFMax {
		return
	}
	from := f.width()
	if n.Kind < source.List {
		f.WriteString(scalar(n))
	} else {
		f.members(n)
	}
	if n == f.mark {
		f.from, f.to = from, f.width()
	}
}

func (f *flat) members(n *source.Node) {
	open, end := brackets(n)
	f.WriteString(open)
	for i, m := range f.shown(n) {
		if i > 0 {
			f.WriteString(", ")
		}
		f.WriteString(m.key)
		if m.value != nil {
			f.node(m.value)
		}
	}
	f.WriteString(end)
}

// member is a member of a list or a map as it is printed; without a value it
// stands for those left out.
type member struct {
	key   string
	value *source.Node
}

// shown picks the members to print: the first ones, and those on the way to the mark.
func (p *printer) shown(n *source.Node) []member {
	var all, few []member
	for _, item := range n.Items {
		all = append(all, member{"", item})
	}
	for _, m := range n.Members {
		all = append(all, member{quoted(m.Key) + ": ", m.Value})
	}
	for i, m := range all {
		if i < eventItems || p.way[m.value] {
			few = append(few, m)
		}
	}
	if left := len(all) - len(few); left > 0 {
		few = append(few, member{key: fmt.Sprintf("… %d more", left)})
	}
	return few
}

func brackets(n *source.Node) (string, string) {
	if n.Kind == source.List {
		return "[", "]"
	}
	return "{", "}"
}

func scalar(n *source.Node) string {
	if n.Kind == source.String {
		return quoted(n.Text)
	}
	return shorten(string(n.JSON()))
}

// quoted writes a JSON string, shortened in its middle, hidden characters escaped.
func quoted(s string) string {
	return string(escapeHidden((&source.Node{Kind: source.String, Text: shorten(s)}).JSON()))
}

func shorten(s string) string {
	runes := []rune(s)
	if len(runes) <= eventString {
		return s
	}
	half := eventString/2 - 12
	return fmt.Sprintf("%s… %d more …%s", string(runes[:half]), len(runes)-2*half, string(runes[len(runes)-half:]))
}
