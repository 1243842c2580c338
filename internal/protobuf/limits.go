package protobuf

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// What one file may hold at most. Real schemas stay far below; the limits keep
// a file that was made to do harm from using up time and memory.
const (
	maxSource  = 16 << 20 // bytes
	maxNesting = 512      // brackets inside each other
)

// checkSource says what keeps a file from being compiled, "" where nothing does.
func checkSource(data []byte) string {
	if len(data) > maxSource {
		return fmt.Sprintf("holds %d bytes, more than the %d MiB that are compiled: split the file", len(data), maxSource>>20)
	}
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return "is UTF-16: save it as UTF-8"
	case bytes.IndexByte(data, 0) >= 0 && !utf8.Valid(data):
		return "is no text: a .proto file is read as it was written, not compiled"
	}
	if line := tooDeep(data); line > 0 {
		return fmt.Sprintf("line %d: more than %d brackets inside each other: flatten what it declares", line, maxNesting)
	}
	return ""
}

// tooDeep gives the line where brackets are nested too deep, 0 if nowhere.
func tooDeep(data []byte) int {
	depth, line := 0, 1
	for i := 0; i < len(data); i++ {
		switch c := data[i]; c {
		case '\n':
			line++
		case '{', '[', '(', '<':
			if depth++; depth > maxNesting {
				return line
			}
		case '}', ']', ')', '>':
			depth = max(depth-1, 0)
		case '"', '\'', '/':
			end := skip(data, i)
			for _, b := range data[i:end] {
				if b == '\n' {
					line++
				}
			}
			i = end - 1
		}
	}
	return 0
}

// skip gives the end of the string or comment that begins at i, or i+1.
func skip(data []byte, i int) int {
	next := byte(0)
	if i+1 < len(data) {
		next = data[i+1]
	}
	switch {
	case data[i] != '/':
		for j := i + 1; j < len(data) && data[j] != '\n'; j++ {
			if data[j] == data[i] {
				return j + 1
			}
			if data[j] == '\\' {
				j++
			}
		}
	case next == '/':
		for j := i; j < len(data); j++ {
			if data[j] == '\n' {
				return j
			}
		}
		return len(data)
	case next == '*':
		for j := i + 3; j < len(data); j++ {
			if data[j] == '/' && data[j-1] == '*' {
				return j + 1
			}
		}
		return len(data)
	}
	return i + 1
}
