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

// DecodeEnvelope reads what EncodeEnvelope wrote; the payload is left empty.
func DecodeEnvelope(text []byte) (event.Message, error) {
	var e envelope
	if err := json.Unmarshal(text, &e); err != nil {
		return event.Message{}, fmt.Errorf("stored envelope: %w", err)
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
	return m, nil
}
