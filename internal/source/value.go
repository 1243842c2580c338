package source

import (
	"encoding/json"
	"unicode/utf8"
)

// JSON writes the value as compact JSON: members in the order they were written,
// numbers with the digits they were written with.
func (n *Node) JSON() []byte { return n.appendJSON(nil) }

func (n *Node) appendJSON(b []byte) []byte {
	if n == nil {
		return append(b, "null"...)
	}
	switch n.Kind {
	case Bool, Number:
		return append(b, n.Text...)
	case String:
		return appendString(b, n.Text)
	case List:
		b = append(b, '[')
		for i, item := range n.Items {
			b = item.appendJSON(comma(b, i))
		}
		return append(b, ']')
	case Map:
		b = append(b, '{')
		for i, m := range n.Members {
			b = append(appendString(comma(b, i), m.Key), ':')
			b = m.Value.appendJSON(b)
		}
		return append(b, '}')
	}
	return append(b, "null"...)
}

func comma(b []byte, i int) []byte {
	if i > 0 {
		return append(b, ',')
	}
	return b
}

const hexDigits = "0123456789abcdef"

// appendString writes a JSON string; unlike encoding/json it leaves < > & alone.
func appendString(b []byte, text string) []byte {
	b = append(b, '"')
	for i := 0; i < len(text); {
		c := text[i]
		if plain[c] {
			b = append(b, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		b = appendRune(b, r)
		i += size
	}
	return append(b, '"')
}

func appendRune(b []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(b, '\\', byte(r))
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	}
	if r < 0x20 {
		return append(b, '\\', 'u', '0', '0', hexDigits[r>>4], hexDigits[r&15])
	}
	return utf8.AppendRune(b, r)
}

// Any is the value as encoding/json gives it, with json.Number for numbers: for
// libraries that want it so.
func (n *Node) Any() any {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case Bool:
		return n.Text == "true"
	case Number:
		return json.Number(n.Text)
	case String:
		return n.Text
	case List:
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = item.Any()
		}
		return list
	case Map:
		object := make(map[string]any, len(n.Members))
		for _, m := range n.Members {
			object[m.Key] = m.Value.Any()
		}
		return object
	}
	return nil
}
