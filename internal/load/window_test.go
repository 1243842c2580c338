package load

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// TestWindow holds the rule to dates: a tag is in the window if it is the
// newest, or its successor is younger than the span.
func TestWindow(t *testing.T) {
	releases := map[string]string{
		"v1.0": "2026-01-01T00:00:00Z", "v1.1": "2026-03-01T00:00:00Z", "v1.2": "2026-10-01T00:00:00Z",
		"v1.3": "2026-10-20T12:00:00Z", "v1.4": "2026-11-20T00:00:00Z",
	}
	for _, c := range []struct {
		name string
		now  string
		span time.Duration
		want string
	}{
		{"before the first release", "2025-12-31T23:59:59Z", 37 * day, ""},
		{"on the first release", "2026-01-01T00:00:00Z", 37 * day, "v1.0"},
		{"the newest, however old", "2026-09-30T00:00:00Z", 37 * day, "v1.1"},
		{"a successor of today keeps the one before", "2026-10-01T00:00:00Z", 37 * day, "v1.1 v1.2"},
		{"retention 7d and quarantine 30d", "2026-11-25T00:00:00Z", 37 * day, "v1.2 v1.3 v1.4"},
		{"a second before the successor is as old as the span", "2026-11-26T11:59:59Z", 37 * day, "v1.2 v1.3 v1.4"},
		{"as old as the span is no longer younger", "2026-11-26T12:00:00Z", 37 * day, "v1.3 v1.4"},
		{"no span", "2026-11-25T00:00:00Z", 0, "v1.4"},
		{"a span longer than the history", "2026-11-25T00:00:00Z", 4000 * day, "v1.0 v1.1 v1.2 v1.3 v1.4"},
		{"releases of the future are not known", "2026-10-20T00:00:00Z", 20 * day, "v1.1 v1.2"},
	} {
		var tags []source.Tag
		for _, name := range []string{"v1.0", "v1.1", "v1.2", "v1.3", "v1.4"} {
			tags = append(tags, source.Tag{Name: name, Date: at(t, releases[name])})
		}
		var got []string
		for _, r := range window(tags, c.span, at(t, c.now)) {
			got = append(got, r.Name)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: at %s the window is %v, want %s", c.name, c.now, got, c.want)
		}
	}
}

func TestWindowTellsSuccessors(t *testing.T) {
	tags := []source.Tag{{Name: "a", Date: at(t, "2026-11-01T00:00:00Z")}, {Name: "b", Date: at(t, "2026-11-02T00:00:00Z")}}
	in := window(tags, 30*day, at(t, "2026-11-03T00:00:00Z"))
	if len(in) != 2 || !in[0].Until.Equal(tags[1].Date) || !in[1].Until.IsZero() {
		t.Errorf("window: %v", in)
	}
}

func TestSpan(t *testing.T) {
	set := func(retention, keep, rollback int, own ...int) *contract.Set {
		s := &contract.Set{Workspace: &contract.Workspace{}}
		s.Workspace.Window.Retention.Value, s.Workspace.Window.Rollback.Value = days(retention), days(rollback)
		s.Workspace.Defaults.Quarantine.Keep.Value = days(keep)
		for _, k := range own {
			c := &contract.Consumer{}
			c.Quarantine.Keep.Value = days(k)
			s.Consumers = append(s.Consumers, c)
		}
		return s
	}
	got := []time.Duration{Span(set(7, 30, 3)), Span(set(1, 1, 3)), Span(set(7, 30, 3, 10, 90))}
	if want := []time.Duration{37 * day, 3 * day, 97 * day}; !slices.Equal(got, want) {
		t.Errorf("spans %v, want %v", got, want)
	}
	// another repository's topics keep longer, or shorter, and it is rolled back further
	ours, long, short, back := set(7, 30, 3), set(90, 1, 1).Workspace, set(1, 365, 1).Workspace, set(1, 1, 50).Workspace
	got = []time.Duration{Span(ours, long), Span(ours, short), Span(ours, back), Rollback(ours, back), Rollback(ours, short)}
	if want := []time.Duration{120 * day, 37 * day, 50 * day, 50 * day, 3 * day}; !slices.Equal(got, want) {
		t.Errorf("spans with another repository %v, want %v", got, want)
	}
}

const day = 24 * time.Hour

func at(t *testing.T, text string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
