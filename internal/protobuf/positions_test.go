package protobuf

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// TestPositionsAgree holds the quick positions against those of the parser, for
// all that the corpora declare, and the folder that EVCONTRACT_PROTOS names.
func TestPositionsAgree(t *testing.T) {
	same, parsed := 0, 0
	for _, dir := range append(protoFolders(t), "testdata/positions") {
		l := NewLoader(openTree(t, dir), Options{ProtoPaths: []string{"."}})
		for _, file := range protoFiles(t, dir) {
			s := l.scopeOf(file)
			fd, problems := s.compile(file)
			if fd == nil {
				if dir == "testdata/positions" {
					t.Error(problems)
				}
				continue
			}
			data, err := l.tree.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found := positionsOf(data)
			eachDeclared(fd, func(d protoreflect.Descriptor) {
				at, ok := found.of(d)
				if !ok {
					parsed++
					if m, is := d.Parent().(protoreflect.MessageDescriptor); dir == "testdata/positions" && !(is && m.IsMapEntry()) {
						t.Errorf("%s: %s is not found", file, d.FullName())
					}
					return
				}
				same++
				// Of a group's message the parser gives the beginning, here is its name.
				if want := s.place(d).pos; posAt(file, data, at) != want && (!isGroup(d) || want.Line != posAt(file, data, at).Line) {
					t.Errorf("%s: %s is at %s, want %s", dir, d.FullName(), posAt(file, data, at), want)
				}
			})
			delete(s.places, fd.Path())
		}
	}
	t.Logf("%d places agree, %d are left to the parser", same, parsed)
	if parsed*100 > same {
		t.Error("too many are left to the parser")
	}
}

func isGroup(d protoreflect.Descriptor) bool {
	in, ok := d.Parent().(protoreflect.MessageDescriptor)
	if !ok {
		return false
	}
	f := in.Fields().ByName(protoreflect.Name(strings.ToLower(string(d.Name()))))
	return f != nil && f.Message() == d
}

// eachDeclared calls do for all that a file declares, but for map entries.
func eachDeclared(in declarations, do func(protoreflect.Descriptor)) {
	for i := range in.Messages().Len() {
		m := in.Messages().Get(i)
		if m.IsMapEntry() {
			continue
		}
		do(m)
		for j := range m.Fields().Len() {
			do(m.Fields().Get(j))
		}
		for j := range m.Oneofs().Len() {
			if !m.Oneofs().Get(j).IsSynthetic() {
				do(m.Oneofs().Get(j))
			}
		}
		eachDeclared(m, do)
	}
	for i := range in.Enums().Len() {
		e := in.Enums().Get(i)
		do(e)
		for j := range e.Values().Len() {
			do(e.Values().Get(j))
		}
	}
	for i := range in.Extensions().Len() {
		do(in.Extensions().Get(i))
	}
}
