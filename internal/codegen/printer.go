package codegen

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// printer writes Go. Every decision is made before it is called.
type printer struct{ bytes.Buffer }

// line writes one line, or several.
func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

// comment writes a text as a comment of lines that fit a screen.
func (p *printer) comment(text string) {
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		line := "//"
		for _, word := range strings.Fields(paragraph) {
			if len(line)+1+len(word) > 80 && line != "//" {
				p.line("%s", line)
				line = "//"
			}
			line += " " + word
		}
		p.line("%s", line)
	}
}

// doc writes the comment of a field or a type.
func (p *printer) doc(text string, deprecated bool) {
	if text = strings.TrimSpace(text); text != "" {
		p.comment(text)
	}
	if deprecated && text != "" {
		p.line("//")
	}
	if deprecated {
		p.comment("Deprecated: the contract says so.")
	}
}

func quote(s string) string { return strconv.Quote(s) }

// literal writes a string that may hold quotes without escapes where it can.
func literal(s string) string {
	if strconv.CanBackquote(s) && strings.ContainsAny(s, `"\`) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}
