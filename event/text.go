package event

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// The types here are strings of a JSON Schema format. They hold the text that
// stands in the event, so that it is passed on as it came, and also where the
// contract takes a format for an annotation and any text is valid.

// UUID is a string of format uuid.
type UUID string

// NewUUID writes a UUID in its usual form.
func NewUUID(id [16]byte) UUID { return UUID(format(id)) }

// Bytes reads the UUID, of any version. Capital and small letters give the same.
func (u UUID) Bytes() (id [16]byte, err error) {
	err = parse(&id, []byte(u))
	return id, err
}

// URI is a string of format uri, iri or a reference of one.
type URI string

// Parse reads the parts of the URI.
func (u URI) Parse() (*url.URL, error) { return url.Parse(string(u)) }

// Base64 is bytes as RFC 4648 writes them, with padding.
type Base64 string

// NewBase64 writes bytes.
func NewBase64(data []byte) Base64 { return Base64(base64.StdEncoding.EncodeToString(data)) }

// Bytes reads the bytes.
func (b Base64) Bytes() ([]byte, error) { return base64.StdEncoding.DecodeString(string(b)) }

// Duration is a string of format duration, as RFC 3339 has it of ISO 8601: P3D,
// PT5M, P2W.
type Duration string

// durationParts are the units of a duration that are always equally long, before
// the T and behind it.
var durationParts = [2]map[byte]time.Duration{
	{'W': 7 * 24 * time.Hour, 'D': 24 * time.Hour},
	{'H': time.Hour, 'M': time.Minute, 'S': time.Second},
}

// Fixed is how long the duration is, a day taken as 24 hours. It is false for a
// text that is no duration, for one with years or months, which have no length of
// their own, and for one beyond 292 years.
func (d Duration) Fixed() (time.Duration, bool) {
	if !isDuration(string(d)) {
		return 0, false
	}
	var total time.Duration
	date, clock, _ := strings.Cut(string(d[1:]), "T")
	for i, text := range []string{date, clock} {
		for text != "" {
			digits := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
			n, err := strconv.ParseInt(text[:digits], 10, 64)
			unit := durationParts[i][text[digits]]
			switch {
			case n == 0 && err == nil:
			case err != nil || unit == 0 || n > int64((1<<63-1-total)/unit):
				return 0, false
			}
			total += time.Duration(n) * unit
			text = text[digits+1:]
		}
	}
	return total, true
}

// Base64 passes a string of bytes as RFC 4648 writes them, with padding and
// nothing between, and gives the bytes, which are never nil.
func (s *Scanner) Base64() []byte {
	text := s.Text()
	data := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Strict().Decode(data, text)
	if s.err == nil && (err != nil || bytes.ContainsAny(text, "\r\n")) {
		s.Refuse("%.40q is no base64", text)
	}
	return data[:n]
}

// AppendBase64 writes bytes as a string of base64.
func AppendBase64(b, data []byte) []byte {
	return append(base64.StdEncoding.AppendEncode(append(b, '"'), data), '"')
}
