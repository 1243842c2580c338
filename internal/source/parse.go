package source

import (
	"bytes"
	"path"
	"strings"
	"unicode/utf8"
)

// What one document may hold at most. Real schemas and manifests are thousands
// of times smaller; the limits keep a hostile file from using up the memory.
const (
	MaxJSON   = 64 << 20 // bytes of a JSON document
	MaxYAML   = 8 << 20  // bytes of a YAML document, whose nodes take up to 150 times their text
	MaxDepth  = 512      // lists and maps inside each other
	MaxValues = 4 << 20  // values of a document

	maxAliased = 1 << 17 // values of a YAML document that aliases stand for
	maxErrors  = 100     // errors of one document that are worth reading
)

// Parse reads a JSON or a YAML document, as its name's ending says. A file
// named .json never goes through the YAML parser, which refuses valid JSON.
func Parse(file string, data []byte) (*Node, []*Error) {
	switch strings.ToLower(path.Ext(file)) {
	case ".json":
		return ParseJSON(file, data)
	case ".yaml", ".yml":
		return ParseYAML(file, data)
	}
	return nil, []*Error{Errorf(Pos{File: file}, "neither .json nor .yaml: rename the file to say what it holds")}
}

// checkText says what keeps bytes from being a text that can be parsed.
func checkText(file string, data []byte, limit int) *Error {
	at := Pos{File: file}
	switch {
	case len(data) > limit:
		return Errorf(at, "holds %d bytes, more than the %d MiB that are read: split the file", len(data), limit>>20)
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return Errorf(at, "is UTF-16: save it as UTF-8")
	case !utf8.Valid(data):
		return Errorf(badUTF8(file, data), "a byte that is not UTF-8: save the file as UTF-8")
	}
	return nil
}

// badUTF8 is the place of the first byte that is not UTF-8.
func badUTF8(file string, data []byte) Pos {
	at := Pos{File: file, Line: 1, Column: 1}
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && size == 1:
			return at
		case r == '\n':
			at.Line, at.Column = at.Line+1, 1
		default:
			at.Column++
		}
		data = data[size:]
	}
	return at
}
