package source

import (
	"regexp"
	"strconv"
	"strings"
)

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

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
	{"undefined tag handle", "a tag that is not known: remove it, or put text that begins with ! in quotes"},
}

// yamlError gives the parser's error a place and plain words.
func yamlError(file string, data []byte, err error) *Error {
	at := Pos{File: file}
	found := yamlLine.FindStringSubmatch(err.Error())
	if found == nil {
		return Errorf(at, "cannot be read as YAML: %v", err)
	}
	at.Line, _ = strconv.Atoi(found[1])
	for _, w := range yamlWords {
		if strings.Contains(found[2], w.complaint) {
			return Errorf(at, "%s", w.words)
		}
	}
	return Errorf(at, "cannot be read as YAML: %s", found[2])
}
