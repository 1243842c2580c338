package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/protobuf"
	"github.com/evcontract/evcontract/internal/source"
)

// masked stands for a value that is not shown.
const masked = "(masked)"

// payloadView decides what of quarantined events may be seen. What a contract
// lists under pii is masked, and so is what it does not know: an event that is in
// quarantine may well have its personal data in the wrong place.
type payloadView struct {
	contracts *contract.Set // nil where no workspace is at hand
	unread    error         // or why it cannot be read: what it says is personal may stand right there
	pii       bool          // a person asked for everything

	fetch func(id int64) ([]byte, error) // the payload of a case that came without it
}

var errNoContract = errors.New("its contract is not at hand, so nobody can tell what in it is personal: run this in the workspace or name it with --workspace FOLDER, or say --show-pii")

// contractOf is the contract of an event, nil where it is not at hand.
func (v payloadView) contractOf(m event.Message) *contract.Event {
	var name contract.Name
	if v.contracts == nil || name.UnmarshalText([]byte(m.Type)) != nil {
		return nil
	}
	return v.contracts.Event(name)
}

// payload is what may be seen of a payload, and the values that may not.
func (v payloadView) payload(m event.Message) (shown any, hidden []string, err error) {
	if v.pii {
		return whole(m.Payload), nil, nil
	}
	if v.unread != nil {
		return nil, nil, fmt.Errorf("%w; so nobody can tell what in it is personal: --show-pii shows all of it", v.unread)
	}
	e := v.contractOf(m)
	if e == nil || e.Schema == nil {
		return nil, nil, errNoContract
	}
	value, err := decoded(e, m.Payload)
	if err != nil {
		return nil, nil, fmt.Errorf("it cannot be read (%w), so nobody can tell what in it is personal: --show-pii shows it as it is", err)
	}
	k := masker{schema: e.Schema, pii: e.PII}
	return k.mask(value, nil), k.hidden, nil
}

// errorText is an error with what must not be seen taken out of it.
func (v payloadView) errorText(text string, m event.Message) string {
	if v.pii || text == "" {
		return text
	}
	_, hidden, err := v.payload(m)
	if err != nil {
		return text // there is nothing to compare it with
	}
	for _, value := range hidden {
		text = strings.ReplaceAll(text, value, masked)
	}
	return text
}

// errorsOf are errors of a case like errorText. A case that came without its
// payload gets it for that long: one of them at a time may be in memory.
func (v payloadView) errorsOf(c delivery.Case, texts ...string) []string {
	m := c.Message
	shown := make([]string, len(texts))
	if len(texts) > 0 && !v.pii && len(m.Payload) == 0 && c.PayloadBytes > 0 && v.contractOf(m) != nil {
		var err error
		if m.Payload, err = v.fetch(c.ID); err != nil { // nobody can tell what in them is personal
			for i := range shown {
				shown[i] = masked
			}
			return shown
		}
	}
	for i, text := range texts {
		shown[i] = v.errorText(text, m)
	}
	return shown
}

// whole is a payload as it is: JSON as JSON, else a text that Go would read.
func whole(payload []byte) any {
	if json.Valid(payload) {
		return json.RawMessage(payload)
	}
	return strconv.Quote(string(payload))
}

// decoded reads a payload as JSON values, with the names that the contract's
// paths have.
func decoded(e *contract.Event, payload []byte) (any, error) {
	if s, ok := e.Schema.(*protobuf.Schema); ok {
		m := dynamicpb.NewMessage(s.Descriptor())
		var err error
		if e.Encoding() == contract.Protobuf {
			err = proto.Unmarshal(payload, m)
		} else {
			err = protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(payload, m)
		}
		if err != nil {
			return nil, errors.New("not a message of its contract") // the engine's words may quote the payload
		}
		if payload, err = (protojson.MarshalOptions{UseProtoNames: true}).Marshal(m); err != nil {
			return nil, errors.New("not a message of its contract")
		}
	}
	d := json.NewDecoder(bytes.NewReader(payload))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, errors.New("not JSON")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return value, nil
}

// masker goes down a value beside its schema.
type masker struct {
	schema contract.Schema
	pii    []source.At[contract.Path]
	hidden []string
}

func (k *masker) mask(value any, at contract.Path) any {
	switch v := value.(type) {
	case map[string]any:
		shown := make(map[string]any, len(v))
		for name, member := range v {
			shown[name] = k.mask(member, k.step(at, contract.Step{Kind: contract.FieldStep, Name: name}, contract.Step{Kind: contract.ValueStep}))
		}
		return shown
	case []any:
		shown := make([]any, len(v))
		for i, element := range v {
			shown[i] = k.mask(element, k.step(at, contract.Step{Kind: contract.PlaceStep, Index: i}, contract.Step{Kind: contract.ElementStep}))
		}
		return shown
	}
	if k.open(at) {
		return value
	}
	if text := fmt.Sprint(value); len(text) > 2 { // shorter ones would hide half of every error
		k.hidden = append(k.hidden, text)
	}
	return masked
}

// step is the first of two steps that the schema knows.
func (k *masker) step(at contract.Path, exact, any contract.Step) contract.Path {
	if _, err := k.schema.Field(at.Then(exact)); err == nil {
		return at.Then(exact)
	}
	return at.Then(any)
}

// open reports whether the value at a path may be seen: the contract knows it,
// and neither it nor anything around or inside of it is personal.
func (k *masker) open(at contract.Path) bool {
	if _, err := k.schema.Field(at); err != nil && len(at) > 0 {
		return false
	}
	for _, p := range k.pii {
		if covers(p.Value, at) || covers(at, p.Value) {
			return false
		}
	}
	return true
}

// covers reports whether a path leads to another or beyond; a place of a list is
// one of its elements.
func covers(outer, inner contract.Path) bool {
	if len(outer) > len(inner) {
		return false
	}
	for i, s := range outer {
		if s != inner[i] && (list(s) == "" || list(s) != list(inner[i])) {
			return false
		}
	}
	return true
}

// list is [] for a step into a list, and empty for others. Two places of a tuple
// count as one: rather one value too many is hidden.
func list(s contract.Step) string {
	if s.Kind == contract.ElementStep || s.Kind == contract.PlaceStep {
		return "[]"
	}
	return ""
}

// printable is a text from outside as a terminal may have it: what it would obey
// is spelled out.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}
