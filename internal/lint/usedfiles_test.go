package lint

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/evcontract/evcontract/internal/protobuf"
	"github.com/evcontract/evcontract/internal/source"
)

// TestUsedFiles holds which files are used, also where options stand in bytes
// only, as the compiler of edition 2024 leaves them.
func TestUsedFiles(t *testing.T) {
	const options = `syntax = "proto2"; package o;
import "google/protobuf/descriptor.proto"; import "deep.proto";
extend google.protobuf.FieldOptions { optional string tag = 50001; optional d.Deep deep = 50002; }
extend google.protobuf.MessageOptions { repeated d.Deep many = 50003; }
`
	const deep = `syntax = "proto2"; package d; message Deep { optional string a = 1; optional Deep next = 2; extensions 100 to 200; }`
	const deeper = `syntax = "proto2"; package e; import "deep.proto"; extend d.Deep { optional string b = 100; }`
	for _, edition := range []string{"2023", "2024"} {
		for _, c := range []struct{ body, want string }{
			{`message M { string s = 1; }`, ""},
			{`message M { string s = 1 [(o.tag) = "x"]; }`, "options.proto"},
			{`message M { string s = 1 [(o.deep).a = "x"]; }`, "options.proto"},
			{`message M { string s = 1 [(o.deep).(e.b) = "x"]; }`, "deeper.proto options.proto"},
			{`message M { string s = 1 [(o.deep) = {next: {[e.b]: "x"}}]; }`, "deeper.proto options.proto"},
			{`message M { option (o.many) = {[e.b]: "x"}; }`, "deeper.proto options.proto"},
			{`message M { d.Deep d = 1; string s = 2 [(o.tag) = "x"]; }`, "deep.proto options.proto"},
		} {
			dir := t.TempDir()
			for name, text := range map[string]string{
				"options.proto": options, "deep.proto": deep, "deeper.proto": deeper,
				"m.proto": fmt.Sprintf("edition = %q; import \"options.proto\"; import \"deep.proto\"; import \"deeper.proto\"; %s", edition, c.body),
			} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			tree, err := source.Open(context.Background(), dir, source.Options{PathOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			s, problems := protobuf.NewLoader(tree, protobuf.Options{ProtoPaths: []string{"."}}).Load("m.proto#M")
			if s == nil {
				t.Fatalf("%s: %v", c.body, problems)
			}
			used, sure := usedFiles(s.Descriptor().ParentFile(), s.Types())
			delete(used, "m.proto")
			if got := strings.Join(slices.Sorted(maps.Keys(used)), " "); got != c.want || !sure {
				t.Errorf("%s, %s: uses %q, sure %t, want %q", edition, c.body, got, sure, c.want)
			}
			tree.Close()
		}
	}
}
