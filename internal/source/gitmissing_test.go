package source

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"main", "origin/next", "v1.3.0", "v1.3.2", "v1.3.10-rc.1", "v1.4.0", "release-2.0"}
	for word, want := range map[string]string{
		"maim":       "main",
		"next":       "origin/next",
		"v1.3":       "v1.3.10-rc.1", // the newest of what it may mean
		"1.4":        "v1.4.0",
		"1.4.0":      "v1.4.0",
		"v2.0":       "release-2.0",
		"v1.5.0":     "", // another version is no slip
		"v1.3.2.1":   "",
		"completely": "",
	} {
		if got := nearest(word, names); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}
