package compat

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/evcontract/evcontract/internal/contract"
)

// TestEditionsProtobuf holds that an answer does not depend on the edition: every
// kind read as every other, and random pairs, are judged in edition 2024 as in
// 2023, which another compiler compiles.
func TestEditionsProtobuf(t *testing.T) {
	var kinds []string
	for _, k := range strings.Fields(strings.SplitN(strings.TrimSpace(binaryMatrix), "\n", 2)[0])[1:] {
		kinds = append(kinds, ofKind(k))
	}
	old, now := protoEvents(t, "M", kinds...), protoEvents(t, "M", in2024(kinds)...)
	for w := range kinds {
		for r := range kinds {
			for _, e := range []contract.Encoding{contract.Protobuf, contract.JSON} {
				as := Assumptions{Encoding: e}
				sameAnswers(t, kinds[w]+kinds[r], Question{Reader: old[r], Writer: old[w], As: as}, Question{Reader: now[r], Writer: now[w], As: as})
			}
		}
	}
	for seed := range int64(10) {
		g := &protoGen{Rand: rand.New(rand.NewSource(seed))}
		a, b := g.pair()
		old, now := protoEvents(t, "t.M", a, b), protoEvents(t, "t.M", in2024([]string{a, b})...)
		mixed := []*contract.Event{old[0], now[1]}
		for _, as := range propertyKinds() {
			sameAnswers(t, a+b, Question{Reader: old[0], Writer: old[1], As: as}, Question{Reader: now[0], Writer: now[1], As: as})
			sameAnswers(t, a+b, Question{Reader: old[1], Writer: old[0], As: as}, Question{Reader: mixed[1], Writer: mixed[0], As: as})
		}
	}
}

// in2024 writes files of edition 2023 in edition 2024.
func in2024(sources []string) []string {
	later := make([]string, len(sources))
	for i, text := range sources {
		later[i] = strings.Replace(text, `edition = "2023";`, `edition = "2024"; option features.default_symbol_visibility = EXPORT_ALL; option features.enforce_naming_style = STYLE_LEGACY;`, 1)
	}
	return later
}

func sameAnswers(t *testing.T, sources string, a, b Question) {
	t.Helper()
	if x, y := fmt.Sprintln(breakLines(readProtobuf(a))), fmt.Sprintln(breakLines(readProtobuf(b))); x != y {
		t.Errorf("%+v: in edition 2023\n%s\nin 2024\n%s\n%s", a.As, x, y, sources)
	}
}
