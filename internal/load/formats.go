package load

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/protobuf"
	"github.com/evcontract/evcontract/internal/source"
)

// format is one language of schemas: the endings of its files, what a file
// holds in bare mode, and how a schema is read.
type format struct {
	extensions []string
	bare       func(l *loader, file string) (refs []string, names []string)
	load       func(l *loader, ref string) (contract.Schema, []*source.Error)
	content    func(l *loader, ref string) string // identifies a schema by its bytes without reading it; may be nil
}

var formats = []format{
	{[]string{".proto"}, bareProtobuf, loadProtobuf, protobufContent},
	{[]string{".json", ".yaml", ".yml"}, bareJSONSchema, loadJSONSchema, nil},
}

func formatOf(file string) *format {
	for i := range formats {
		if slices.Contains(formats[i].extensions, path.Ext(file)) {
			return &formats[i]
		}
	}
	return nil
}

func loadProtobuf(l *loader, ref string) (contract.Schema, []*source.Error) {
	s, problems := l.protobuf(ref).Load(ref)
	if s == nil {
		return nil, problems
	}
	return s, problems
}

func protobufContent(l *loader, ref string) string { return l.protobuf(ref).Content(ref) }

// protobuf is one loader for all messages of the tree: what they share is
// compiled once. What was vendored from another repository imports only what was
// copied with it, whatever files of the same names are here.
func (l *loader) protobuf(file string) *protobuf.Loader {
	root := l.vendoredRoot(file)
	if l.protos[root] == nil {
		if l.protos == nil {
			l.protos = map[string]*protobuf.Loader{}
		}
		l.protos[root] = protobuf.NewLoader(l.tree, protobuf.Options{ProtoPaths: l.protoPaths(file), Transient: l.options.Defer})
	}
	return l.protos[root]
}

func loadJSONSchema(l *loader, ref string) (contract.Schema, []*source.Error) {
	if l.jsons == nil {
		assert := l.options.AssertFormats || l.set.Workspace.Formats.Value == contract.Assert
		l.jsons = jsonschema.NewLoader(l.tree, jsonschema.Options{AssertFormats: assert, Vendored: l.urls()})
	}
	s, problems := l.jsons.Load(ref)
	if s == nil {
		return nil, problems
	}
	return s, problems
}

func (l *loader) protoPaths(file string) []string {
	if l.set.Bare {
		return []string{"."}
	}
	if root := l.vendoredRoot(file); root != "" {
		return []string{root}
	}
	var paths []string
	for _, p := range l.set.Workspace.ProtoPaths {
		paths = append(paths, path.Clean(p.Value))
	}
	return paths
}

// isSchemaFile tells by its name that a file of the contracts folder is a
// schema and no example, fixture or document.
func isSchemaFile(file string) bool {
	if path.Ext(file) == ".proto" {
		return true
	}
	return formatOf(file) != nil && strings.HasSuffix(strings.TrimSuffix(file, path.Ext(file)), ".schema")
}

// schema loads the schema that an event's manifest names.
func (l *loader) schema(e *contract.Event) {
	ref := e.SchemaRef
	if ref.Pos.IsZero() {
		return // a lint says so
	}
	file, fragment, _ := strings.Cut(ref.Value, "#")
	f := formatOf(file)
	if f == nil {
		l.unreadable(source.Errorf(ref.Pos, "schema: %q is neither a .proto nor a JSON Schema in .json, .yaml or .yml", file))
		return
	}
	found, ok := l.find(file, e.Pos.File)
	if !ok {
		l.unreadable(source.Errorf(ref.Pos, "schema: there is no file %q beside the manifest%s", file, l.alsoTried(file, e.Pos.File)))
		return
	}
	if fragment != "" {
		found += "#" + fragment
	}
	read := func() {
		schema, problems := f.load(l, found)
		l.unreadable(problems...)
		e.Schema = schema
	}
	if !l.putOff(e, f, found, l.ids[e], read) {
		read()
	}
}

// find looks beside the manifest and then, for a .proto, in the proto paths.
func (l *loader) find(file, manifest string) (string, bool) {
	places := []string{path.Dir(manifest)}
	if path.Ext(file) == ".proto" {
		places = append(places, l.protoPaths(manifest)...)
	}
	for _, place := range places {
		candidate := path.Join(place, file)
		if l.walked[candidate] {
			return candidate, true
		}
		if info, err := fs.Stat(l.tree.FS, candidate); err == nil && !info.IsDir() {
			return candidate, true
		}
	}
	return "", false
}

func (l *loader) alsoTried(file, manifest string) string {
	if path.Ext(file) != ".proto" {
		return ""
	}
	return " or in proto_paths " + strings.Join(l.protoPaths(manifest), ", ")
}
