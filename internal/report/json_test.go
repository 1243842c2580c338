package report

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// closed is the published schema without its tolerance for fields to come, so
// that a field that it does not describe is an error here.
func closed(t *testing.T) *jsonschema.Schema {
	t.Helper()
	var document any
	if err := json.Unmarshal(Schema(), &document); err != nil {
		t.Fatal(err)
	}
	closeObjects(document)
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return jsonschema.MustCompileString("report.schema.json", string(text))
}

func closeObjects(node any) {
	switch n := node.(type) {
	case map[string]any:
		if n["type"] == "object" {
			n["additionalProperties"] = false
		}
		for _, child := range n {
			closeObjects(child)
		}
	case []any:
		for _, child := range n {
			closeObjects(child)
		}
	}
}

func TestJSONSchema(t *testing.T) {
	s := closed(t)
	all := reports()
	all["filled"] = &rule.Report{Version: "v1", Reads: []rule.Read{filled[rule.Read]()}, Findings: []rule.Finding{filled[rule.Finding]()}}
	for name, r := range all {
		var document any
		if err := json.Unmarshal(render(t, "json", r, Options{}), &document); err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(document); err != nil && name != "filled" { // its words are no vocabulary
			t.Errorf("%s: %#v", name, err)
		}
	}
}

// TestJSONLosesNothing fills every field of a finding and of a read, also those
// that are added after this was written, and reads them back.
func TestJSONLosesNothing(t *testing.T) {
	scope := filled[rule.Scope]()
	want := rule.Report{Version: "v1", Reads: []rule.Read{filled[rule.Read]()}, Findings: []rule.Finding{filled[rule.Finding]()}, Scope: &scope}
	var got document
	d := json.NewDecoder(bytes.NewReader(render(t, "json", &want, Options{})))
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Reads[0], backRead(got.Reads[0])); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.Findings[0], backFinding(t, got.Findings[0])); diff != "" {
		t.Errorf("finding (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.Scope, backScope(t, got.Scope), cmpopts.IgnoreFields(rule.Scope{}, "Span")); diff != "" || *got.Scope.Span != "7ns" {
		t.Errorf("scope, of %s (-want +got):\n%s", *got.Scope.Span, diff)
	}
}

func backScope(t *testing.T, s *scope) *rule.Scope {
	when := func(text *string) time.Time {
		v, err := time.Parse(time.RFC3339, *text)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	b := s.Bases[0]
	return &rule.Scope{AsOf: when(s.AsOf), Pairs: s.Pairs, Bases: []rule.Base{{
		Repo: *b.Repo, Ref: b.Ref, Commit: *b.Commit, Released: when(b.Released), Until: when(b.Until), Why: b.Why,
	}}}
}

// filled gives a value none of whose fields is zero.
func filled[T any]() T {
	var v T
	fill(reflect.ValueOf(&v).Elem(), "x")
	return v
}

func fill(v reflect.Value, name string) {
	switch to := v.Addr().Interface().(type) {
	case *json.RawMessage:
		*to = json.RawMessage(`{"n":12345678901234567890.10}`)
		return
	case *time.Time:
		*to = until
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), v.Type().Field(i).Name)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), name)
	case reflect.String:
		v.SetString(name + " <\u202e&\x1b>")
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint8:
		v.SetUint(1)
	}
}

func backRead(r read) rule.Read {
	return rule.Read{
		Event: r.Event, Direction: r.Direction, Answer: r.Answer, Reason: *r.Reason, Findings: r.Findings,
		Reader: rule.Party{Ref: r.Reader.Ref, Repo: *r.Reader.Repo, Consumer: *r.Reader.Consumer},
		Writer: rule.Party{Ref: r.Writer.Ref, Repo: *r.Writer.Repo, Consumer: *r.Writer.Consumer},
	}
}

func backFinding(t *testing.T, f finding) rule.Finding {
	day, err := time.Parse(time.DateOnly, *f.Waived.Until)
	if err != nil {
		t.Fatal(err)
	}
	var event bytes.Buffer
	if err := json.Compact(&event, f.Witness.Event); err != nil {
		t.Fatal(err)
	}
	return rule.Finding{
		Rule: f.Rule, Severity: f.Severity, Path: f.Path, Message: f.Message, Fix: *f.Fix,
		New: backPos(f.New), Old: backPos(f.Old),
		Witness: &rule.Witness{Event: event.Bytes(), Text: *f.Witness.Text, Bytes: f.Witness.Bytes,
			Mark: *f.Witness.Mark, ReaderSees: *f.Witness.ReaderSees},
		Hits:        []rule.Hit{{Event: f.Hits[0].Event, Direction: *f.Hits[0].Direction, Consumer: *f.Hits[0].Consumer}},
		Fingerprint: f.Fingerprint,
		Waived: &rule.Waiver{Fingerprint: *f.Waived.Fingerprint, Rule: *f.Waived.Rule, At: *f.Waived.At,
			Reason: f.Waived.Reason, Owner: f.Waived.Owner, Until: day, Pos: backPos(f.Waived.Pos)},
	}
}

func backPos(p *position) source.Pos { return source.Pos{File: p.File, Line: p.Line, Column: p.Column} }

func TestJSONKeepsABrokenEvent(t *testing.T) {
	f := fieldLost
	f.Witness = &rule.Witness{Event: []byte(`{"cut`)}
	out := render(t, "json", &rule.Report{Findings: []rule.Finding{f}}, Options{})
	if !json.Valid(out) || !bytes.Contains(out, []byte(`{\"cut`)) {
		t.Errorf("%s", out)
	}
}
