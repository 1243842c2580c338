package protobuf

import (
	"strings"
	"testing"
)

const shared = `
-- a.proto --
syntax = "proto3";
package cache.test;
import "b.proto";
message A { B b = 1; }
-- b.proto --
syntax = "proto3";
package cache.test;
import "google/protobuf/timestamp.proto";
message B { google.protobuf.Timestamp at = 1; }
-- c.proto --
syntax = "proto3";
package cache.test;
import "google/protobuf/timestamp.proto";
import "b.proto";
message C { B b = 1; google.protobuf.Timestamp at = 2; }
`

func TestUnchangedFilesAreShared(t *testing.T) {
	one := mustLoad(t, shared, "a.proto#A")
	two := mustLoad(t, shared, "a.proto#A")
	if one.Descriptor() != two.Descriptor() {
		t.Error("the same closure was compiled twice")
	}
	changed := mustLoad(t, strings.Replace(shared, "B b = 1; }\n-- b", "B b = 2; }\n-- b", 1), "a.proto#A")
	if one.Descriptor() == changed.Descriptor() {
		t.Error("a changed file was not compiled")
	}
	if one.Descriptor().Fields().Get(0).Message() != changed.Descriptor().Fields().Get(0).Message() {
		t.Error("an unchanged import was compiled twice")
	}
	below := mustLoad(t, strings.Replace(shared, "at = 1", "at = 3", 1), "a.proto#A")
	if one.Descriptor() == below.Descriptor() || one.Digest() == below.Digest() {
		t.Error("a change of an import was not seen")
	}
	if mustLoad(t, shared, "c.proto#C").Descriptor().Fields().Get(1).Message() != one.Descriptor().Fields().Get(0).Message().Fields().Get(0).Message() {
		t.Error("a well-known type was compiled twice")
	}
}

func TestOneNameInTwoDirectories(t *testing.T) {
	tree := treeOf(t, `
-- a/x.proto --
syntax = "proto3";
import "y.proto";
message X { Y y = 1; }
-- a/y.proto --
syntax = "proto3";
message Y { int32 a = 1; }
-- b/x.proto --
syntax = "proto3";
import "y.proto";
message X { Y y = 1; }
-- b/y.proto --
syntax = "proto3";
message Y { int32 b = 1; }
`)
	l := NewLoader(tree, Options{ProtoPaths: []string{"."}})
	for dir, want := range map[string]string{"a": "y.a", "b": "y.b"} {
		s, problems := l.Load(dir + "/x.proto")
		if s == nil {
			t.Fatal(texts(problems))
		}
		fields := s.Fields()
		if got := fields[len(fields)-1].Path.String(); got != want {
			t.Errorf("%s: got %s, want %s", dir, got, want)
		}
		if got := s.Files()[1]; got != dir+"/y.proto" {
			t.Errorf("%s imports %s", dir, got)
		}
	}
}

// TestOneWellKnownType holds that a well-known type is one, whether a file imports
// it or what it imports does.
func TestOneWellKnownType(t *testing.T) {
	tree := treeOf(t, `
-- a.proto --
syntax = "proto3";
import "google/protobuf/any.proto";
message A { google.protobuf.Any any = 1; }
-- b.proto --
syntax = "proto3";
import "google/protobuf/any.proto";
import "a.proto";
message B { google.protobuf.Any any = 1; A a = 2; }
-- c.proto --
syntax = "proto3";
import "b.proto";
import "a.proto";
import "google/protobuf/any.proto";
message C { google.protobuf.Any any = 1; A a = 2; B b = 3; }
`)
	for _, order := range []string{"a b c", "c b a", "b c a", "a c b"} {
		l := NewLoader(tree, Options{ProtoPaths: []string{"."}, Transient: true})
		for file := range strings.FieldsSeq(order) {
			s, problems := l.Load(file + ".proto")
			if s == nil {
				t.Fatalf("%s: %s: %s", order, file, texts(problems))
			}
			if fields := s.Descriptor().Fields(); fields.Len() == 3 && fields.Get(0).Message() != fields.Get(2).Message().Fields().Get(0).Message() {
				t.Errorf("%s: %s has two of one well-known type", order, file)
			}
		}
	}
}
