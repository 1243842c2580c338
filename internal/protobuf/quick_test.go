package protobuf

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/source"
)

// afresh forgets what was compiled for other trees: what is the same there would be
// taken from them.
func afresh(t *testing.T) {
	forget := func() {
		compiled.mu.Lock()
		defer compiled.mu.Unlock()
		compiled.files = map[string]compiledFile{}
	}
	forget()
	t.Cleanup(forget)
}

// describedQuickly is what quick alone makes of a file, nil where it leaves it to
// the compiler.
func describedQuickly(l *Loader, file string) protoreflect.FileDescriptor {
	s := l.scopeOf(file)
	if fd, _ := s.compile(file); fd == nil {
		return nil
	}
	c := &compilation{loader: s}
	q := quick{c, newDirect(c)}
	return q.describe(s.nameOf(file))
}

// TestQuickAgrees holds descriptions against the compiler's, on every file of the
// corpora and of a folder that EVCONTRACT_PROTOS names.
func TestQuickAgrees(t *testing.T) {
	files, plain := 0, 0
	for _, dir := range protoFolders(t) {
		all := protoFiles(t, dir)
		files += len(all)
		plain += agreeQuickly(t, openTree(t, dir), all)
	}
	t.Logf("%d of %d files are described quickly", plain, files)
	if files > 0 && plain < files/2 {
		t.Error("too few: most files are plain")
	}
}

// agreeQuickly compares what quick and the compiler make of files. It counts those
// that are not left to the compiler.
func agreeQuickly(t *testing.T, tree *source.Tree, files []string) int {
	t.Helper()
	afresh(t)
	l, quickly := NewLoader(tree, Options{ProtoPaths: []string{"."}, Transient: true}), map[string]protoreflect.FileDescriptor{}
	for _, file := range files {
		if fd := describedQuickly(l, file); fd != nil {
			quickly[file] = fd
		}
	}
	afresh(t)
	l = NewLoader(tree, Options{ProtoPaths: []string{"."}})
	for _, file := range files {
		if got := quickly[file]; got != nil {
			want, problems := l.scopeOf(file).compile(file)
			if want == nil {
				text, _ := tree.ReadFile(file)
				t.Errorf("%s: is described, and the compiler says %s: %s", file, texts(problems), text)
				continue
			}
			sameFile(t, got, want)
		}
	}
	return len(quickly)
}

func sameFile(t *testing.T, got, want protoreflect.FileDescriptor) {
	t.Helper()
	if a, b := described(got), described(want); !proto.Equal(a, b) {
		t.Errorf("is described as\n%s\nwant\n%s", prototext.Format(a), prototext.Format(b))
	}
	if a, b := customOptions(got), customOptions(want); !slices.Equal(a, b) {
		t.Errorf("%s: custom options are\n%q\nwant\n%q", got.Path(), a, b)
	}
}

// customOptions are those of all fields, in bytes.
func customOptions(fd protoreflect.FileDescriptor) []string {
	var all []string
	for _, m := range appendMessages(nil, fd.Messages()) {
		for i := range m.Fields().Len() {
			f := m.Fields().Get(i)
			if bytes := optionBytes(f.Options()); bytes != nil {
				all = append(all, string(f.FullName())+" "+string(bytes))
			}
		}
	}
	return all
}

var placed = regexp.MustCompile(`^\w+\.proto:\d+:\d+: `)

// TestQuickLeavesErrors holds that a file with something wrong is refused where
// files are described quickly, with the same words and places.
func TestQuickLeavesErrors(t *testing.T) {
	const head, options = "syntax = \"proto3\";\npackage p;\n", "import \"quick/options.proto\";\n"
	for name, text := range map[string]string{
		"a syntax error":                 head + "message M { string a 1; }",
		"a syntax error in a service":    head + "message M {}\nservice S { rpc R(M) return (M); }",
		"an unfinished comment":          head + "message M {} /* and",
		"a field without a number":       head + "message M { string a; }",
		"a number twice":                 head + "message M { string a = 1; string b = 1; }",
		"a number out of range":          head + "message M { string a = 19500; }",
		"a reserved number":              head + "message M { reserved 1; string a = 1; }",
		"a reserved name":                head + "message M { reserved \"a\"; string a = 1; }",
		"ranges that overlap":            head + "message M { reserved 1 to 5, 3; }",
		"a name twice":                   head + "message M { string a = 1; int32 a = 2; }",
		"a message twice":                head + "message M {}\nmessage M {}",
		"a value beside its enum":        head + "enum E { M = 0; }\nmessage M {}",
		"one name in JSON":               head + "message M { string a_b = 1; string aB = 2; }",
		"one name of two files":          head + "import \"one.proto\";\nimport \"two.proto\";\nmessage M {}",
		"a name of an imported file":     head + "import \"one.proto\";\nmessage Twice {}",
		"a name that is a package":       "syntax = \"proto3\";\npackage quick;\nimport \"quick/options.proto\";\nmessage test {}",
		"an unknown type":                head + "message M { Unknown a = 1; }",
		"a type that is not imported":    head + "import \"one.proto\";\nmessage M { quick.test.About a = 1; }",
		"an inner name that hides":       head + "import \"quick/options.proto\";\nmessage M { message quick {} quick.test.About a = 1; }",
		"a method's unknown type":        head + "message M {}\nservice S { rpc R(M) returns (N); }",
		"a method's enum":                head + "message M {}\nenum E { A = 0; }\nservice S { rpc R(M) returns (E); }",
		"an import that is not there":    head + "import \"no.proto\";\nmessage M {}",
		"an import twice":                head + "import \"one.proto\";\nimport \"one.proto\";\nmessage M {}",
		"a cycle":                        head + "import \"c.proto\";\nmessage M {}",
		"required in proto3":             head + "message M { required string a = 1; }",
		"no label in proto2":             "message M { string a = 1; }",
		"a default in proto3":            head + "message M { string a = 1 [default = \"x\"]; }",
		"a default of another type":      "message M { optional int32 a = 1 [default = \"x\"]; }",
		"a default that is too large":    "message M { optional int32 a = 1 [default = 4294967296]; }",
		"a default that the enum lacks":  "enum E { A = 0; }\nmessage M { optional E a = 1 [default = B]; }",
		"an enum without zero":           head + "enum E { A = 1; }\nmessage M {}",
		"an enum without values":         head + "enum E {}\nmessage M {}",
		"a number twice in an enum":      head + "enum E { A = 0; B = 0; }\nmessage M {}",
		"an alias that is none":          head + "enum E { option allow_alias = true; A = 0; B = 1; }\nmessage M {}",
		"values alike but for the case":  head + "enum E { E_A = 0; A = 1; }\nmessage M {}",
		"a map with a key of messages":   head + "message M { map<M, string> a = 1; }",
		"a map in a oneof":               head + "message M { oneof o { map<string, M> a = 1; } }",
		"a oneof without fields":         head + "message M { oneof o {} }",
		"a repeated field in a oneof":    head + "message M { oneof o { repeated string a = 1; } }",
		"packed messages":                head + "message M { repeated M a = 1 [packed = true]; }",
		"a packed map":                   head + "message M { map<int32, int32> a = 1 [packed = true]; }",
		"one packed number":              head + "message M { optional int32 a = 1 [packed = true]; }",
		"packed strings":                 head + "message M { repeated string a = 1 [packed = true]; }",
		"packed without a label":         head + "message M { int32 a = 1 [packed = true]; }",
		"packed in a oneof":              head + "message M { oneof o { int32 a = 1 [deprecated = true, packed = true]; } }",
		"an unknown option":              head + "message M { option no_such = true; }",
		"an option twice":                head + "option java_package = \"a\";\noption java_package = \"b\";\nmessage M {}",
		"an option of another type":      head + "message M { string a = 1 [deprecated = 1]; }",
		"an unknown custom option":       head + "message M { string a = 1 [(no.such) = 1]; }",
		"a custom option of another":     head + options + "message M { option (quick.test.rule).text = \"x\"; }",
		"a custom option's type":         head + options + "message M { string a = 1 [(quick.test.rule).text = 5]; }",
		"a custom option's unknown name": head + options + "message M { string a = 1 [(quick.test.rule).no = 5]; }",
		"a custom option's unknown text": head + options + "message M { option (quick.test.about) = { no: 5 }; }",
		"a custom option twice":          head + options + "message M { oneof o { option (quick.test.way) = 1; option (quick.test.way) = 2; string a = 1; } }",
		"two members of one oneof":       head + options + "message M { string a = 1 [(quick.test.rule).x = true, (quick.test.rule).y = true]; }",
		"an unknown enum value":          head + options + "option (quick.test.level) = NONE;\nmessage M {}",
	} {
		files := map[string]string{
			"c.proto": text, "quick/options.proto": quickFiles["quick/options.proto"],
			"one.proto": "syntax = \"proto3\"; package p; message Twice {}", "two.proto": "syntax = \"proto3\"; package p; message Twice {}",
		}
		said := func(transient bool) string {
			afresh(t)
			_, problems := NewLoader(memoryTree(files), Options{ProtoPaths: []string{"."}, Transient: transient}).scopeOf("c.proto").compile("c.proto")
			return texts(problems)
		}
		quickly, want := said(true), said(false)
		if want == "" || quickly != want {
			t.Errorf("%s: says\n%s\nwant\n%s", name, quickly, want)
		}
		if !placed.MatchString(want) && name != "a cycle" {
			t.Errorf("%s: no place: %s", name, want)
		}
	}
}

// TestClashOfFiles: a clash of two files that are compiled at the same time is
// always told in one way.
func TestClashOfFiles(t *testing.T) {
	files := map[string]string{
		"c.proto":   "syntax = \"proto3\"; import \"one.proto\"; import \"two.proto\"; message M {}",
		"one.proto": "syntax = \"proto3\"; package p; message Twice {}", "two.proto": "syntax = \"proto3\"; package p; message Twice {}",
	}
	const want = "two.proto:1:39: symbol \"p.Twice\" already defined at one.proto:1:39: "
	for range 50 {
		afresh(t)
		_, problems := NewLoader(memoryTree(files), Options{ProtoPaths: []string{"."}}).scopeOf("c.proto").compile("c.proto")
		if got := texts(problems); !strings.Contains(got, want) {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
}
