package protobuf

import (
	"math/rand/v2"
	"os"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/evcontract/evcontract/internal/source"
)

// quickFiles have something of everything that quick knows, and of what it leaves.
var quickFiles = map[string]string{
	"a.proto": `syntax = "proto3";
package quick.test.v1;
import "b.proto";
import public "quick/options.proto";
import "google/protobuf/timestamp.proto";
option java_package = "test\\v1" ".more";
option optimize_for = CODE_SIZE;
option (quick.test.level) = HIGH;
message Order {
  option deprecated = true;
  option (quick.test.about) = { text: "an order" numbers: [1, 2] inner { text: 'x' } };
  string id = 1 [(quick.test.rule).text = "a", (quick.test.rule).inner.text = "b", deprecated = true];
  optional int64 at_time = 2 [json_name = "when"];
  repeated Line lines = 3 [(quick.test.tags) = "one", (quick.test.tags) = "two"];
  map<string, quick.test.v1.Line> by_name = 4;
  oneof way { option (quick.test.way) = -5; Part part = 5; .quick.test.v1.Order.Line line = 6; }
  google.protobuf.Timestamp created = 7;
  State state = 8;
  repeated int32 more = 9 [packed = false];
  reserved 20, 30 to 40, 100 to max;
  reserved "old", "older";
  message Line { Part part = 1; map<int32, State> states = 2; enum Kind { KIND_UNSPECIFIED = 0; KIND_A = 1; } Kind kind = 3; }
}
message Line { string id = 1; Order.Line line = 2; }
enum State { option allow_alias = true; STATE_UNSPECIFIED = 0; STATE_ON = 1 [deprecated = true]; STATE_OPEN = 1 [(quick.test.name) = "on"]; reserved -5, 7 to 9; reserved "STATE_OFF"; }
service Orders {
  option (quick.test.host) = "example.com";
  rpc Get(Line) returns (stream Order);
  rpc Put(stream quick.test.v1.Order) returns (Order.Line) { option idempotency_level = IDEMPOTENT; option (quick.test.note).numbers = 3; }
}
`,
	"b.proto": `package quick.test.v1;
import "quick/options.proto";
message Part {
  required string id = 1 [default = "x\ty"];
  optional int32 n = 2 [default = -7, (quick.test.sizes) = 0];
  optional Size size = 3 [default = BIG];
  optional bool on = 4 [default = true];
  repeated Size all = 5 [packed = true];
  map<string, Zero> zeros = 6;
  enum Zero { ZERO = 0; }
  oneof one { string a = 7; Size b = 8; }
  enum Size { SMALL = 3; BIG = 4; }
}
`,
	"quick/options.proto": `syntax = "proto3";
package quick.test;
import "google/protobuf/descriptor.proto";
enum Level { LEVEL_UNSPECIFIED = 0; HIGH = 1; }
message About { string text = 1; repeated int32 numbers = 2; About inner = 3; oneof o { bool x = 4; bool y = 5; } }
extend google.protobuf.FileOptions { Level level = 50000; }
extend google.protobuf.MessageOptions { About about = 50000; }
extend google.protobuf.FieldOptions { About rule = 50000; repeated string tags = 50001; repeated uint32 sizes = 50002; }
extend google.protobuf.OneofOptions { sint32 way = 50000; }
extend google.protobuf.EnumValueOptions { string name = 50000; }
extend google.protobuf.ServiceOptions { string host = 50000; }
extend google.protobuf.MethodOptions { About note = 50000; }
`,
}

func memoryTree(files map[string]string) *source.Tree {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return &source.Tree{Name: "memory", FS: fsys}
}

func TestQuickKnows(t *testing.T) {
	tree := memoryTree(quickFiles)
	if n := agreeQuickly(t, tree, []string{"a.proto", "b.proto", "quick/options.proto"}); n != 2 {
		t.Errorf("%d files are described quickly, want all but the one with extensions", n)
	}
}

// TestQuickMutants changes a word or a sign of files, and holds that what is still
// described is what the compiler describes: nothing that is wrong goes through.
// EVCONTRACT_LONG=1 tries more.
func TestQuickMutants(t *testing.T) {
	times, step := 2, 4
	if os.Getenv("EVCONTRACT_LONG") != "" {
		times, step = 100, 1
	}
	sets := []map[string]string{quickFiles}
	for range 100 / times / step {
		sets = append(sets, quickFiles)
	}
	for i, dir := range protoFolders(t) {
		if i%step == 0 && os.Getenv("EVCONTRACT_PROTOS") != dir {
			sets = append(sets, readFiles(t, dir))
		}
	}
	r, tried, described := rand.New(rand.NewPCG(1, 2)), 0, 0
	for _, files := range sets {
		for name := range files {
			for range times {
				tried++
				if mutantAgrees(t, files, name, mutant(r, files[name])) {
					described++
				}
			}
		}
	}
	t.Logf("%d of %d mutants are described quickly", described, tried)
	if described < tried/20 || described > tried*19/20 {
		t.Error("that says little")
	}
}

func readFiles(t *testing.T, dir string) map[string]string {
	files := map[string]string{}
	for _, name := range protoFiles(t, dir) {
		data, err := os.ReadFile(path.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(data)
	}
	return files
}

// mutant puts a token in the place of another, most often one of its kind, or leaves
// one out, repeats it or exchanges two.
func mutant(r *rand.Rand, text string) string {
	var pieces []string // tokens, with what stands before each
	var kinds []tokenKind
	tokens, end := tokens{data: []byte(text)}, 0
	for tokens.next() != endToken {
		pieces, kinds = append(pieces, text[end:tokens.at]), append(kinds, tokens.kind)
		end = tokens.at
	}
	if len(pieces) == 0 {
		return text
	}
	i, j := r.IntN(len(pieces)), r.IntN(len(pieces))
	odd := []string{"0", " -1", " 19000", " 536870912", " 1.5", " 0x1", ` "\101"`, " string", " map", " optional", ".", " message", " /* x", " {}", " []", ";", " google", " Order", " Part", " x.y", " enum"}
	switch r.IntN(10) {
	case 0:
		pieces[i] = ""
	case 1:
		pieces[i] += pieces[i]
	case 2:
		pieces[i], pieces[j] = pieces[j], pieces[i]
	case 3:
		pieces[i] = odd[r.IntN(len(odd))]
	default:
		for n := 0; n < 20 && (kinds[i] != kinds[j] || isDigit(pieces[i][len(pieces[i])-1]) != isDigit(pieces[j][len(pieces[j])-1])); n++ {
			i, j = r.IntN(len(pieces)), r.IntN(len(pieces))
		}
		pieces[i] = pieces[j]
	}
	return strings.Join(pieces, "")
}

// mutantAgrees compares what quick and the compiler make of a file; it reports
// whether quick makes anything of it.
func mutantAgrees(t *testing.T, files map[string]string, name, text string) bool {
	t.Helper()
	changed := map[string]string{}
	for n, same := range files {
		changed[n] = same
	}
	changed[name] = text
	tree := memoryTree(changed)
	return agreeQuickly(t, tree, []string{name}) > 0
}

// FuzzQuick does the same for any text.
func FuzzQuick(f *testing.F) {
	for name := range quickFiles {
		f.Add(quickFiles[name])
	}
	f.Fuzz(func(t *testing.T, text string) {
		files := map[string]string{"c.proto": text, "b.proto": quickFiles["b.proto"], "quick/options.proto": quickFiles["quick/options.proto"]}
		agreeQuickly(t, memoryTree(files), []string{"c.proto"})
	})
}
