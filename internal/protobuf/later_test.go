package protobuf

import (
	"context"
	"os"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/evcontract/evcontract/internal/source"
)

// TestLaterAgrees compiles files of real trees with both compilers: what the
// first one describes, the second describes alike. EVCONTRACT_LONG=1 takes all.
func TestLaterAgrees(t *testing.T) {
	step, same := 10, 0
	if os.Getenv("EVCONTRACT_LONG") != "" {
		step = 1
	}
	for i, dir := range protoFolders(t) {
		if i%step != 0 {
			continue
		}
		tree, err := source.Open(context.Background(), dir, source.Options{PathOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range protoFiles(t, dir) {
			if agrees(t, tree, file) {
				same++
			}
		}
		tree.Close()
	}
	t.Logf("%d files alike", same)
	if same == 0 {
		t.Error("no file was compiled")
	}
}

// agrees compares what both compilers make of a file. It is false where the first
// one refuses the file.
func agrees(t *testing.T, tree *source.Tree, file string) bool {
	t.Helper()
	classic := &compilation{loader: NewLoader(tree, Options{ProtoPaths: []string{"."}}).scopeOf(file)}
	name := classic.loader.nameOf(file)
	fd, _ := classic.classic(name)
	if fd == nil {
		return false
	}
	want, err := classic.loader.convert(fd)
	if err != nil {
		return false
	}
	second := &compilation{loader: NewLoader(tree, Options{ProtoPaths: []string{"."}}).scopeOf(file)}
	got, err := second.compileLater(newLater(), name)
	if got == nil {
		t.Errorf("%s/%s: %v %s", tree.Ref, file, err, texts(sorted(second.problems)))
		return true
	}
	a, b := described(got), described(want)
	if !proto.Equal(a, b) {
		t.Errorf("%s/%s: the second compiler describes it as\n%s\nthe first one as\n%s", tree.Ref, file, prototext.Format(a), prototext.Format(b))
	}
	return true
}

func described(fd protoreflect.FileDescriptor) proto.Message {
	return readOptions([]*descriptorpb.FileDescriptorProto{protodesc.ToFileDescriptorProto(fd)})[0]
}

const later2024 = `
-- opt.proto --
edition = "2024";
package t.v1;
import "google/protobuf/descriptor.proto";
extend google.protobuf.FieldOptions { string my = 50001; }
-- a.proto --
edition = "2024";
package t.v1;
import "google/protobuf/timestamp.proto";
import "shared.proto";
import option "opt.proto";
option features.utf8_validation = NONE;
// Order is an order.
message Order {
  // Its id.
  string id = 1 [(my) = "x"];
  google.protobuf.Timestamp at = 2;
  int32 n = 3 [features.field_presence = IMPLICIT];
  local enum State { STATE_UNSPECIFIED = 0; STATE_A = 1; }
  State s = 4;
  reserved 9, 10 to 12;
  reserved foo;
  map<string, Order> m = 5;
  Hidden h = 6 [features.message_encoding = DELIMITED];
  Shared shared = 7;
}
local message Hidden { int32 a = 1; }
-- shared.proto --
syntax = "proto3";
package t.v1;
message Shared { optional string x = 1; }
-- sharp.proto --
edition = "2023";
import "google/protobuf/c_sharp_features.proto";
message Sharp { string x = 1; }
-- old.proto --
syntax = "proto3";
package t.v1;
import "a.proto";
message Wraps { Order order = 1; }
`

// TestLater holds that a file of edition 2024 is what the same file of edition
// 2023 is, with its places and comments.
func TestLater(t *testing.T) {
	earlier := strings.NewReplacer("2024", "2023", "local ", "", "import option", "import").Replace(later2024)
	for _, ref := range []string{"a.proto#Order", "a.proto#Hidden", "sharp.proto#Sharp", "old.proto#Wraps", "shared.proto#Shared"} {
		if mustLoad(t, later2024, ref).Digest() != mustLoad(t, earlier, ref).Digest() {
			t.Errorf("%s has another digest in edition 2024", ref)
		}
	}
	s := mustLoad(t, later2024, "a.proto#Order")
	id := s.Descriptor().Fields().ByName("id")
	if got := s.PosOf(id).String(); got != "a.proto:10:10" {
		t.Errorf("id is at %s", got)
	}
	if got := s.DocOf(s.Descriptor()) + s.DocOf(id); got != "Order is an order.Its id." {
		t.Errorf("comments %q", got)
	}
	if checksUTF8(id) || string(optionBytes(id.Options())) != "\x8a\xb5\x18\x01x" {
		t.Errorf("the features and options of id are lost: %v", id.Options())
	}
	if got := strings.Join(s.Files(), " "); got != "a.proto shared.proto opt.proto" {
		t.Errorf("files %s", got)
	}
	if protos := s.FileProtos(); protos[len(protos)-1].SourceCodeInfo == nil {
		t.Error("no source info")
	}
}

// TestLaterIsSpared holds that only closures with a file of edition 2024 meet the
// second compiler.
func TestLaterIsSpared(t *testing.T) {
	archive := strings.ReplaceAll(later2024, "t.v1", "spared.v1") // not in the cache
	l := NewLoader(treeOf(t, archive+"-- bad.proto --\nsyntax = \"proto3\";\nmessage M { Gone g = 1; }\n"), Options{ProtoPaths: []string{"."}})
	if s, _ := l.Load("shared.proto"); s == nil || l.later != nil {
		t.Error("proto3 was compiled by the second compiler")
	}
	if s, _ := l.Load("bad.proto"); s != nil || l.later != nil {
		t.Error("wrong proto3 was compiled by the second compiler")
	}
	if s, _ := l.Load("old.proto"); s == nil || l.later == nil {
		t.Error("the second compiler was not asked")
	}
}

func TestLaterErrors(t *testing.T) {
	const archive = `
-- bad.proto --
edition = "2024";
import "nowhere.proto";
message A { string y = 1; }
-- bad2.proto --
edition = "2024";
import option 'nowhere.proto';
message A { string y = 1; }
-- types.proto --
edition = "2024";
message A { Missing x = 1; Gone y = 2; }
-- twice.proto --
edition = "2024";
message A { string y = 2; int32 z = 2; }
enum E { ONE = 1; }
-- syntax.proto --
edition = "2024";
message A { string é; }
-- cycle1.proto --
edition = "2024";
import "cycle2.proto";
-- cycle2.proto --
edition = "2024";
import "cycle1.proto";
-- import.proto --
syntax = "proto3";
import "twice.proto";
message B { A x = 1; }
-- local.proto --
edition = "2024";
local message H { string x = 1; }
-- uselocal.proto --
edition = "2024";
import "local.proto";
message A { H h = 1; }
-- style.proto --
edition = "2024";
message A { string fooBar = 1; }
-- deeper.proto --
edition = "2024";
import "deep.proto";
-- deeper2.proto --
edition = "2024";
import "deep.proto";
-- escape.proto --
edition = "2024";
import "../x.proto";
-- empty.proto --
edition = "2024";
-- optional.proto --
edition = "2024";
message A { optional int32 b = 2; }
-- reserved.proto --
edition = "2024";
message A { reserved 1; reserved x; string x = 1; }
-- option.proto --
edition = "2024";
message A { string y = 2 [(your) = "b"]; }
-- future.proto --
edition = "2025";
message A { string x = 1; }
-- late.proto --
edition = "2023";
export message A { string x = 1; }
-- deep.proto --
syntax = "proto3"; // { [ " '
`
	l := NewLoader(treeOf(t, archive+strings.Repeat("message M {", 600)), Options{ProtoPaths: []string{"."}})
	for ref, wants := range map[string][]string{
		"bad.proto":      {`bad.proto:2:8: the import "nowhere.proto" is not there: it was looked for in .; correct the import`},
		"bad2.proto":     {`bad2.proto:2:15: the import "nowhere.proto" is not there`},
		"types.proto":    {"types.proto:2:13: cannot find `Missing` in this scope: import the file", "types.proto:2:28: cannot find `Gone`"},
		"twice.proto":    {"twice.proto:2:37: field number `2` used more than once: give", "twice.proto:3:16: first value of open enum must be zero: let the enum begin"},
		"syntax.proto":   {"syntax.proto:2:20: non-ASCII"},
		"cycle1.proto":   {"cycle2.proto:2:8: detected cyclic import", "move what both files need"},
		"import.proto":   {"twice.proto:2:37: "},
		"uselocal.proto": {"uselocal.proto:3:13: found unexported message type `H`: put export before"},
		"style.proto":    {"style.proto:2:20: field name should be snake_case"},
		"deeper.proto":   {"deeper.proto:2:8: the import \"deep.proto\" cannot be read: deep.proto: line 2: more than 512 brackets"},
		"deeper2.proto":  {"deeper2.proto:2:8: the import \"deep.proto\" cannot be read: deep.proto: line 2: more than 512 brackets"},
		"escape.proto":   {"escape.proto:2:8: import path must not refer to parent directory"},
		"empty.proto":    {"declares no message"},
		"optional.proto": {"optional.proto:2:13: unexpected `optional`"},
		"reserved.proto": {"reserved.proto:2:44: use of reserved message field name", "reserved.proto:2:48: use of reserved field number"},
		"option.proto":   {"option.proto:2:28: cannot find `your` in this scope"},
		"future.proto":   {"future.proto:1:11: edition value \"2025\"", "write the file in edition 2024"},
		"late.proto":     {"late.proto:2:1: export keyword is only allowed in edition 2024"},
	} {
		s, errs := l.Load(ref)
		for _, want := range wants {
			if s != nil || !strings.Contains(texts(errs), want) {
				t.Errorf("%s: got %s, want %s", ref, texts(errs), want)
			}
		}
	}
}
