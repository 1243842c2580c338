package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/evcontract/evcontract/internal/compat/rollout"
)

// Sizes of the picture, in its own units, which are CSS pixels.
const (
	svgCell    = 36
	svgLetter  = 7.4 // of a letter in 13 px, on the wide side
	svgMargin  = 20
	svgLine    = 22
	svgHeading = 46
)

// svgStyle follows what the reader's system prefers, light or dark. Signs carry
// the meaning, colours only help.
const svgStyle = `<style>
svg { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
.page { fill: #ffffff; } .ink { fill: #1f2328; } .dim { fill: #59636e; } .rule { stroke: #d1d9e0; }
.title { font-size: 16px; font-weight: 600; } .sign { font-size: 16px; font-weight: 700; text-anchor: middle; }
.holds rect { fill: #dafbe1; } .holds text { fill: #116329; }
.refuted rect { fill: #ffdce0; } .refuted text { fill: #a40e26; }
.unknown rect { fill: #fff3c4; } .unknown text { fill: #6b4f00; }
.nothing rect { fill: none; } .nothing text { fill: #59636e; }
@media (prefers-color-scheme: dark) {
.page { fill: #0d1117; } .ink { fill: #e6edf3; } .dim { fill: #9198a1; } .rule { stroke: #3d444d; }
.holds rect { fill: #123d1f; } .holds text { fill: #7ee787; }
.refuted rect { fill: #5a1420; } .refuted text { fill: #ffb3bb; }
.unknown rect { fill: #4a3a00; } .unknown text { fill: #f2cc60; }
.nothing text { fill: #9198a1; }
}
</style>
`

// RolloutSVG draws who can read whom: a row for each revision that reads, a column
// for each that is read, and the steps below.
func RolloutSVG(w io.Writer, r *Rollout, _ Options) error {
	m := r.matrix()
	s := svg{r: r, m: m, left: svgMargin + 80, top: svgHeading + 20}
	for _, p := range m.readers {
		s.left = max(s.left, svgMargin+14+svgWidth(partyName(p)))
	}
	for _, p := range m.writers {
		s.top = max(s.top, svgHeading+24+svgWidth(s.columnName(p))*0.71)
	}
	s.draw()
	_, err := io.WriteString(w, s.page())
	return err
}

// svg is one picture under way.
type svg struct {
	strings.Builder
	r             *Rollout
	m             matrix
	left, top     float64 // where the cells begin
	width, height float64 // as far as it has been drawn
}

func svgWidth(text string) float64 { return svgLetter * float64(utf8.RuneCountInString(text)) }

func (s *svg) columnName(p rollout.Party) string { return partyName(p) + " " + s.r.mark(p) }

func (s *svg) page() string {
	w, h := s.width+svgMargin, s.height+svgMargin
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" aria-labelledby="title desc">
<title id="title">%s</title>
<desc id="desc">%s</desc>
%s<rect class="page" width="100%%" height="100%%"/>
%s</svg>
`, w, h, w, h, escapeXML(s.r.headline()), escapeXML(s.words()), svgStyle, s.String())
}

// words says the picture to those who cannot see it.
func (s *svg) words() string {
	var lines []string
	for i := range s.r.Plan.Steps {
		lines = append(lines, fmt.Sprintf("Step %d: %s.", i+1, does(&s.r.Plan.Steps[i])))
	}
	bad := 0
	for _, m := range s.r.Plan.Meetings {
		if !m.Answer.Good() {
			bad++
			if bad <= 20 {
				lines = append(lines, fmt.Sprintf("%s cannot be relied on to read %s (%s).", partyName(m.Reader), partyName(m.Writer), m.Answer))
			}
		}
	}
	lines = append(lines, fmt.Sprintf("%d of %d pairs hold.", len(s.r.Plan.Meetings)-bad, len(s.r.Plan.Meetings)))
	return strings.Join(lines, " ")
}

func (s *svg) draw() {
	s.text(svgMargin, 30, "ink title", s.r.headline())
	for i, w := range s.m.writers {
		x := s.left + svgCell*(float64(i)+0.6)
		fmt.Fprintf(s, `<text class="ink" transform="translate(%.1f %.1f) rotate(-45)">%s</text>`+"\n", x, s.top-8, escapeXML(s.columnName(w)))
		s.reach(x+svgWidth(s.columnName(w))*0.71, 0)
	}
	for i, reader := range s.m.readers {
		y := s.top + svgCell*float64(i)
		s.text(svgMargin, y+svgCell*0.62, "ink", partyName(reader))
		for j, writer := range s.m.writers {
			s.cell(s.left+svgCell*float64(j), y, reader, writer)
		}
	}
	s.bands()
	y := s.top + svgCell*float64(len(s.m.readers)) + 28
	s.text(svgMargin, y, "dim", "rows read, columns are read:  ✓ holds   ✗ refuted   ? unknown   · reads nothing of it")
	y += 10
	for i := range s.r.Plan.Steps {
		y += svgLine
		s.text(svgMargin, y, "ink", fmt.Sprintf("%d. %s", i+1, does(&s.r.Plan.Steps[i])))
	}
	for i := range s.r.Plan.Blocks {
		y += svgLine
		o := s.r.obstacle(&s.r.Plan.Blocks[i])
		s.text(svgMargin, y, "ink", o.sign()+" "+o.title)
	}
}

// bands are lines between services.
func (s *svg) bands() {
	right, bottom := s.left+svgCell*float64(len(s.m.writers)), s.top+svgCell*float64(len(s.m.readers))
	for i := range s.m.writers {
		if x := s.left + svgCell*float64(i); i > 0 && s.m.writers[i].Service != s.m.writers[i-1].Service {
			fmt.Fprintf(s, `<path class="rule" d="M%.1f %.1fV%.1f"/>`+"\n", x, s.top, bottom)
		}
	}
	for i := range s.m.readers {
		if y := s.top + svgCell*float64(i); i > 0 && s.m.readers[i].Service != s.m.readers[i-1].Service {
			fmt.Fprintf(s, `<path class="rule" d="M%d %.1fH%.1f"/>`+"\n", svgMargin, y, right)
		}
	}
}

func (s *svg) cell(x, y float64, reader, writer rollout.Party) {
	answer := s.m.answer(reader, writer)
	class, says := string(answer), fmt.Sprintf("%s reads %s: %s", partyName(reader), partyName(writer), answer)
	if answer == rollout.Nothing {
		class, says = "nothing", fmt.Sprintf("%s reads nothing of %s", partyName(reader), partyName(writer))
	}
	if f := s.r.worst(rollout.Pair{Reader: reader, Writer: writer}); f != nil && !answer.Good() {
		says += ": " + plain(f.Message)
	}
	fmt.Fprintf(s, `<g class="%s"><title>%s</title><rect x="%.1f" y="%.1f" width="%d" height="%d" rx="5"/><text class="sign" x="%.1f" y="%.1f">%s</text></g>`+"\n",
		class, escapeXML(says), x+2, y+2, svgCell-4, svgCell-4, x+svgCell/2.0, y+svgCell*0.66, meetingSigns[answer])
	s.reach(x+svgCell, y+svgCell)
}

func (s *svg) text(x, y float64, class, text string) {
	fmt.Fprintf(s, `<text class="%s" x="%.1f" y="%.1f">%s</text>`+"\n", class, x, y, escapeXML(text))
	wide := svgWidth(text)
	if strings.Contains(class, "title") {
		wide *= 1.3
	}
	s.reach(x+wide, y)
}

func (s *svg) reach(x, y float64) { s.width, s.height = max(s.width, x), max(s.height, y) }

func escapeXML(text string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(plain(text))); err != nil {
		return ""
	}
	return b.String()
}
