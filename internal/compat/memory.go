package compat

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/protobuf"
	"github.com/evcontract/evcontract/internal/rule"
)

// Memory asks every question once. Two questions are one if their readers are of
// one revision, their writers too, and they are read in one way; a release that
// left an event alone costs nothing then, and neither do two consumers that read
// alike. What a question found has the places of the revision that was asked
// about first. The zero value is ready; it may be used from several goroutines
// at once.
type Memory struct {
	// OneBase says that nothing is asked of an event but how it stands to one other
	// revision. Then no question comes again about what is another revision only by
	// name, and Protobuf schemas need not be told apart by all that they say.
	OneBase bool

	mu      sync.Mutex
	answers map[string]*answer
	walked  walked
}

type answer struct {
	once   sync.Once
	result Result
}

// Read is Read, or what it answered before. A revision reads itself: nobody need
// be asked.
func (m *Memory) Read(q Question) Result {
	if m.OneBase && isProtobuf(q.Reader) && isProtobuf(q.Writer) {
		r := m.answer(pointers(q), q)
		if (r.Answer != rule.Holds || len(r.Breaks) > 0) && revision(q.Reader) == revision(q.Writer) {
			return Result{Answer: rule.Holds}
		}
		return r
	}
	key, known := question(q)
	switch {
	case known && revision(q.Reader) == revision(q.Writer):
		return Result{Answer: rule.Holds}
	case !known:
		key = pointers(q)
	}
	return m.answer(key, q)
}

func isProtobuf(e *contract.Event) bool {
	_, ok := e.Schema.(*protobuf.Schema)
	return ok
}

func pointers(q Question) string {
	return fmt.Sprintf("%p %p %s", q.Reader, q.Writer, q.As.key())
}

func (m *Memory) answer(key string, q Question) Result {
	m.mu.Lock()
	if m.answers == nil {
		m.answers = map[string]*answer{}
	}
	a := m.answers[key]
	if a == nil {
		a = &answer{}
		m.answers[key] = a
	}
	m.mu.Unlock()
	a.once.Do(func() { a.result = read(q, &m.walked) })
	return a.result
}

// Pairs is how many questions were really asked.
func (m *Memory) Pairs() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.answers)
}

// question names what an answer depends on. A schema that could not be read has
// no revision that says anything.
func question(q Question) (string, bool) {
	if q.Reader.Schema == nil || q.Writer.Schema == nil {
		return "", false
	}
	return strings.Join([]string{revision(q.Reader), revision(q.Writer), q.As.key(), between(q)}, "\x00"), true
}

// between identifies the revisions in between that can say something: not those
// that say what the reader or the writer does. They are not compiled for it.
func between(q Question) string {
	if _, ok := q.Reader.Schema.(*protobuf.Schema); !ok {
		return ""
	}
	var ids []string
	for _, r := range q.Between {
		if id := identity(r.Event); id != identity(q.Reader) && id != identity(q.Writer) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return strings.Join(slices.Compact(ids), "\x00")
}

// identity tells whether two revisions are of one text, or else of one schema.
func identity(e *contract.Event) string {
	switch {
	case e.Content != "":
		return e.Content
	case e.Schema != nil:
		return e.Schema.Digest()
	}
	return ""
}

// revision is the revision of what an answer takes from an event: the schema,
// and which fields had another name. Identity and channel are compared by rules.
func revision(e *contract.Event) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s", e.Name.Value, e.Schema.Format(), e.Schema.Digest())
	if s, ok := e.Schema.(*jsonschema.Schema); ok {
		fmt.Fprintf(&b, " %t", s.AssertsFormats())
	}
	if s, ok := e.Schema.(*protobuf.Schema); ok {
		b.WriteString(s.Reserved())
	}
	for _, to := range slices.Sorted(maps.Keys(e.Renamed)) {
		fmt.Fprintf(&b, " %q=%q", to, e.Renamed[to].Value)
	}
	return b.String()
}

// key says in a text what an answer assumes. The order in which fields are
// declared says nothing.
func (a Assumptions) key() string {
	fields := make([]string, len(a.Fields))
	for i, f := range a.Fields {
		fields[i] = f.String()
	}
	slices.Sort(fields)
	return fmt.Sprintf("%s %s %t %s %s %t %t %q", a.UnknownFields, a.UnknownEnums, a.Declared, a.Writers, a.Encoding, a.OldWriter, a.Fields == nil, slices.Compact(fields))
}
