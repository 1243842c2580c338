package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/evcontract/evcontract/internal/compat/rollout"
	"github.com/evcontract/evcontract/internal/rule"
)

// rolloutStory is a rollout of two services; the pairs that bad names do not hold.
func rolloutStory(t *testing.T, orders, loyalty rollout.Service, bad map[rollout.Pair]rollout.Answer) *Rollout {
	t.Helper()
	read := func(p rollout.Pair) rollout.Answer {
		switch a, known := bad[p]; {
		case known:
			return a
		case p.Reader.Service == "loyalty" && p.Writer.Service == orders.Name:
			return rollout.Holds
		}
		return rollout.Nothing
	}
	plan, err := rollout.Solve(rollout.Problem{Services: []rollout.Service{orders, loyalty}, Read: read})
	if err != nil {
		t.Fatal(err)
	}
	r := &Rollout{
		Version: "v1.2.3", Environment: "prod", Target: "v2", AsOf: until, Rollback: 72 * time.Hour, Plan: plan,
		Findings: map[rollout.Pair][]rule.Finding{}, Reads: map[rollout.Pair][]string{}, Notes: []string{"any time: audit"},
	}
	for p := range bad {
		r.Findings[p] = []rule.Finding{fieldLost}
	}
	for _, m := range plan.Meetings {
		r.Reads[m.Pair] = []string{"OrderPaid.v1"}
	}
	for _, s := range []rollout.Service{orders, loyalty} {
		told := RolloutService{Name: s.Name, Owner: "team-" + s.Name, Keeps: s.Keeps, SLO: []RolloutSLO{{"OrderPaid.v1", time.Minute, time.Second / 4, 0.01}}}
		contract := []RolloutContract{{"OrderPaid.v1", "0123456789abcdef"}}
		for _, v := range s.Sent {
			told.Revisions = append(told.Revisions, RolloutRevision{Ref: v.Revision, Commit: "aaaa", Role: WasSent, Left: v.Left, Sends: contract})
		}
		for _, v := range s.Now {
			told.Revisions = append(told.Revisions, RolloutRevision{Ref: v, Commit: "bbbb", Role: RunsNoMore, Sends: contract, ReadsFrom: contract})
		}
		for _, v := range s.Via {
			told.Revisions = append(told.Revisions, RolloutRevision{Ref: v, Role: OnTheWay})
		}
		for _, v := range s.To {
			told.Revisions = append(told.Revisions, RolloutRevision{Ref: v, Role: RunsThen, Sends: contract, ReadsFrom: contract})
		}
		r.Services = append(r.Services, told)
	}
	return r
}

func meets(reader, writer, writerRevision string) rollout.Pair {
	return rollout.Pair{Reader: rollout.Party{Service: "loyalty", Revision: reader}, Writer: rollout.Party{Service: writer, Revision: writerRevision}}
}

// rolloutStories are plans of every kind.
func rolloutStories(t *testing.T) map[string]*Rollout {
	const keeps = 37 * 24 * time.Hour
	orders := rollout.Service{Name: "orders", Now: []string{"v1"}, To: []string{"v2"}, Keeps: keeps, Sent: []rollout.Sent{{Revision: "v0", Left: 30 * time.Hour}}}
	loyalty := rollout.Service{Name: "loyalty", Now: []string{"v1"}, To: []string{"v2"}, Keeps: keeps}
	stays := loyalty
	stays.To = nil
	through := orders
	through.Via, through.To = []string{"v1.5"}, []string{"v2"}
	hostile := orders
	hostile.Name = "or|ders<script>\x1b[31m\u202e"
	return map[string]*Rollout{
		"safe":      rolloutStory(t, orders, loyalty, map[rollout.Pair]rollout.Answer{meets("v1", "orders", "v2"): rollout.Refuted}),
		"wait":      rolloutStory(t, orders, loyalty, map[rollout.Pair]rollout.Answer{meets("v2", "orders", "v1"): rollout.Unknown, meets("v1", "orders", "v0"): rollout.Refuted}),
		"blocked":   rolloutStory(t, orders, stays, map[rollout.Pair]rollout.Answer{meets("v1", "orders", "v2"): rollout.Refuted}),
		"undecided": rolloutStory(t, orders, loyalty, map[rollout.Pair]rollout.Answer{meets("v2", "orders", "v2"): rollout.Unknown}),
		"circle": rolloutStory(t, orders, loyalty, map[rollout.Pair]rollout.Answer{
			meets("v1", "orders", "v2"): rollout.Refuted, meets("v2", "orders", "v1"): rollout.Refuted}),
		"through": rolloutStory(t, through, loyalty, map[rollout.Pair]rollout.Answer{
			meets("v1", "orders", "v2"): rollout.Refuted, meets("v2", "orders", "v1"): rollout.Refuted}),
		"waived":  waivedStory(rolloutStory(t, orders, loyalty, map[rollout.Pair]rollout.Answer{meets("v1", "orders", "v2"): rollout.Holds})),
		"hostile": rolloutStory(t, hostile, stays, map[rollout.Pair]rollout.Answer{meets("v1", hostile.Name, "v2"): rollout.Refuted}),
	}
}

// waivedStory lets a waiver accept what speaks against the pairs of a story.
func waivedStory(r *Rollout) *Rollout {
	for p := range r.Findings {
		r.Findings[p] = []rule.Finding{waivedOne}
	}
	return r
}

// rolloutForms are the formats of a plan, and its change record.
func rolloutForms() map[string]func(io.Writer, *Rollout, Options) error {
	all := map[string]func(io.Writer, *Rollout, Options) error{
		"record": RolloutRecord{Command: "evcontract rollout --env prod --to v2 --as-of 2027-01-31", Again: "evcontract rollout --env prod --to v2", File: "environments/prod.yaml", Observe: 30 * time.Minute}.Write,
	}
	for name, f := range RolloutFormats {
		all[name] = f
	}
	return all
}

// TestRolloutGolden compares every plan in every format with what it looked like
// when somebody last looked. UPDATE=1 writes it anew.
func TestRolloutGolden(t *testing.T) {
	for name, r := range rolloutStories(t) {
		for form, write := range rolloutForms() {
			var b bytes.Buffer
			if err := write(&b, r, Options{}); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", "rollout", name+"."+form)
			if os.Getenv("UPDATE") != "" {
				if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, b.Bytes(), 0o644)); err != nil {
					t.Fatal(err)
				}
				continue
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(b.Bytes(), want) {
				t.Errorf("%s:\n%s", file, b.String())
			}
		}
	}
}

// TestRolloutSchema holds the JSON to its published schema, every field described.
func TestRolloutSchema(t *testing.T) {
	var document any
	if err := json.Unmarshal(RolloutSchema(), &document); err != nil {
		t.Fatal(err)
	}
	closeObjects(document)
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	s := jsonschema.MustCompileString("rollout.schema.json", string(text))
	for name, r := range rolloutStories(t) {
		var b bytes.Buffer
		if err := RolloutJSON(&b, r, Options{}); err != nil {
			t.Fatal(err)
		}
		var got any
		if err := json.Unmarshal(b.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(got); err != nil {
			t.Errorf("%s: %#v", name, err)
		}
	}
}

// TestRolloutHostile shows that no name of others steers a terminal, a page or a
// picture.
func TestRolloutHostile(t *testing.T) {
	r := rolloutStories(t)["hostile"]
	for form, write := range rolloutForms() {
		var b bytes.Buffer
		if err := write(&b, r, Options{}); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(b.String(), "\x1b\u202e") || form != "text" && form != "json" && strings.Contains(b.String(), "<script>") {
			t.Errorf("%s lets it through:\n%s", form, b.String())
		}
	}
}

// TestRolloutSVG reads every picture as XML and looks for what makes it
// accessible.
func TestRolloutSVG(t *testing.T) {
	for name, r := range rolloutStories(t) {
		var b bytes.Buffer
		if err := RolloutSVG(&b, r, Options{}); err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(bytes.NewReader(b.Bytes()))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		for _, part := range []string{`role="img"`, "<title id=", "<desc id=", "prefers-color-scheme: dark"} {
			if !strings.Contains(b.String(), part) {
				t.Errorf("%s has no %s", name, part)
			}
		}
	}
}

func TestBeginsAs(t *testing.T) {
	earlier := [][]string{{"a"}, {"a", "b"}, {"a", "b", "c"}, {"a", "b", "c", "d"}, {"x", "b", "c"}}
	for _, c := range []struct {
		way  string
		want int
	}{{"a b c d e", 3}, {"a b c e", 2}, {"a b c", 2}, {"a b", -1}, {"x b c", 4}, {"", -1}, {"b c d e", -1}} {
		if got := beginsAs(earlier, strings.Fields(c.way)); got != c.want {
			t.Errorf("%s: %d, want %d", c.way, got, c.want)
		}
	}
}
