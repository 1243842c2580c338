package contain

import (
	"bytes"
	"testing"
)

func TestGenerate(t *testing.T) {
	s := mustCompile(t, Draft2020, `{"type":"object","properties":{
		"order_id":{"type":"string","pattern":"^o-[0-9]{3}$"},"lines":{"type":"array","minItems":1,"items":{"type":"object",
			"properties":{"sku":{"type":"string"},"count":{"type":"integer","minimum":1}},"required":["sku"]}},
		"currency":{"enum":["EUR","USD"]},"note":{"type":"string","maxLength":3}},"required":["order_id","lines"]}`)
	samples := Generate(s, 1, 8)
	valid, invalid := 0, 0
	for _, x := range samples {
		err := s.Validate(x.Instance)
		if (err == nil) != (x.Refusal == nil) {
			t.Errorf("%s: %v", x.Instance, err)
		}
		if err == nil {
			valid++
		} else {
			invalid++
		}
	}
	if valid < 5 || invalid < 8 {
		t.Errorf("%d valid, %d invalid", valid, invalid)
	}
	again := Generate(s, 1, 8)
	for i := range samples {
		if !bytes.Equal(samples[i].Instance, again[i].Instance) {
			t.Errorf("sample %d differs with the same seed", i)
		}
	}
}
