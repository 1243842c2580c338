package source

import (
	"math/big"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The core schema of YAML 1.2 (chapter 10.3.2). Whatever is none of these is a
// string; the parser's own idea of it, which is that of YAML 1.1, is not asked.
var (
	nulls    = map[string]bool{"": true, "~": true, "null": true, "Null": true, "NULL": true}
	booleans = map[string]string{
		"true": "true", "True": "true", "TRUE": "true",
		"false": "false", "False": "false", "FALSE": "false",
	}
	decimal  = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	prefixed = regexp.MustCompile(`^0(o[0-7]+|x[0-9a-fA-F]+)$`)
	notJSON  = regexp.MustCompile(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
	// Octal in YAML 1.1 and decimal in 1.2: nobody can know what was meant.
	leadingZero = regexp.MustCompile(`^[-+]?0[0-9]`)
)

const (
	maxPrefixed = 256 // letters of a hexadecimal or octal number; converting takes quadratic time
	notPlain    = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
)

func isPlain(y *yaml.Node) bool { return y.Style&(notPlain|yaml.TaggedStyle) == 0 }

func (c *converter) scalar(n *Node, y *yaml.Node) {
	switch {
	case isPlain(y):
		c.plain(n, y.Value)
	case y.Style&yaml.TaggedStyle != 0 && y.Tag != "!!str":
		c.tagged(n, y)
	default:
		n.Kind, n.Text = String, y.Value
	}
}

// plain finds out what a scalar without quotes is.
func (c *converter) plain(n *Node, text string) {
	switch {
	case nulls[text]:
	case booleans[text] != "":
		n.Kind, n.Text = Bool, booleans[text]
	case decimal.MatchString(text):
		n.Kind, n.Text = Number, jsonNumber(text)
		if leadingZero.MatchString(text) {
			c.wrong(n.Pos, "%s begins with a zero: write a string in quotes, or an octal number as 0o17", text)
		}
	case prefixed.MatchString(text):
		n.Kind = Number
		c.prefixed(n, text)
	case notJSON.MatchString(text):
		n.Kind, n.Text = Number, "0"
		c.wrong(n.Pos, "%s is no number that JSON knows", text)
	default:
		n.Kind, n.Text = String, text
	}
}

func (c *converter) prefixed(n *Node, text string) {
	n.Text = "0"
	if len(text) > maxPrefixed {
		c.wrong(n.Pos, "a number of %d letters, more than the %d that are read", len(text), maxPrefixed)
		return
	}
	if v, ok := new(big.Int).SetString(text, 0); ok {
		n.Text = v.String()
	}
}

// jsonNumber writes a decimal number as JSON does: +.5 is 0.5, 5. is 5.
func jsonNumber(text string) string {
	text = strings.TrimPrefix(text, "+")
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	if strings.HasPrefix(text, ".") {
		text = "0" + text
	}
	if i := strings.IndexByte(text, '.'); i >= 0 && (i+1 == len(text) || !isDigit(text[i+1])) {
		text = text[:i] + text[i+1:]
	}
	return sign + text
}

// tagKinds are the tags that may be written, beside !!str.
var tagKinds = map[string]Kind{"!!null": Null, "!!bool": Bool, "!!int": Number, "!!float": Number}

// tagged reads a scalar as its tag says, quotes or not.
func (c *converter) tagged(n *Node, y *yaml.Node) {
	want, known := tagKinds[y.Tag]
	if !known {
		c.wrong(n.Pos, "the tag %s is not known: remove it", y.Tag)
		return
	}
	c.plain(n, y.Value)
	if n.Kind != want || y.Tag == "!!int" && strings.ContainsAny(n.Text, ".eE") {
		c.wrong(n.Pos, "%q is not what its tag %s says: remove the tag", y.Value, y.Tag)
	}
}
