package compat

import (
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/protobuf"
	"github.com/evcontract/evcontract/internal/rule"
)

// TestUnprovedProtobuf holds that a claim whose event shows nothing is never
// passed off as holds, alone, as a warning, or beside a claim that was proved.
func TestUnprovedProtobuf(t *testing.T) {
	events := protoEvents(t, "M", protoFile("message M { int32 a = 1; int32 b = 2; }"), protoFile("message M { int64 a = 1; int32 b = 2; }"))
	reader, writer := events[0].Schema.(*protobuf.Schema), events[1].Schema.(*protobuf.Schema)
	false1 := func(severity rule.Severity) *claim {
		b := writer.Descriptor().Fields().ByName("b")
		return &claim{
			probe: &probe{mark: b, fill: setValues(b, protoreflect.ValueOfInt32(1))},
			Break: Break{Rule: "value-truncated", Severity: severity, Path: contract.Path{}.Field("b")},
		}
	}
	q := Question{Reader: events[0], Writer: events[1]}
	if r := walk(q, reader, writer, nil).result(); r.Answer != rule.Refuted || r.Open != "" {
		t.Fatalf("%+v", r)
	}
	both := walk(q, reader, writer, nil)
	both.claims = append(both.claims, false1(rule.Error))
	if r := both.result(); r.Answer != rule.Refuted || r.Open == "" || len(r.Breaks) != 1 {
		t.Errorf("beside another: %+v", r)
	}
	for _, severity := range []rule.Severity{rule.Error, rule.Warning} {
		alone := walk(q, reader, writer, nil)
		alone.claims = []*claim{false1(severity)}
		if r := alone.result(); r.Answer != rule.Unknown || r.Reason == "" || len(r.Breaks) != 0 {
			t.Errorf("%s alone: %+v", severity, r)
		}
	}
}
