package lint

import (
	"bytes"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// TestWorkedExample holds that the project's own contracts are beyond reproach.
func TestWorkedExample(t *testing.T) {
	set := open(t, filepath.Join("..", ".."))
	if len(set.Events) == 0 {
		t.Fatal("no contracts")
	}
	if findings := append(set.Findings, Check(set, today)...); len(findings) > 0 {
		t.Error(text(t, findings))
	}
}

// TestSettings: a workspace turns rules off and changes how bad they are.
func TestSettings(t *testing.T) {
	a := archiveOf(ByID("owner-missing").Example)
	for settings, want := range map[string][]rule.Severity{
		"": {rule.Error, rule.Error},
		"lint: {severity: {owner-missing: warning}}\n": {rule.Warning, rule.Warning},
		"lint: {disable: [owner-missing]}\n":           nil,
	} {
		files := map[string][]byte{}
		for name, data := range a.wrong {
			files[name] = data
		}
		files["evcontract.yaml"] = append([]byte(settings), a.wrong["evcontract.yaml"]...)
		var got []rule.Severity
		for _, f := range lint(t, files) {
			got = append(got, f.Severity)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", settings, got, want)
		}
	}
}

// TestBare: what no manifest declares owes no manifest, only a sound schema.
func TestBare(t *testing.T) {
	findings := lint(t, map[string][]byte{"paid.schema.json": []byte(`{"type": "object", "properties": {"amount": {"type": "number"}}}`)})
	var rules []string
	for _, f := range findings {
		rules = append(rules, f.Rule)
	}
	if !slices.Equal(rules, []string{"draft-missing", "number-money"}) {
		t.Errorf("%v", rules)
	}
}

// TestSharedSchema: one place is one finding, however many events reach it.
func TestSharedSchema(t *testing.T) {
	a := archiveOf(ByID("number-money").Example)
	files := map[string][]byte{}
	for name, data := range a.wrong {
		files[name] = data
	}
	event := files["contracts/order_paid.v1.event.yaml"]
	files["contracts/again.event.yaml"] = bytes.ReplaceAll(event, []byte("OrderPaid"), []byte("OrderPaidAgain"))
	findings := lint(t, files)
	if len(findings) != 1 || len(findings[0].Hits) != 2 {
		t.Errorf("%+v", findings)
	}
}

// TestBrokenManifests leaves out one line after the other: whatever is missing,
// the rest is judged and nothing panics.
func TestBrokenManifests(t *testing.T) {
	for _, id := range []string{"order-effects", "waiver-expired", "event-retired", "enum-alias"} {
		files := archiveOf(ByID(id).Example).wrong
		for name, data := range files {
			lines := strings.SplitAfter(string(data), "\n")
			for i := range lines {
				broken := map[string][]byte{}
				for other, data := range files {
					broken[other] = data
				}
				broken[name] = []byte(strings.Join(slices.Delete(slices.Clone(lines), i, i+1), ""))
				lint(t, broken)
			}
		}
	}
}

// TestEmptySet: a set that was made by hand may lack nearly everything.
func TestEmptySet(t *testing.T) {
	set := &contract.Set{
		Workspace: &contract.Workspace{Waivers: []contract.Waiver{{}}},
		Events:    []*contract.Event{{Manifest: &contract.Manifest{}}, {Manifest: &contract.Manifest{Deprecated: &contract.Deprecation{}}}, {Manifest: &contract.Manifest{}, Synthetic: true}},
		Consumers: []*contract.Consumer{{}, {Reads: make([]contract.Reading, 2)}},
	}
	for _, f := range Check(set, time.Time{}) {
		if f.Rule == "" || f.Message == "" || f.Fix == "" || f.Fingerprint == "" {
			t.Errorf("%+v", f)
		}
	}
}

// TestProtobufOptional: Protobuf cannot demand a message, so only what its author
// chose to be optional is held against an identity.
func TestProtobufOptional(t *testing.T) {
	a := archiveOf(ByID("enum-alias").Example)
	for change, want := range map[string]string{
		"string payment_id = 4;":                    "",
		"optional string payment_id = 4;":           "identity-field-optional",
		"oneof paid { string payment_id = 4; }":     "identity-field-optional",
		"repeated string payment_id = 4;":           "key-type",
		"double payment_id = 4;":                    "key-type",
		"google.protobuf.Timestamp payment_id = 4;": "idempotency-key-clock",
	} {
		files := map[string][]byte{}
		for name, data := range a.fixed {
			files[name] = bytes.Replace(data, []byte("string payment_id = 4;"), []byte(change), 1)
		}
		findings := lint(t, files)
		if got := text(t, findings); (want == "") != (len(findings) == 0) || !strings.Contains(got, want) {
			t.Errorf("%s: want %s, got\n%s", change, want, got)
		}
	}
}

// TestExamplesInYAML: what an example is written in makes no difference.
func TestExamplesInYAML(t *testing.T) {
	a := archiveOf(ByID("example-refused").Example)
	files := map[string][]byte{}
	for name, data := range a.wrong {
		files[strings.Replace(name, "paid.json", "paid.yaml", 1)] = bytes.ReplaceAll(data, []byte("/*.json"), []byte("/*"))
	}
	files["contracts/examples/broken.yml"] = []byte("a: [")
	var rules []string
	for _, f := range lint(t, files) {
		rules = append(rules, f.Rule)
	}
	if !slices.Equal(rules, []string{"example-refused", "example-refused"}) {
		t.Error(rules)
	}
}

func TestRetryTotal(t *testing.T) {
	retry := func(attempts int, initial, most time.Duration, jitter float64) contract.Retry {
		return contract.Retry{
			Attempts: source.At[int]{Value: attempts}, Jitter: source.At[float64]{Value: jitter},
			Initial: source.At[contract.Duration]{Value: contract.Duration(initial)}, Max: source.At[contract.Duration]{Value: contract.Duration(most)},
		}
	}
	for _, c := range []struct {
		retry contract.Retry
		want  time.Duration
	}{
		{retry(0, time.Second, time.Minute, 0), 0},
		{retry(1, time.Second, time.Minute, 0), 0},
		{retry(4, time.Second, time.Minute, 0), 7 * time.Second},   // 1 + 2 + 4
		{retry(5, time.Second, 3*time.Second, 0), 9 * time.Second}, // 1 + 2 + 3 + 3
		{retry(4, time.Second, time.Minute, 0.5), 10500 * time.Millisecond},
		{retry(3, time.Hour, time.Minute, 0), 2 * time.Minute}, // the maximum holds from the first pause
		{retry(math.MaxInt, time.Second, time.Hour, 1), longest},
	} {
		if got := retryTotal(c.retry); got != c.want {
			t.Errorf("%+v: %v, want %v", c.retry, got, c.want)
		}
	}
}

func TestRefusedName(t *testing.T) {
	for locator, refused := range map[string]bool{
		"ce:id": false, "ce:time": false, "ce:aggregateversion": false, "ce:subject": false,
		"ce:Event": true, "ce:aggregate-version": true, "ce:type": true, "ce:data": true, "ce:averyveryverylongname": true,
		"header:Order-Version": false, "header:x_y.z": false,
		"header:ce_id": true, "header:CE-id": true, "header:cloudEvents:id": true, "header:two words": true, "header:ü": true,
		"order_id": false,
	} {
		var l contract.Locator
		if err := l.UnmarshalText([]byte(locator)); err != nil {
			t.Fatal(err)
		}
		if got := refusedName(l) != ""; got != refused {
			t.Errorf("%s: refused %v (%s)", locator, got, refusedName(l))
		}
	}
}

func TestMoneyName(t *testing.T) {
	for name, money := range map[string]bool{
		"amount": true, "totalPrice": true, "total_price": true, "price": true, "balances": true, "priceNet": true, "vat": true, "fee_eur": true,
		"amount_of_items": false, "tax_rate": false, "feedback": false, "subtotals": true, "weight": false, "priority": false, "payment_id": false,
	} {
		if got := moneyName.MatchString(snake(name)); got != money {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// BenchmarkCheck lints a thousand events that are already loaded.
func BenchmarkCheck(b *testing.B) {
	a := archiveOf(ByID("number-money").Example)
	files := map[string][]byte{"evcontract.yaml": a.wrong["evcontract.yaml"]}
	for i := range 1000 {
		n := strings.Repeat("x", i%10) + string(rune('A'+i/10%26)) + string(rune('A'+i/260))
		for name, data := range a.wrong {
			if name != "evcontract.yaml" {
				files[strings.ReplaceAll(name, "order_paid", n)] = bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("order_paid"), []byte(n)), []byte("OrderPaid"), []byte("Order"+n))
			}
		}
	}
	set := open(b, written(b, files))
	for b.Loop() {
		Check(set, today)
	}
}

func TestPatternDialect(t *testing.T) {
	for pattern, wanted := range map[string]bool{
		`^[a-z]+$`: false, `^\d{3}\.\d$`: false, `\(\?=`: false, `(?:ab)+`: false, `(?<year>[0-9]{4})`: false, `\p{L}+`: false, `a\\1`: false, `\++`: false, `[*+]+`: false,
		`^(?=a)`: true, `(?!x)y`: true, `(?<!a)b`: true, `(a)\1`: true, `(?<q>a)\k<q>`: true, `\Aa\z`: true, `(?i)abc`: true, `(?P<x>a)`: true, `(?>a)`: true,
		`[[:alpha:]]`: true, `a*+`: true,
	} {
		if then := foreignIn(pattern); (then != "") != wanted {
			t.Errorf("%s: %q", pattern, then)
		}
	}
}
