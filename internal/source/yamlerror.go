package source

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"
)

var yamlLine = regexp.MustCompile(`^yaml: (?:line \d+: )?(.*)$`)

// yamlWords says the parser's complaints in words of somebody who writes YAML.
// The first entry that is part of the complaint counts.
var yamlWords = []struct{ complaint, words string }{
	{"mapping values are not allowed", "a colon where no key can stand: check the indentation, or put the text in quotes"},
	{"cannot start any token", "a value cannot begin like this: indent with spaces, not tabs, and put text that begins with @ ` or % in quotes"},
	{"found a tab character", "a tab in the indentation: indent with spaces"},
	{"did not find expected key", "this fits neither the map before it nor a new one: check the indentation, quotes and colons"},
	{"could not find expected ':'", "a key without a colon: write \"key: value\", and check the quotes and brackets above"},
	{"did not find expected '-' indicator", "this fits neither the list before it nor a new value: check the indentation"},
	{"did not find expected ',' or ']'", "a list in [] is not closed, or a comma is missing"},
	{"did not find expected ',' or '}'", "a map in {} is not closed, or a comma is missing"},
	{"found unexpected end of stream", "a quote that is never closed"},
	{"did not find expected node content", "a value is missing here"},
	{"block sequence entries are not allowed", "a list cannot begin here: put it on a line of its own"},
	{"mapping keys are not allowed", "a key cannot stand here: check the indentation"},
	{"found unknown escape character", "an unknown escape in double quotes: write a backslash as \\\\, or use single quotes"},
	{"control characters are not allowed", "a control character: remove it"},
	{"exceeded max depth", "too many lists and maps inside each other"},
	{"document start", "something follows the end of the document: check the indentation"},
	{"unknown anchor", "an alias of an anchor that does not stand before it: put text that begins with * in quotes"},
	{"undefined tag handle", "a tag that is not known: remove it, or put text that begins with ! in quotes"},
}

// yamlError gives the parser's error a place and plain words.
func yamlError(file string, data []byte, err error) *Error {
	complaint := yamlComplaint(err)
	at := Pos{File: file, Line: failingLine(data, complaint)}
	for _, w := range yamlWords {
		if strings.Contains(complaint, w.complaint) {
			return Errorf(at, "%s", w.words)
		}
	}
	return Errorf(at, "cannot be read as YAML: %s", complaint)
}

// yamlComplaint is the parser's error without the line, which is often that of
// the place where the list or map around the error begins, or one less.
func yamlComplaint(err error) string {
	found := yamlLine.FindStringSubmatch(err.Error())
	if found == nil {
		return err.Error()
	}
	return found[1]
}

// maxSearch is how large a file may be for its failing line to be looked for,
// which parses it some twenty times.
const maxSearch = 1 << 20

// failingLine looks for the first line with which the text has its error: the
// lines before it alone do not have it. 0 says that it is unknown.
func failingLine(data []byte, complaint string) int {
	if len(data) > maxSearch {
		return 0
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	ends := make([]int, len(lines))
	end := 0
	for i, line := range lines {
		end += len(line)
		ends[i] = end
	}
	n := sort.Search(len(ends), func(i int) bool { return firstComplaint(data[:ends[i]]) == complaint })
	if n == len(ends) {
		return 0
	}
	return n + 1
}

// firstComplaint is what the parser says of a text, "" where it says nothing.
func firstComplaint(data []byte) string {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var doc yaml.Node
		err := decodeYAML(dec, &doc)
		if errors.Is(err, io.EOF) {
			return ""
		}
		if err != nil {
			return yamlComplaint(err)
		}
	}
}
