package metrics_test

import (
	"strings"

	"go.opentelemetry.io/otel/attribute"
)

// encoder writes a set of attributes in one line, without what all their keys
// begin with.
type encoder struct{}

func (encoder) Encode(i attribute.Iterator) string {
	var parts []string
	for i.Next() {
		key := string(i.Attribute().Key)
		for _, prefix := range []string{"evcontract.quarantine.", "evcontract.effect.", "evcontract.", "messaging.consumer.", "cloudevents."} {
			key = strings.TrimPrefix(key, prefix)
		}
		parts = append(parts, key+"="+i.Attribute().Value.String())
	}
	return strings.Join(parts, ",")
}

func (encoder) ID() attribute.EncoderID { return attribute.NewEncoderID() }
