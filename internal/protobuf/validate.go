package protobuf

import (
	"errors"
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Validate decides whether a JSON document is a valid event: protojson as
// strict as it comes, and an envelope must hold this event.
func (s *Schema) Validate(document []byte) error {
	m := dynamicpb.NewMessage(s.root)
	o := protojson.UnmarshalOptions{Resolver: s.types()}
	if err := o.Unmarshal(document, m); err != nil {
		return errors.New(Plain(err))
	}
	if s.arm != nil && !m.Has(s.arm) {
		return fmt.Errorf("the envelope does not hold %s: set %s in its oneof %s", s.arm.Message().Name(), s.arm.Name(), s.arm.ContainingOneof().Name())
	}
	return nil
}

// Plain is a Protobuf library's error without its prefix and without the
// no-break spaces that it puts in at random to keep anybody from relying on it.
func Plain(err error) string {
	text := strings.ReplaceAll(err.Error(), "\u00a0", " ")
	return strings.TrimPrefix(text, "proto: ")
}
