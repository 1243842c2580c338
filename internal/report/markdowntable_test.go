package report

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/evcontract/evcontract/internal/rule"
)

// TestConsumerTables has more consumers and events than a comment holds: the
// worst come first, nothing is dropped in silence, and findings keep their room.
func TestConsumerTables(t *testing.T) {
	r := &rule.Report{Command: "check"}
	broken := fieldLost
	r.Findings = []rule.Finding{broken}
	const consumers, events = 30, 100
	for c := range consumers {
		for e := range events {
			read := rule.Read{Event: fmt.Sprintf("Event%03d.v1", e), Direction: rule.Forward, Answer: rule.Holds,
				Reader: rule.Party{Ref: "main", Consumer: fmt.Sprintf("c%02d", c)}, Writer: rule.Party{Ref: "."}}
			switch {
			case c == 29 && e == 99:
				read.Answer, read.Findings = rule.Refuted, []string{broken.Fingerprint}
			case c%2 == 1 && e == 50:
				read.Answer = rule.Unknown
			}
			r.Reads = append(r.Reads, read)
		}
	}
	out := string(render(t, "markdown", r, Options{}))
	if size := utf8.RuneCountInString(out); size > 65_536 {
		t.Errorf("%d characters: one comment holds 65536", size)
	}
	order := []string{"**c29** ❌ refuted", "| Event099.v1 | ❌ refuted", "| Event000.v1 | ✅ holds", "**c01** ❓ unknown", "| Event050.v1 | ❓ unknown", "<details><summary>✅ every read holds for: c00, c02", "**c00** ✅ holds", "field-lost"}
	at := 0
	for _, want := range order {
		i := strings.Index(out[at:], want)
		if i < 0 {
			t.Fatalf("%q is missing, or comes too early:\n%.3000s", want, out)
		}
		at += i
	}
	var left, rest int
	for line := range strings.Lines(out) {
		if _, err := fmt.Sscanf(line, "… and %d rows more", &rest); err == nil {
			left += rest
		}
	}
	if rows := strings.Count(out, "\n| Event"); left == 0 || rows+left != consumers*events {
		t.Errorf("%d rows, and %d more: want %d", rows, left, consumers*events)
	}
}
