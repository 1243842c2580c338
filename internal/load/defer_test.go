package load_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/load"
)

// readChanged reads the events that are not the same in both sets, and lists
// those of the first that could be read.
func readChanged(next, prev *contract.Set) string {
	same := map[string]bool{}
	for _, e := range prev.Events {
		same[e.Content] = e.Content != ""
	}
	var all []string
	for _, e := range next.Events {
		if same[e.Content] {
			continue
		}
		if e.Read(); e.Schema != nil {
			all = append(all, e.Name.Value.String())
		}
		e.Release()
		if e.Deferred != nil && e.Schema != nil {
			all = append(all, "kept")
		}
	}
	return strings.Join(all, " ")
}

func TestDefer(t *testing.T) {
	manifest := func(name string) string {
		return "event: " + name + ".v1\nschema: " + strings.ToLower(name) + ".proto#" + name + "\n"
	}
	message := func(name, field string) string {
		return "syntax = \"proto3\";\nimport \"shared.proto\";\nmessage " + name + " { Shared s = 1; " + field + " }\n"
	}
	base := map[string]string{
		"evcontract.yaml": "contracts: c\n",
		"c/a.event.yaml":  manifest("A"), "c/a.proto": message("A", ""),
		"c/b.event.yaml": manifest("B"), "c/b.proto": message("B", ""),
		"c/shared.proto": "syntax = \"proto3\"; message Shared { string x = 1; }\n",
	}
	bare := map[string]string{"a.proto": message("A", ""), "b.proto": message("B", ""), "shared.proto": base["c/shared.proto"]}
	for _, tt := range []struct {
		name   string
		base   map[string]string
		change map[string]string
		want   string // the new set's events that were read
		says   string // the first thing that could not be read
	}{
		{"nothing", base, nil, "", ""},
		{"a schema", base, map[string]string{"c/b.proto": message("B", "int32 n = 2;")}, "B.v1", ""},
		{"what both import", base, map[string]string{"c/shared.proto": "syntax = \"proto3\"; message Shared { string y = 1; }\n"}, "A.v1 B.v1", ""},
		{"a manifest", base, map[string]string{"c/a.event.yaml": manifest("A") + "owner: team\n"}, "A.v1", ""},
		{"an event more", base, map[string]string{"c/d.event.yaml": manifest("D"), "c/d.proto": message("D", "")}, "D.v1", ""},
		{"a broken schema", base, map[string]string{"c/b.proto": message("B", "int32 n = ;")}, "", "syntax error"},
		{"an import that is gone", base, map[string]string{"c/b.proto": "syntax = \"proto3\"; import \"gone.proto\"; message B {}"}, "", "gone.proto"},
		{"a bare file", bare, map[string]string{"b.proto": message("B", "int32 n = 2;")}, "B", ""},
		{"a bare broken file", bare, map[string]string{"b.proto": message("B", "int32 n = ;")}, "", "syntax error"},
	} {
		files := maps.Clone(tt.base)
		maps.Copy(files, tt.change)
		prev, next := set(t, tt.base, "", load.Options{Defer: true}), set(t, files, "", load.Options{Defer: true})
		if got := readChanged(next, prev); got != tt.want {
			t.Errorf("%s: read %q, want %q; %v", tt.name, got, tt.want, next.Findings)
		}
		switch {
		case tt.says == "" && len(next.Findings) > 0:
			t.Errorf("%s: %v", tt.name, next.Findings)
		case tt.says != "" && (len(next.Findings) != 1 || !strings.Contains(next.Findings[0].Message, tt.says)):
			t.Errorf("%s: want one finding that says %q: %v", tt.name, tt.says, next.Findings)
		}
	}
}
