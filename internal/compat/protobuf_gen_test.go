package compat

import (
	"fmt"
	"math/rand"
	"strings"
)

// protoGen writes random sources. A pair comes of one seed each for what stays
// and what changes.
type protoGen struct {
	*rand.Rand
	b strings.Builder
}

var (
	genKinds = []string{
		"int32", "int64", "uint32", "uint64", "sint32", "sint64", "bool", "fixed32", "fixed64", "sfixed32", "sfixed64",
		"float", "double", "string", "bytes", "O", "C", "A", "B", "G",
	}
	genKeys   = []string{"int32", "int64", "uint32", "sint32", "bool", "string", "fixed64"}
	genLabels = []string{"", "", "", "[features.field_presence=IMPLICIT]", "repeated", "repeated", "map", "oneof", "required"}
)

// source writes an edition-2023 file: M with fields, A and B below it.
func (g *protoGen) source() string {
	g.b.Reset()
	g.b.WriteString("edition = \"2023\";\npackage t;\n")
	g.enum("O", "OPEN")
	g.enum("C", "CLOSED")
	for _, m := range []string{"M", "A", "B"} {
		g.message(m)
	}
	return g.b.String()
}

func (g *protoGen) enum(name, kind string) {
	fmt.Fprintf(&g.b, "enum %s { option features.enum_type = %s; %s_ZERO = 0;", name, kind, name)
	for n := 1; n <= 3; n++ {
		if g.Intn(3) > 0 {
			fmt.Fprintf(&g.b, " %s_%d = %d;", name, n, n)
		}
	}
	g.b.WriteString(" }\n")
}

func (g *protoGen) message(name string) {
	fmt.Fprintf(&g.b, "message %s {\n", name)
	oneof := ""
	for n := 1; n <= 5; n++ {
		if g.Intn(4) == 0 {
			continue
		}
		kind, label := g.kind(name), genLabels[g.Intn(len(genLabels))]
		if g.Intn(8) != 0 && label == "required" {
			label = ""
		}
		field := g.field(n, kind, label)
		if label == "oneof" {
			oneof += field
			continue
		}
		g.b.WriteString(field)
	}
	if oneof != "" {
		fmt.Fprintf(&g.b, "  oneof choice {\n%s  }\n", oneof)
	}
	g.b.WriteString("}\n")
}

// kind is a type; B holds no message, so that messages end.
func (g *protoGen) kind(in string) string {
	for {
		kind := genKinds[g.Intn(len(genKinds))]
		message := kind == "A" || kind == "B" || kind == "G"
		if in == "M" || !message || in == "A" && kind == "B" {
			return kind
		}
	}
}

func (g *protoGen) field(n int, kind, label string) string {
	name, options := fmt.Sprintf("f%d", n), []string{}
	if g.Intn(12) == 0 {
		options = append(options, fmt.Sprintf("json_name=\"g%d\"", n))
	}
	group := kind == "G"
	if group {
		kind = "B"
	}
	isMessage := kind == "A" || kind == "B"
	switch label {
	case "map":
		return fmt.Sprintf("  map<%s, %s> %s = %d;\n", genKeys[g.Intn(len(genKeys))], kind, name, n)
	case "repeated":
		if !isMessage && kind != "string" && kind != "bytes" && g.Intn(2) == 0 {
			options = append(options, "features.repeated_field_encoding=EXPANDED")
		}
	case "required":
		label, options = "", append(options, "features.field_presence=LEGACY_REQUIRED")
	case "oneof":
		label = ""
	case "":
	default:
		label = ""
		if !isMessage && kind != "C" {
			options = append(options, "features.field_presence=IMPLICIT")
		}
	}
	if kind == "string" && g.Intn(4) == 0 {
		options = append(options, "features.utf8_validation=NONE")
	}
	if group {
		options = append(options, "features.message_encoding=DELIMITED")
	}
	list := ""
	if len(options) > 0 {
		list = " [" + strings.Join(options, ", ") + "]"
	}
	return fmt.Sprintf("  %s %s %s = %d%s;\n", label, kind, name, n, list)
}

// pair writes two sources of which the second differs in a few lines.
func (g *protoGen) pair() (string, string) {
	a := g.source()
	lines := strings.SplitAfter(a, "\n")
	for range 1 + g.Intn(3) {
		g.change(lines)
	}
	return a, strings.Join(lines, "")
}

// change rewrites one declaration.
func (g *protoGen) change(lines []string) {
	in := ""
	at := g.Intn(len(lines))
	for _, line := range lines[:at] {
		if name, ok := strings.CutPrefix(line, "message "); ok {
			in = name[:1]
		}
	}
	var n int
	switch line := lines[at]; {
	case strings.HasPrefix(line, "enum "):
		g.b.Reset()
		g.enum(line[5:6], map[string]string{"O": "OPEN", "C": "CLOSED"}[line[5:6]])
		lines[at] = g.b.String()
	case strings.HasPrefix(line, "  ") && strings.Contains(line, " = ") && in != "":
		_, _ = fmt.Sscanf(line[strings.Index(line, " = ")+3:], "%d", &n)
		inOneof := strings.Contains(strings.Join(lines[:at], ""), "oneof choice") && at+1 < len(lines) && g.nearOneof(lines, at)
		label := genLabels[g.Intn(len(genLabels))]
		if inOneof || label == "oneof" {
			label = ""
		}
		lines[at] = g.field(n, g.kind(in), label)
		if inOneof {
			lines[at] = strings.ReplaceAll(lines[at], "features.field_presence=IMPLICIT", "deprecated=true")
		} else if g.Intn(6) == 0 {
			lines[at] = "\n"
		}
	}
}

// nearOneof reports whether a line stands inside a oneof.
func (g *protoGen) nearOneof(lines []string, at int) bool {
	for i := at; i >= 0; i-- {
		switch {
		case strings.Contains(lines[i], "oneof choice"):
			return true
		case lines[i] == "  }\n" || strings.HasPrefix(lines[i], "message"):
			return false
		}
	}
	return false
}
