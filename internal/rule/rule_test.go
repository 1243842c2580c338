package rule

import (
	"testing"
	"time"
)

func TestWaive(t *testing.T) {
	day := func(s string) time.Time {
		d, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	full := Waiver{Rule: "field-lost", At: "OrderPaid.v1/coupon", Reason: "never filled", Owner: "team-orders", Until: day("2027-01-31")}
	lost := Finding{Rule: "field-lost", Severity: Error, Path: "OrderPaid.v1/coupon", Fingerprint: "f1"}
	tests := []struct {
		name   string
		waiver func(w *Waiver)
		now    string
		want   bool
	}{
		{"by place", func(*Waiver) {}, "2027-01-01", true},
		{"on its last day", func(*Waiver) {}, "2027-01-31", true},
		{"a day later", func(*Waiver) {}, "2027-02-01", false},
		{"by fingerprint", func(w *Waiver) { w.Rule, w.At, w.Fingerprint = "", "", "f1" }, "2027-01-01", true},
		{"by another fingerprint", func(w *Waiver) { w.Fingerprint = "f2" }, "2027-01-01", false},
		{"another place", func(w *Waiver) { w.At = "OrderPaid.v1" }, "2027-01-01", false},
		{"names nothing", func(w *Waiver) { w.Rule, w.At = "", "" }, "2027-01-01", false},
		{"without a reason", func(w *Waiver) { w.Reason = "" }, "2027-01-01", false},
		{"without an owner", func(w *Waiver) { w.Owner = "" }, "2027-01-01", false},
		{"without an end", func(w *Waiver) { w.Until = time.Time{} }, "2027-01-01", false},
	}
	for _, tt := range tests {
		w := full
		tt.waiver(&w)
		r := Report{Findings: []Finding{lost}}
		unmatched := r.Waive([]Waiver{w}, day(tt.now).Add(23*time.Hour))
		if holds := w.holds(day(tt.now)); (len(unmatched) == 1) != (holds && !tt.want) {
			t.Errorf("%s: %d waivers that hold accept nothing", tt.name, len(unmatched))
		}
		if got := r.Findings[0].Waived != nil; got != tt.want {
			t.Errorf("%s: waived = %v, want %v", tt.name, got, tt.want)
		}
		if got, want := r.Verdict(), map[bool]Verdict{true: Compatible, false: Breaking}[tt.want]; got != want {
			t.Errorf("%s: verdict = %s, want %s", tt.name, got, want)
		}
	}
}

func TestVerdict(t *testing.T) {
	unknown, broken := Finding{Rule: UndecidedRule, Severity: Error}, Finding{Rule: "type-refused", Severity: Error}
	warned := Finding{Rule: "enum-unnamed", Severity: Warning}
	for want, findings := range map[Verdict][]Finding{
		Compatible: {warned},
		Undecided:  {warned, unknown},
		Breaking:   {unknown, broken},
	} {
		if got := (&Report{Findings: findings}).Verdict(); got != want {
			t.Errorf("verdict of %v = %s, want %s", findings, got, want)
		}
	}
}

func TestFingerprint(t *testing.T) {
	if Fingerprint("a", "bc") == Fingerprint("ab", "c") {
		t.Error("two different findings have one fingerprint")
	}
	if f := Fingerprint("a", "b", "c"); len(f) != 16 || f != Fingerprint("a", "b", "c") {
		t.Errorf("fingerprint %q: want 16 stable digits", f)
	}
}
