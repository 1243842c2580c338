package main

import "testing"

func TestSelectedHasAllItIsComparedWith(t *testing.T) {
	all := []scenario{
		{name: "bare"},
		{name: "queued", against: "bare"},
		{name: "peer", against: "bare"},
		{name: "other"},
		{name: "queued, against peer", against: "peer", same: "queued"},
	}
	got := map[string]bool{}
	for _, s := range selected(all, "against peer") {
		got[s.name] = true
	}
	for _, name := range []string{"bare", "queued", "peer", "queued, against peer"} {
		if !got[name] {
			t.Errorf("%s is not measured", name)
		}
	}
	if got["other"] {
		t.Error("other is measured and nothing is compared with it")
	}
}
