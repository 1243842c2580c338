package event

import (
	"bytes"
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	for text, want := range map[Duration]time.Duration{
		"PT5M": 5 * time.Minute, "P1DT2H3M4S": 26*time.Hour + 3*time.Minute + 4*time.Second, "P2W": 14 * 24 * time.Hour,
		"PT0S": 0, "P0Y": 0, "P0Y0M1D": 24 * time.Hour, "PT9223372036S": 9223372036 * time.Second,
		"P1Y": -1, "P1M": -1, "PT9223372037S": -1, "PT99999999999999999999S": -1, "P106751DT24H": -1,
		"": -1, "P": -1, "PT": -1, "5m": -1, "PT5": -1, "P1W2D": -1, "PT1.5S": -1, "P1DT": -1,
	} {
		got, ok := text.Fixed()
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
}

// FuzzDuration: what is no duration to a contract has no length, and nothing
// makes it panic.
func FuzzDuration(f *testing.F) {
	for _, seed := range []string{"PT5M", "P1Y", "P", "PT", "P2W", "P1DT2H"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if d, ok := Duration(text).Fixed(); ok && (!isDuration(text) || d < 0) {
			t.Errorf("%q is %v", text, d)
		}
	})
}

func TestTexts(t *testing.T) {
	id := [16]byte{1, 2, 15: 255}
	if got := NewUUID(id); got != "01020000-0000-0000-0000-0000000000ff" {
		t.Error(got)
	}
	if got, err := UUID("01020000-0000-0000-0000-0000000000FF").Bytes(); got != id || err != nil {
		t.Error(got, err)
	}
	if got, err := UUID("x").Bytes(); got != [16]byte{} || err == nil {
		t.Error(got, err)
	}
	data := []byte{0, 255, 254, 7}
	if got, err := NewBase64(data).Bytes(); !bytes.Equal(got, data) || err != nil {
		t.Error(got, err)
	}
	if _, err := Base64("*").Bytes(); err == nil {
		t.Error("no base64 is read")
	}
	if u, err := URI("https://example.com/a?b=c").Parse(); err != nil || u.Host != "example.com" {
		t.Error(u, err)
	}
}
