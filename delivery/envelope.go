package delivery

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/evcontract/evcontract/event"
)

// envelope is a message without its payload as JSON, under the names of the
// CloudEvents attributes. Stores keep it beside the payload's bytes.
type envelope struct {
	ID          string            `json:"id,omitempty"`
	Source      string            `json:"source,omitempty"`
	Type        string            `json:"type,omitempty"`
	Subject     string            `json:"subject,omitempty"`
	Time        *time.Time        `json:"time,omitempty"`
	ContentType string            `json:"datacontenttype,omitempty"`
	Schema      string            `json:"dataschema,omitempty"`
	Aggregate   string            `json:"aggregatetype,omitempty"`
	Version     uint64            `json:"aggregateversion,omitempty"`
	Previous    uint64            `json:"prevversion,omitempty"`
	Chained     bool              `json:"chained,omitempty"`
	Key         string            `json:"idempotencykey,omitempty"`
	Partition   string            `json:"partitionkey,omitempty"`
	Headers     map[string]string `json:"headers,omitempty"`
	Topic       string            `json:"topic,omitempty"`
	Part        int32             `json:"part,omitempty"`
	Offset      int64             `json:"offset,omitempty"`
}

// EncodeEnvelope writes everything of a message but its payload.
func EncodeEnvelope(m event.Message) ([]byte, error) {
	e := envelope{
		ID: m.ID, Source: m.Source, Type: m.Type, Subject: m.Subject,
		ContentType: m.ContentType, Schema: m.Schema, Aggregate: m.AggregateType,
		Version: m.Version, Previous: m.Previous, Chained: m.Chained,
		Key: m.IdempotencyKey, Partition: m.PartitionKey, Headers: m.Headers,
		Topic: m.Topic, Part: m.Position.Partition, Offset: m.Position.Offset,
	}
	// A time that JSON cannot say came from outside; nothing depends on it, and
	// the event must not be lost for it.
	if t := m.Time.UTC(); !t.IsZero() && t.Year() >= 0 && t.Year() <= 9999 {
		e.Time = &t
	}
	text, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("envelope of %s: %w", m.ID, err)
	}
	return text, nil
}

// Headers that hold what was stored and cannot be read.
const (
	brokenEnvelope = "evcontract-envelope"
	brokenHeaders  = "evcontract-headers"
)

// DecodeEnvelope reads what EncodeEnvelope wrote; the payload is left empty. A
// text that is no envelope is a message without a type that has it as a header:
// an inbox quarantines that, and doesn't stumble over the row again and again.
func DecodeEnvelope(text []byte) event.Message {
	var e envelope
	if err := json.Unmarshal(text, &e); err != nil {
		return event.Message{Headers: map[string]string{brokenEnvelope: asText(string(text))}}
	}
	m := event.Message{
		ID: e.ID, Source: e.Source, Type: e.Type, Subject: e.Subject,
		ContentType: e.ContentType, Schema: e.Schema, AggregateType: e.Aggregate,
		Version: e.Version, Previous: e.Previous, Chained: e.Chained,
		IdempotencyKey: e.Key, PartitionKey: e.Partition, Headers: e.Headers,
		Topic: e.Topic, Position: event.Position{Partition: e.Part, Offset: e.Offset},
	}
	if e.Time != nil {
		m.Time = *e.Time
	}
	return m
}

// EncodeHeaders writes headers as a store keeps them; none are an empty text.
func EncodeHeaders(h map[string]string) (string, error) {
	if len(h) == 0 {
		return "", nil
	}
	text, err := json.Marshal(h)
	return string(text), err
}

// DecodeHeaders reads what EncodeHeaders wrote. A text that is none becomes a
// header: an event is sent without its headers rather than not at all.
func DecodeHeaders(text string) map[string]string {
	if text == "" {
		return nil
	}
	var h map[string]string
	if err := json.Unmarshal([]byte(text), &h); err != nil {
		return map[string]string{brokenHeaders: asText(text)}
	}
	return h
}
