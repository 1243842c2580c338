package main

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/evcontract/evcontract/delivery/deliverytest"
)

// TestDrillPrints: a broken invariant is named, with how to see it again, and
// fails the command.
func TestDrillPrints(t *testing.T) {
	var out strings.Builder
	p := drillPrinter{out: &out, flags: &drillFlags{format: "text", kills: 6, every: 4, seed: 42}}
	for _, r := range []deliverytest.Result{
		{Drill: "fine", Must: "nothing happens", Seed: 42, Evidence: []deliverytest.Evidence{{What: "cases", Shows: "a 1; b 2"}, {What: strings.Repeat("long words ", 20), Shows: "1"}}},
		{Drill: "elsewhere", Seed: 42, Skipped: "no disk"},
		{Drill: "bad", Seed: 42, Broken: []deliverytest.Violation{{Invariant: "I3", Detail: "key k has two effects"}}, Err: errors.New("not at rest")},
	} {
		if err := p.result(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.end(); !errors.Is(err, errFindings) {
		t.Errorf("ended with %v", err)
	}
	for _, want := range []string{
		"✓  fine\n", "–  elsewhere\n", "skipped   no disk", "✗  bad\n", "broken    I3: key k has two effects", "broken    not at rest",
		"--only 'bad' --seed 42 --kills 6", "1 drill held every invariant, 1 cannot be staged here, 1 BROKEN; seed 42",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("not printed: %s", want)
		}
	}
	for line := range strings.Lines(out.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if t.Failed() {
		t.Log("\n" + out.String())
	}
}

func TestInSchema(t *testing.T) {
	for source, want := range map[string]string{
		"postgres://u:p@h/db?sslmode=disable&search_path=public": "postgres://u:p@h/db?application_name=s&lock_timeout=500&search_path=s&sslmode=disable",
		"postgres://u:p%2@h/db":                                  "",
	} {
		got, err := inSchema(source, "s")
		if got != want || (err == nil) != (want != "") || err != nil && strings.Contains(err.Error(), "p%2") {
			t.Errorf("%s: %s, %v", source, got, err)
		}
	}
}
