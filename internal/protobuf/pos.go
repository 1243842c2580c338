package protobuf

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/bufbuild/protocompile/ast"
	"github.com/bufbuild/protocompile/parser"
	"github.com/bufbuild/protocompile/reporter"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/evcontract/evcontract/internal/source"
)

// posAt is the place of a byte of a file.
func posAt(file string, data []byte, offset int) source.Pos {
	offset = min(max(offset, 0), len(data))
	before := data[:offset]
	start := bytes.LastIndexByte(before, '\n') + 1
	return source.Pos{
		File:   file,
		Line:   bytes.Count(before, []byte("\n")) + 1,
		Column: utf8.RuneCount(before[start:]) + 1,
	}
}

// place is where something was declared, and the comment above it.
type place struct {
	pos source.Pos
	doc string
}

// places are those of one file, parsed again when the first is asked for.
type places struct {
	data   []byte
	result parser.Result // nil where the file cannot be parsed again
}

// placesOf parses a file for its places. The loader is locked.
func (l *scope) placesOf(name string) *places {
	if p := l.places[name]; p != nil {
		return p
	}
	p := &places{}
	l.places[name] = p
	file, ok := l.files[name]
	if !ok {
		return p
	}
	data, err := l.tree.ReadFile(file)
	if err != nil {
		return p
	}
	silent := reporter.NewHandler(reporter.NewReporter(func(reporter.ErrorWithPos) error { return nil }, nil))
	tree, _ := parser.Parse(name, io.Reader(bytes.NewReader(data)), silent)
	if tree == nil {
		return p
	}
	p.data = data
	p.result, _ = parser.ResultFromAST(tree, false, silent)
	return p
}

// posOf finds where a descriptor was declared, without parsing the file where
// that is possible.
func (l *scope) posOf(d protoreflect.Descriptor) source.Pos {
	l.mu.Lock()
	file, ok := l.files[d.ParentFile().Path()]
	l.mu.Unlock()
	if ok {
		x := l.loader.indexOf(file)
		if at, found := x.positions.of(d); found {
			return posAt(file, x.data, at)
		}
	}
	return l.place(d).pos
}

// indexed is a file whose positions were wanted.
type indexed struct {
	data      []byte
	positions positions
}

// maxIndexed is how many are kept: enough for the places of one finding, and of
// the next in the same files.
const maxIndexed = 16

func (l *Loader) indexOf(file string) *indexed {
	l.mu.Lock()
	defer l.mu.Unlock()
	if x := l.indexed[file]; x != nil {
		return x
	}
	x := &indexed{}
	if data, err := l.textLocked(file); err == nil {
		x.data, x.positions = data, positionsOf(data)
	}
	if len(l.indexed) >= maxIndexed {
		clear(l.indexed)
	}
	l.indexed[file] = x
	return x
}

// place finds where a descriptor was declared, and its comment; only the file
// where that cannot be told.
func (l *scope) place(d protoreflect.Descriptor) place {
	l.mu.Lock()
	defer l.mu.Unlock()
	name := d.ParentFile().Path()
	whole := place{pos: source.Pos{File: l.fileOf(name)}}
	p := l.placesOf(name)
	if p.result == nil {
		return whole
	}
	node := p.node(d)
	if node == nil {
		return whole
	}
	info := p.result.AST().NodeInfo(nameNode(node))
	return place{posAt(whole.pos.File, p.data, info.Start().Offset), comment(p.result.AST().NodeInfo(node))}
}

// node finds the declaration by the way of indices down from the file.
func (p *places) node(d protoreflect.Descriptor) ast.Node {
	if _, ok := d.(protoreflect.FileDescriptor); ok {
		return p.result.FileNode()
	}
	m := p.proto(d)
	if m == nil {
		return nil
	}
	return p.result.Node(m)
}

// proto is the unlinked description of what d describes.
func (p *places) proto(d protoreflect.Descriptor) proto.Message {
	parent := d.Parent()
	if file, ok := parent.(protoreflect.FileDescriptor); ok && file != nil {
		fd := p.result.FileDescriptorProto()
		return child(d, fd.MessageType, fd.EnumType, fd.Extension, nil, nil)
	}
	switch up := p.proto(parent).(type) {
	case *descriptorpb.DescriptorProto:
		fields := up.Field
		if f, ok := d.(protoreflect.FieldDescriptor); ok && f.IsExtension() {
			fields = up.Extension
		}
		return child(d, up.NestedType, up.EnumType, fields, up.OneofDecl, nil)
	case *descriptorpb.EnumDescriptorProto:
		return child(d, nil, nil, nil, nil, up.Value)
	}
	return nil
}

func child(d protoreflect.Descriptor, messages []*descriptorpb.DescriptorProto, enums []*descriptorpb.EnumDescriptorProto,
	fields []*descriptorpb.FieldDescriptorProto, oneofs []*descriptorpb.OneofDescriptorProto, values []*descriptorpb.EnumValueDescriptorProto,
) proto.Message {
	switch d.(type) {
	case protoreflect.MessageDescriptor:
		return at(messages, d.Index())
	case protoreflect.EnumDescriptor:
		return at(enums, d.Index())
	case protoreflect.FieldDescriptor:
		return at(fields, d.Index())
	case protoreflect.OneofDescriptor:
		return at(oneofs, d.Index())
	case protoreflect.EnumValueDescriptor:
		return at(values, d.Index())
	}
	return nil
}

func at[T proto.Message](list []T, i int) proto.Message {
	if i < 0 || i >= len(list) {
		return nil
	}
	return list[i]
}

// nameNode is the name within a declaration, which is where a person looks.
func nameNode(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.FieldNode:
		return n.Name
	case *ast.MapFieldNode:
		return n.Name
	case *ast.GroupNode:
		return n.Name
	case *ast.MessageNode:
		return n.Name
	case *ast.EnumNode:
		return n.Name
	case *ast.EnumValueNode:
		return n.Name
	case *ast.OneofNode:
		return n.Name
	}
	return n
}

// comment is the text of the comment above a declaration, or behind it.
func comment(info ast.NodeInfo) string {
	comments := info.LeadingComments()
	if comments.Len() == 0 {
		comments = info.TrailingComments()
	}
	var lines []string
	for i := range comments.Len() {
		lines = append(lines, commentLines(comments.Index(i).RawText())...)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

func commentLines(raw string) []string {
	if text, ok := strings.CutPrefix(raw, "//"); ok {
		return []string{strings.TrimSpace(text)}
	}
	raw = strings.TrimSuffix(strings.TrimPrefix(raw, "/*"), "*/")
	lines := strings.Split(raw, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "*"))
	}
	return lines
}
