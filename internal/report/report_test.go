package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

var (
	until = time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)

	fieldLost = rule.Finding{
		Rule: "field-lost", Severity: rule.Error, Path: "OrderPaid.v1/amount.minor_units",
		Message: "amount.minor_units is sent as int64 and read as int32: the reader takes another amount",
		Fix:     "Keep the type; send a wider amount in a new field.",
		New:     source.Pos{File: "orders/v1/events.proto", Line: 14, Column: 3},
		Old:     source.Pos{File: "orders/v1/order.proto", Line: 12, Column: 3},
		Witness: &rule.Witness{
			Event:      []byte(`{"order_id":"o-1","amount":{"currency":"EUR","minor_units":4294967301},"lines":[{"sku":"a-very-long-stock-keeping-unit","price":1}]}`),
			Text:       "order_id: \"o-1\"\namount {\n  minor_units: 4294967301\n}\n",
			Bytes:      []byte{0x0a, 0x03, 'o', '-', '1'},
			Mark:       "/amount/minor_units",
			ReaderSees: "writer sent 4294967301, reader sees 5",
		},
		Hits: []rule.Hit{
			{Event: "OrderPaid.v1", Direction: rule.Forward, Consumer: "loyalty"},
			{Event: "OrderPaid.v1", Direction: rule.Forward},
			{Event: "OrderPaid.v1", Direction: rule.Backward, Consumer: "loyalty"},
		},
		Fingerprint: "00112233445566aa",
	}
	waivedOne = rule.Finding{
		Rule: "field-unsent", Severity: rule.Error, Path: "OrderPaid.v1/coupon",
		Message: "coupon is no longer sent: notification waits for it in vain", New: source.Pos{File: "orders/v1/events.proto"},
		Hits:        []rule.Hit{{Event: "OrderPaid.v1", Direction: rule.Backward, Consumer: "notification"}},
		Fingerprint: "00112233445566bb",
		Waived: &rule.Waiver{Rule: "field-unsent", At: "OrderPaid.v1/coupon", Reason: "never filled", Owner: "team-orders",
			Until: until, Pos: source.Pos{File: "evcontract.yaml", Line: 9, Column: 5}},
	}
	lintOne = rule.Finding{
		Rule: "owner-missing", Severity: rule.Warning, Path: "OrderPaid.v1", Message: "OrderPaid.v1 has no owner: nobody answers for it",
		Fix: "Add owner: with a team's name.", New: source.Pos{File: "order_paid.v1.event.yaml", Line: 2, Column: 1},
		Hits: []rule.Hit{{Event: "OrderPaid.v1"}}, Fingerprint: "00112233445566cc",
	}
	docs = []rule.Doc{
		{ID: "field-lost", Kind: rule.Payload, Severity: rule.Error, Title: "A field is lost", Why: "The reader never sees it.", Fix: "Keep it."},
		{ID: "owner-missing", Kind: rule.Lint, Severity: rule.Warning, Title: "Nobody owns the event", Why: "Nobody answers.", Fix: "Name a team."},
	}
)

// reports are the documents that every format is tried on.
func reports() map[string]*rule.Report {
	return map[string]*rule.Report{
		"check": {
			Command: "check", Version: "v1.2.3", Docs: docs, Findings: []rule.Finding{fieldLost, waivedOne, lintOne},
			Reads: []rule.Read{
				{Event: "OrderPaid.v1", Direction: rule.Forward, Reader: rule.Party{Ref: "main", Consumer: "loyalty"}, Writer: rule.Party{Ref: "."},
					Answer: rule.Refuted, Findings: []string{fieldLost.Fingerprint}},
				{Event: "OrderPaid.v1", Direction: rule.Backward, Reader: rule.Party{Ref: ".", Consumer: "loyalty"}, Writer: rule.Party{Ref: "main"},
					Answer: rule.Holds, Reason: "writers emit only declared fields"},
				{Event: "OrderPaid.v1", Direction: rule.Backward, Reader: rule.Party{Ref: ".", Consumer: "notification"}, Writer: rule.Party{Ref: "main"},
					Answer: rule.Holds, Findings: []string{waivedOne.Fingerprint}},
				{Event: "OrderPaid.v1", Direction: rule.Forward, Reader: rule.Party{Ref: "main"}, Writer: rule.Party{Ref: "."},
					Answer: rule.Unknown, Reason: "pattern with a back-reference"},
			},
		},
		"window": {
			Command: "check", Version: "v1.2.3", Docs: docs, Findings: []rule.Finding{waivedOne},
			Reads: []rule.Read{
				{Event: "OrderPaid.v1", Direction: rule.Forward, Reader: rule.Party{Ref: "v1.2.0", Repo: "loyalty", Consumer: "loyalty"}, Writer: rule.Party{Ref: "."},
					Answer: rule.Holds},
				{Event: "OrderPaid.v1", Direction: rule.Backward, Reader: rule.Party{Ref: ".", Consumer: "notification"}, Writer: rule.Party{Ref: "v1.4.0"},
					Answer: rule.Holds, Findings: []string{waivedOne.Fingerprint}},
			},
			Scope: &rule.Scope{AsOf: until, Span: 37 * 24 * time.Hour, Pairs: 2, Bases: []rule.Base{
				{Ref: "v1.4.0", Commit: "0123456789abcdef0123456789abcdef01234567", Released: until.AddDate(0, 0, -9), Why: []string{"window", "prod"}},
				{Repo: "loyalty", Ref: "v1.2.0", Why: []string{"canary"}},
				{Repo: "audit", Why: []string{"disk"}},
			}},
		},
		"lint":    {Command: "lint", Version: "v1.2.3", Docs: docs, Findings: []rule.Finding{lintOne}},
		"clean":   {Command: "lint", Version: "v1.2.3", Docs: docs},
		"hostile": {Command: "lint", Version: "v1.2.3", Docs: docs, Findings: []rule.Finding{hostile()}},
	}
}

const nasty = "a\x1b[31m\r\n::error::forged\u202e|`<script>@everyone ]]> \u0085 %0A,:\ufffe"

// hostile is a finding whose every text was written by someone with bad intent.
func hostile() rule.Finding {
	return rule.Finding{
		Rule: "owner-missing", Severity: rule.Error, Path: nasty, Message: nasty, Fix: nasty,
		New: source.Pos{File: nasty, Line: 1, Column: 2}, Old: source.Pos{File: nasty, Line: 3},
		Witness:     &rule.Witness{Event: []byte(`{"\u001b[31m` + "\u202e" + `":"` + "\u009b" + `31m"}`), Text: nasty, ReaderSees: nasty},
		Hits:        []rule.Hit{{Event: nasty, Direction: rule.Forward, Consumer: nasty}},
		Fingerprint: "00112233445566dd",
		Waived:      &rule.Waiver{Reason: nasty, Owner: nasty, Until: until},
	}
}

func TestGolden(t *testing.T) {
	for _, format := range Names() {
		for name, r := range reports() {
			golden(t, name+"."+format, render(t, format, r, Options{}))
		}
	}
	golden(t, "check.color", render(t, "text", reports()["check"], Options{Color: true}))
	golden(t, "lint.excerpt", render(t, "text", reports()["lint"], Options{Files: func(string) []byte {
		return []byte("event: OrderPaid.v1\nsummary: An order was paid in full.\n")
	}}))
}

func render(t *testing.T, format string, r *rule.Report, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Formats[format](&b, r, o); err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	return b.Bytes()
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; UPDATE=1 rewrites it):\n%s", file, diff)
	}
}

// TestHidden holds what the package promises: nothing that steers a terminal or
// reorders text comes through, in any format.
func TestHidden(t *testing.T) {
	for _, format := range Names() {
		out := string(render(t, format, reports()["hostile"], Options{}))
		if i := strings.IndexFunc(out, func(r rune) bool { return r != '\n' && hidden(r) }); i >= 0 {
			t.Errorf("%s lets %q through, at %q", format, out[i:i+1], out[max(0, i-30):i])
		}
	}
	for line := range strings.SplitSeq(string(render(t, "github", reports()["hostile"], Options{})), "\n") {
		if strings.HasPrefix(line, "::error::forged") {
			t.Error("github: a message starts a command of its own")
		}
	}
}

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"grüße, 世界 🎉":  "grüße, 世界 🎉",
		"a\nb\tc\r":    `a\nb\tc\x0d`,
		"\x1b[0m":      `\x1b[0m`,
		"\u202eabc":    `\u202eabc`,
		"bad\xff\xfe.": `bad\xff\xfe.`,
		"\uFFFD":       "\uFFFD",
	} {
		if got := plain(in); got != want {
			t.Errorf("plain(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestCommandEscaping reads an annotation back as GitHub's runner does.
func TestCommandEscaping(t *testing.T) {
	f := lintOne
	f.New.File, f.Message = "a,b:c%.yaml", "100% of\nit"
	got := command(&f)
	if !strings.HasPrefix(got, "::warning file=a%2Cb%3Ac%25.yaml,line=2,col=1,title=owner-missing OrderPaid.v1::100%25 of%0Ait") {
		t.Error(got)
	}
}

func TestJUnitIsXML(t *testing.T) {
	for name, r := range reports() {
		d := xml.NewDecoder(bytes.NewReader(render(t, "junit", r, Options{})))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

func TestMarkdownFitsAComment(t *testing.T) {
	r := &rule.Report{Findings: slices.Repeat([]rule.Finding{fieldLost}, 2000)}
	out := []rune(string(render(t, "markdown", r, Options{})))
	if len(out) > 65_536 || !strings.Contains(string(out[len(out)-60:]), "more") {
		t.Errorf("%d characters, ending %q", len(out), string(out[len(out)-60:]))
	}
}

// TestUnchanged: showing a report changes nothing in it.
func TestUnchanged(t *testing.T) {
	for name, r := range reports() {
		for _, format := range slices.Collect(maps.Keys(Formats)) {
			render(t, format, r, Options{Color: true})
		}
		if diff := cmp.Diff(reports()[name], r); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}
