package protobuf

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestOutline(t *testing.T) {
	for _, c := range []struct{ source, imports, messages string }{
		{"", "", ""},
		{`syntax = "proto3"; package a.b; import "x.proto"; import public 'y/z.proto'; message M { message N {} }`, "x.proto y/z.proto", "a.b.M"},
		{"// import \"no.proto\";\n/* message No {} */ message Yes {} ; message Also { option deprecated = true; }", "", "Yes Also"},
		{`option (o) = { a: "}" b <c: 1> }; message M { string s = 1 [default = "message No {"]; }`, "", "M"},
		{`import /* "no.proto"; */ "yes.proto"; package p; message M {}`, "yes.proto", "p.M"},
		{`enum E { A = 0; } service S { rpc R(M) returns (M) { option x = {}; } } message M {}`, "", "M"},
		{`extend M { optional string message = 100; } message M { extensions 100 to max; }`, "", "M"},
		{"package a . b ;message M{}", "", "a.b.M"},
		{`edition = "2024"; export message M {} local message N {}`, "", "M N"},
		{`import "a" "b.proto";`, "odd", ""},
		{`import "\x61.proto";`, "odd", ""},
		{`extend M { optional group G = 100 {} }`, "odd", ""},
		{`message M { string s = 1;`, "odd", "M"},
		{`message M { option x = "unfinished; }`, "odd", "M"},
		{`message M {} /* unfinished`, "odd", "M"},
		{`message M {} /*/`, "odd", "M"},
		{`message M {} /**/ /***/`, "", "M"},
		{`package a.b message M {}`, "odd", ""},
	} {
		o := outlineOf([]byte(c.source))
		imports := strings.Join(o.imports, " ")
		if o.odd {
			imports = "odd"
		}
		if imports != c.imports || imports != "odd" && strings.Join(o.messages, " ") != c.messages {
			t.Errorf("%s: imports %q, messages %q", c.source, imports, o.messages)
		}
	}
}

// TestOutlineAgrees holds outlines against the compiler, on every file of the
// corpora and of a folder that EVCONTRACT_PROTOS names.
func TestOutlineAgrees(t *testing.T) {
	n := 0
	for _, dir := range protoFolders(t) {
		l := NewLoader(openTree(t, dir), Options{ProtoPaths: []string{"."}})
		for _, file := range protoFiles(t, dir) {
			s := l.scopeOf(file)
			fd, _ := s.compile(file)
			if fd == nil {
				continue
			}
			n++
			o := l.look(file)
			var imports []string
			for i := range fd.Imports().Len() {
				imports = append(imports, fd.Imports().Get(i).Path())
			}
			if o.odd || !slices.Equal(o.imports, imports) || !slices.Equal(o.messages, topLevel(fd)) {
				t.Errorf("%s/%s: odd %t, imports %q, want %q; messages %q, want %q", dir, file, o.odd, o.imports, imports, o.messages, topLevel(fd))
			}
		}
	}
	t.Logf("%d files", n)
}

// protoFolders are trees of .proto files to try things on.
func protoFolders(t *testing.T) []string {
	corpora := os.Getenv("EVCONTRACT_CORPORA")
	if corpora == "" {
		corpora = filepath.Join("..", "..", "..", "shared", "corpora")
	}
	dirs, _ := filepath.Glob(filepath.Join(corpora, "proto", "*", "*", "*"))
	if more := os.Getenv("EVCONTRACT_PROTOS"); more != "" {
		dirs = append(dirs, more)
	}
	dirs = slices.DeleteFunc(dirs, func(dir string) bool {
		info, err := os.Stat(dir)
		return err != nil || !info.IsDir()
	})
	if len(dirs) == 0 {
		t.Skip("no corpora: set EVCONTRACT_CORPORA to where they are")
	}
	return dirs
}

func protoFiles(t *testing.T, dir string) []string {
	var files []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(file string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(file, ".proto") {
			files = append(files, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestContent holds what counts for the content of a closure.
func TestContent(t *testing.T) {
	content := func(archive string) string {
		return NewLoader(treeOf(t, archive), Options{ProtoPaths: []string{"."}}).Content("a.proto#A")
	}
	base := content(shared)
	for name, other := range map[string]string{
		"a comment":                   strings.Replace(shared, "message A", "// words\nmessage A", 1),
		"an option for a language":    strings.Replace(shared, "message A", "option java_package = \"x\"; message A", 1),
		"a service":                   strings.Replace(shared, "message A", "service S { rpc R(A) returns (A); } message A", 1),
		"an import that is not meant": strings.Replace(shared, "import \"b.proto\";", "import \"b.proto\"; import \"c.proto\";", 1),
		"where something stands":      strings.Replace(shared, "B b = 1; }", "B b =\n 1; }", 1),
	} {
		if got := content(other); got != base {
			t.Errorf("%s changes the content", name)
		}
	}
	if base == "" || content(shared) != base {
		t.Fatal("a closure has no content of its own")
	}
	for name, other := range map[string]string{
		"an import changed":        strings.Replace(shared, "at = 1", "at = 3", 1),
		"a field":                  strings.Replace(shared, "B b = 1", "B b = 2", 1),
		"an option of a field":     strings.Replace(shared, "B b = 1", "B b = 1 [deprecated = true]", 1),
		"a feature of the file":    strings.Replace(shared, "message A", "option features.field_presence = IMPLICIT; message A", 1),
		"the syntax":               strings.Replace(shared, "proto3", "proto2", 1),
		"a well-known type is own": shared + "-- google/protobuf/timestamp.proto --\nsyntax = \"proto3\"; package google.protobuf; message Timestamp {}\n",
	} {
		if got := content(other); got == "" || got == base {
			t.Errorf("%s: %q", name, got)
		}
	}
	for name, broken := range map[string]string{
		"an import is missing": strings.Replace(shared, `import "b.proto"`, `import "gone.proto"`, 1),
		"a cycle":              strings.Replace(shared, `import "google/protobuf/timestamp.proto"`, `import "a.proto"`, 1),
	} {
		if got := content(broken); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestContentOfAny holds that whatever an Any may carry counts.
func TestContentOfAny(t *testing.T) {
	const archive = `
-- a.proto --
syntax = "proto3";
import "google/protobuf/any.proto";
import "b.proto";
message A { google.protobuf.Any any = 1; }
-- b.proto --
syntax = "proto3";
message B { int32 x = 1; }
`
	content := func(archive string) string {
		return NewLoader(treeOf(t, archive), Options{ProtoPaths: []string{"."}}).Content("a.proto#A")
	}
	if a := content(archive); a == "" || a == content(strings.Replace(archive, "x = 1", "x = 2", 1)) {
		t.Error("what an Any may carry does not count")
	}
}
