package protobuf

import (
	"bytes"
	"crypto/sha256"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
)

// outline is what can be told of a file without compiling it: what it imports
// and which messages it declares. A file is outlined once, whichever tree it
// lies in.
type outline struct {
	imports  []string
	pkg      string
	edition  string   // "" in proto2 and proto3
	messages []string // full names of the top-level ones, in order
	problem  string   // what keeps the file from being compiled
	odd      bool     // something may be missing here: nothing is to be built on it

	// What its messages say to a reader, and with whose help: see readKey.
	said     string   // a hash of the tokens that count
	words    []uint32 // hashes of the words among them, sorted
	declares []uint32 // of the names that others can use in a message
	reaches  bool     // it hands on what it imports, or extends messages: who imports it depends on it
}

// outlineOf goes over a file's tokens once.
func outlineOf(data []byte) *outline {
	o := &outline{problem: checkSource(data)}
	t := &tokens{data: data}
	for o.problem == "" && !o.odd && t.next() != endToken {
		o.statement(t)
	}
	o.settle(t)
	if o.pkg != "" {
		for i, m := range o.messages {
			o.messages[i] = o.pkg + "." + m
		}
	}
	return o
}

// settle sums up what was kept of the tokens.
func (o *outline) settle(t *tokens) {
	sum := sha256.Sum256(t.kept)
	o.said = string(sum[:])
	words := map[uint32]bool{}
	for word := range bytes.SplitSeq(t.kept, []byte{0}) {
		if len(word) > 0 && isWordByte(word[0]) {
			words[hashWord(word)] = true
		}
	}
	o.words = slices.Sorted(maps.Keys(words))
}

func hashWord(word []byte) uint32 {
	h := fnv.New32a()
	h.Write(word)
	return h.Sum32()
}

// statement reads one declaration of the file, to its end. Tokens of what
// doesn't matter to who reads a message are not kept: imports, services, options
// for languages.
func (o *outline) statement(t *tokens) {
	switch {
	case t.is("export"), t.is("local"): // of edition 2024: the declaration comes next
	case t.is("import"):
		o.importOf(t)
	case t.is("package"):
		t.keep()
		for kind := t.next(); kind == wordToken || t.is("."); kind = t.next() {
			o.pkg += string(t.text())
		}
		o.odd = !t.is(";")
		t.keeping = false
	case t.is("message"), t.is("enum"):
		o.typeOf(t)
	case t.is("extend"):
		o.extend(t)
	case t.is("service"):
		o.odd = !t.skipStatement(nil)
	case t.is("option"):
		begin := len(t.kept)
		t.keep()
		t.next()
		features := t.is("features")
		o.odd = !t.skipStatement(nil)
		if t.keeping = false; !features {
			t.kept = t.kept[:begin]
		}
	case t.is("edition"):
		t.keep()
		if t.next() == signToken && t.is("=") && t.next() == stringToken {
			o.edition = string(t.text())
		}
		o.odd = !t.skipStatement(nil)
		t.keeping = false
	default:
		t.keep()
		o.odd = !t.skipStatement(nil)
		t.keeping = false
	}
}

// typeOf reads a message or an enum.
func (o *outline) typeOf(t *tokens) {
	message := t.is("message")
	t.keep()
	defer func() { t.keeping = false }()
	if o.odd = t.next() != wordToken; o.odd {
		return
	}
	if message {
		o.messages = append(o.messages, string(t.text()))
	}
	o.declares = append(o.declares, hashWord(t.text()))
	o.odd = !t.skipStatement(func() { o.reaches = o.reaches || t.is("extend") })
}

// extend reads extensions. Those of a field's options may say what its values
// can be; those of other options say nothing to a reader.
func (o *outline) extend(t *tokens) {
	t.keep()
	defer func() { t.keeping = false }()
	target := ""
	for kind := t.next(); kind == wordToken || t.is("."); kind = t.next() {
		target += string(t.text())
	}
	_, options := strings.CutPrefix(strings.TrimPrefix(target, "."), "google.protobuf.")
	o.reaches = o.reaches || !options || !strings.HasSuffix(target, "Options")
	field := strings.HasSuffix(target, "FieldOptions")
	group := false // it declares a message beside it
	see := func() {
		group = group || t.is("group")
		if field {
			o.declares = append(o.declares, hashWord(t.text()))
		}
	}
	o.odd = !t.skipStatement(see) || group
}

// importOf reads what stands behind the word import.
func (o *outline) importOf(t *tokens) {
	kind := t.next()
	for kind == wordToken { // public, weak, option
		o.reaches = o.reaches || t.is("public")
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
	keeping    bool
	kept       []byte // the text of tokens, with a zero byte after each
}

// keep keeps the last token and those that follow.
func (t *tokens) keep() {
	t.keeping = true
	t.keepLast()
}

func (t *tokens) keepLast() {
	if t.kind == stringToken {
		t.kept = append(t.kept, '"')
	}
	t.kept = append(append(t.kept, t.text()...), 0)
}

type tokenKind uint8

const (
	endToken tokenKind = iota
	wordToken
	stringToken
	signToken // any other character
	oddToken  // an unfinished string or comment
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
			if t.at = skip(t.data, t.at); unended(t.data[t.begin:t.at]) {
				t.kind, t.begin, t.end = oddToken, t.at, t.at
			}
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
	if t.keeping && t.kind != endToken && t.kind != oddToken {
		t.keepLast()
	}
	return t.kind
}

// unended reports whether a comment lacks its end.
func unended(comment []byte) bool {
	return comment[1] == '*' && (len(comment) < len("/**/") || !bytes.HasSuffix(comment, []byte("*/")))
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
