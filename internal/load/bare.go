package load

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// bare makes events of schemas that no workspace declares: one file is one
// event, or one for every top-level message of a .proto.
func (l *loader) bare() {
	l.set.Bare = true
	l.set.Workspace = &contract.Workspace{}
	settle(l.set.Workspace)
	if file := l.tree.File; file != "" {
		l.bareFile(file, true)
		return
	}
	l.walk(".", func(file string) { l.bareFile(file, false) })
}

// bareFile adds the events of one file. A file that was named must be a schema;
// one that was found may be anything.
func (l *loader) bareFile(file string, named bool) {
	f := formatOf(file)
	if f == nil {
		if named {
			l.unreadable(source.Errorf(source.Pos{File: file}, "is no schema: want a .proto, or a JSON Schema in .json, .yaml or .yml"))
		}
		return
	}
	if !named && !l.looksLikeSchema(file) {
		return
	}
	l.set.Schemas = append(l.set.Schemas, file)
	refs, names := f.bare(l, file)
	failed := false
	for i, ref := range refs {
		e := &contract.Event{Synthetic: true, Manifest: &contract.Manifest{Name: source.At[contract.Name]{Value: contract.Name{Base: names[i]}}}}
		e.SchemaRef.Value, e.Pos.File = ref, file
		read := func() {
			schema, problems := f.load(l, ref)
			if schema == nil {
				if !failed { // every message of the file says the same
					l.unreadable(problems...)
				}
				failed = true
				return
			}
			l.unreadable(problems...)
			e.Schema, e.Pos = schema, schema.Pos()
			e.Name.Pos, e.SchemaRef.Pos = e.Pos, e.Pos
		}
		if !l.putOff(e, f, ref, "bare", read) {
			if read(); e.Schema == nil {
				continue
			}
		}
		l.set.Events = append(l.set.Events, e)
	}
}

// looksLikeSchema keeps package.json and its kind out of a directory of schemas.
func (l *loader) looksLikeSchema(file string) bool {
	if isSchemaFile(file) {
		return true
	}
	if strings.HasSuffix(path.Dir(file), "node_modules") {
		return false
	}
	data, err := l.tree.ReadFile(file)
	return err == nil && bytes.Contains(data, []byte("$schema")) && bytes.Contains(data, []byte("json-schema.org"))
}

func bareJSONSchema(_ *loader, file string) (refs, names []string) {
	return []string{file}, []string{file}
}

// bareProtobuf names the message that the command line names, else all.
func bareProtobuf(l *loader, file string) (refs, names []string) {
	messages, known := l.protobuf(file).Outline(file)
	if !known || !l.options.Defer {
		var problems []*source.Error
		messages, problems = l.protobuf(file).Messages(file)
		l.unreadable(problems...)
	}
	for _, m := range messages {
		if l.options.Message == "" || l.options.Message == m {
			refs, names = append(refs, file+"#"+m), append(names, m)
		}
	}
	if want := l.options.Message; want != "" && len(refs) == 0 && inside(messages, want) {
		refs, names = []string{file + "#" + want}, []string{want}
	}
	return refs, names
}

// inside reports whether a message is nested in one of these.
func inside(messages []string, want string) bool {
	return slices.ContainsFunc(messages, func(m string) bool { return strings.HasPrefix(want, m+".") })
}
