package codegen

import (
	"testing"

	engine "github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/evcontract/evcontract/event"
)

// TestFormats holds what generated code asserts against the validator.
func TestFormats(t *testing.T) {
	texts := []string{
		"", "a", "2026-11-29", "2026-02-30", "2026-11-29T12:00:00Z", "2026-11-29t12:00:00.123456789012z", "1998-12-31T23:59:60Z",
		"1998-12-31T23:58:60Z", "1999-01-01T00:59:60+01:00", "2026-11-29T12:00:00", "12:00:00Z", "12:00:00+25:00", "12:00:00+01:00", "23:59:60Z",
		"P3D", "P1Y2M3DT4H5M6S", "PT5M", "P2W", "P2W1D", "P", "PT", "P1D2Y", "PT1D", "P1", "1D", "P1YT",
		"a@b.example", "a@[127.0.0.1]", "a@[IPv6:::1]", "a@[1]", "a b@c.d", `"a b"@c.d`, "@b", "a@", "a@-b.c", "a@b_c.d", "ä@b.c",
		"example.com", "-a.b", "a-.b", "a..b", "a.b.", "b_c", "1.2.3.4", "01.2.3.4", "1.2.3", "256.1.1.1", "::1", "1::", "::ffff:1.2.3.4", "fe80::1%eth0", ":::",
		"http://a/b?c#d", "urn:x:y", "//a/b", "a/b", "http://[::1]/", "http://::1/", "http://a b/", `a\b`, "%zz", "http://[x]/",
		"018f3c9a-0000-8000-8000-000000000000", "018F3C9A-0000-8000-8000-00000000000A", "018f3c9a000080008000000000000000", "{018f3c9a-0000-8000-8000-000000000000}",
	}
	for format, checkable := range formats {
		if !checkable {
			continue
		}
		for _, text := range texts {
			got, known := event.HasFormat(text, format)
			if want := engine.Formats[format](text); !known || got != want {
				t.Errorf("%q as %s: %t, the validator says %t", text, format, got, want)
			}
		}
	}
}
