package event

import (
	"bytes"
	"sync"
	"time"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// AppendJSON writes a string as JSON. Text that is not UTF-8 is written as it
// is, for the decoder to refuse.
func AppendJSON(b []byte, text string) []byte {
	from := len(b) + 1
	b = append(append(b, '"'), text...)
	for at := plainEnd(b, from); at < len(b); at = plainEnd(b, at+1) {
		if b[at] < utf8.RuneSelf {
			return appendEscaped(b[:at], text[at-from:])
		}
	}
	return append(b, '"')
}

// appendEscaped goes on with a string at the first character to escape.
func appendEscaped(b []byte, text string) []byte {
	from := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if plain[c] || c >= utf8.RuneSelf {
			continue
		}
		b = appendEscape(append(b, text[from:i]...), c)
		from = i + 1
	}
	return append(append(b, text[from:]...), '"')
}

func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// AppendTime writes a time as JSON, as RFC 3339 with its offset and the
// fraction that it has.
func AppendTime(b []byte, t time.Time) []byte {
	return append(t.AppendFormat(append(b, '"'), time.RFC3339Nano), '"')
}

// AppendRaw writes what already is JSON. Where nothing is, it notes so for the
// decoder to refuse: a list's only element would be gone without a word.
func AppendRaw[T ~string | ~[]byte](b []byte, text T) []byte {
	if len(text) == 0 {
		return append(b, unset)
	}
	return append(b, text...)
}

// unset stands in a payload where user code has set no value. It is no JSON.
const unset = 0

// EndObject closes an object that starts at an offset of b and whose members
// were each written after a comma.
func EndObject(b []byte, start int) []byte {
	if len(b) == start {
		return append(b, '{', '}')
	}
	b[start] = '{'
	return append(b, '}')
}

// EndList closes a list that starts at an offset of b and whose elements were
// each written after a comma.
func EndList(b []byte, start int) []byte {
	if len(b) == start {
		return append(b, '[', ']')
	}
	b[start] = '['
	return append(b, ']')
}

// Encode gives what a function appends to a buffer, in a slice of its own.
// Buffers are kept for the next call.
func Encode(write func([]byte) []byte) []byte {
	buffer := encodeBuffers.Get().(*[]byte)
	*buffer = write((*buffer)[:0])
	data := bytes.Clone(*buffer)
	if cap(*buffer) <= encodeKept {
		encodeBuffers.Put(buffer)
	}
	return data
}

// encodeKept is the size in bytes of the largest buffer that is kept.
const encodeKept = 1 << 18

var encodeBuffers = sync.Pool{New: func() any { return new([]byte) }}
