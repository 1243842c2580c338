package protobuf

import "bytes"

// outline is what can be told of a file without compiling it: what it imports
// and which messages it declares. A file is outlined once, whichever tree it
// lies in.
type outline struct {
	imports  []string
	pkg      string
	messages []string // full names of the top-level ones, in order
	problem  string   // what keeps the file from being compiled
	odd      bool     // something may be missing here: nothing is to be built on it
}

// outlineOf goes over a file's tokens once.
func outlineOf(data []byte) *outline {
	o := &outline{problem: checkSource(data)}
	t := &tokens{data: data}
	for o.problem == "" && !o.odd && t.next() != endToken {
		o.statement(t)
	}
	if o.pkg != "" {
		for i, m := range o.messages {
			o.messages[i] = o.pkg + "." + m
		}
	}
	return o
}

// statement reads one declaration of the file, to its end.
func (o *outline) statement(t *tokens) {
	switch {
	case t.is("export"), t.is("local"): // of edition 2024: the declaration comes next
	case t.is("import"):
		o.importOf(t)
	case t.is("package"):
		for kind := t.next(); kind == wordToken || t.is("."); kind = t.next() {
			o.pkg += string(t.text())
		}
		o.odd = !t.is(";")
	case t.is("message"):
		if o.odd = t.next() != wordToken; !o.odd {
			o.messages = append(o.messages, string(t.text()))
			o.odd = !t.skipStatement(nil)
		}
	case t.is("extend"): // a group in it declares a message beside it
		group := false
		o.odd = !t.skipStatement(func() { group = group || t.is("group") }) || group
	default:
		o.odd = !t.skipStatement(nil)
	}
}

// importOf reads what stands behind the word import.
func (o *outline) importOf(t *tokens) {
	kind := t.next()
	for kind == wordToken { // public, weak, option
		kind = t.next()
	}
	name := string(t.text())
	if kind != stringToken || bytes.ContainsAny(t.text(), "\\\n") || t.next() != signToken || !t.is(";") {
		o.odd = true
		return
	}
	o.imports = append(o.imports, name)
}

// tokens reads a file as words, strings and single characters.
type tokens struct {
	data       []byte
	kind       tokenKind
	begin, end int // of the token that was read last; of a string without its quotes
	at         int
}

type tokenKind uint8

const (
	endToken tokenKind = iota
	wordToken
	stringToken
	signToken // any other character
	oddToken  // an unfinished string
)

func (t *tokens) text() []byte { return t.data[t.begin:t.end] }

// is reports whether the last token is this word or sign.
func (t *tokens) is(text string) bool {
	return (t.kind == wordToken || t.kind == signToken) && string(t.text()) == text
}

func (t *tokens) next() tokenKind {
	t.kind = endToken
	for t.kind == endToken && t.at < len(t.data) {
		t.begin = t.at
		switch c := t.data[t.at]; {
		case c == ' ' || '\t' <= c && c <= '\r':
			t.at++
		case c == '/' && t.at+1 < len(t.data) && (t.data[t.at+1] == '/' || t.data[t.at+1] == '*'):
			t.at = skip(t.data, t.at)
		case c == '"' || c == '\'':
			t.at = skip(t.data, t.at)
			t.kind = oddToken
			if t.at-t.begin >= 2 && t.data[t.at-1] == c {
				t.kind, t.begin, t.end = stringToken, t.begin+1, t.at-1
			}
		case isWordByte(c):
			for t.at < len(t.data) && isWordByte(t.data[t.at]) {
				t.at++
			}
			t.kind, t.end = wordToken, t.at
		default:
			t.at++
			t.kind, t.end = signToken, t.at
		}
	}
	return t.kind
}

func isWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z'
}

// skipStatement reads from the last token to the end of its statement: to a
// semicolon, or over a block that is no value. It calls see for every word, and
// reports whether the statement has an end.
func (t *tokens) skipStatement(see func()) bool {
	depth, value := 0, false
	for ; ; t.next() {
		switch t.kind {
		case endToken, oddToken:
			return false
		case wordToken:
			if see != nil {
				see()
			}
			continue
		case stringToken:
			continue
		}
		switch c := t.data[t.begin]; c {
		case '{', '[', '(', '<':
			depth++
		case '=':
			value = value || depth == 0
		case ';':
			if depth == 0 {
				return true
			}
		case '}', ']', ')', '>':
			depth--
			if depth < 0 {
				return false
			}
			if c == '}' && depth == 0 && !value {
				return true
			}
		}
	}
}
