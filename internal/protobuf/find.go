package protobuf

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/source"
)

// find resolves the name behind the #: a message of the file or of one that it
// imports, or a message and a field that is a member of its oneof. The package
// may be left out. What is wrong is said in words.
func find(fd protoreflect.FileDescriptor, name string) (protoreflect.MessageDescriptor, protoreflect.FieldDescriptor, string) {
	if m := message(fd, name); m != nil {
		return m, nil, ""
	}
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		if m := message(fd, name[:i]); m != nil {
			return armOf(m, name[i+1:])
		}
	}
	return nil, nil, noMessage(fd, name)
}

// message looks a name up in a file, then in what it imports.
func message(fd protoreflect.FileDescriptor, name string) protoreflect.MessageDescriptor {
	for _, f := range closure(fd) {
		if m := messageIn(f, name); m != nil {
			return m
		}
	}
	return messageIn(fd, string(fd.Package())+"."+name)
}

func messageIn(fd protoreflect.FileDescriptor, name string) protoreflect.MessageDescriptor {
	rest, ok := name, true
	if fd.Package() != "" {
		rest, ok = strings.CutPrefix(name, string(fd.Package())+".")
	}
	if !ok {
		return nil
	}
	messages, found := fd.Messages(), protoreflect.MessageDescriptor(nil)
	for _, part := range strings.Split(rest, ".") {
		found = messages.ByName(protoreflect.Name(part))
		if found == nil {
			return nil
		}
		messages = found.Messages()
	}
	return found
}

// armOf finds a member of a oneof that is a message: one event of an envelope.
func armOf(m protoreflect.MessageDescriptor, name string) (protoreflect.MessageDescriptor, protoreflect.FieldDescriptor, string) {
	f := m.Fields().ByName(protoreflect.Name(name))
	arms := armNames(m)
	switch {
	case f != nil && f.Message() != nil && inOneof(f) != nil:
		return m, f, ""
	case f != nil && inOneof(f) != nil:
		return nil, nil, fmt.Sprintf("%s.%s is %s: an event is a message", m.FullName(), name, f.Kind())
	case len(arms) == 0:
		return nil, nil, fmt.Sprintf("%s has neither a message %q nor a oneof that it could be an arm of", m.FullName(), name)
	}
	return nil, nil, fmt.Sprintf("%q is no arm of a oneof in %s%s: want one of %s", name, m.FullName(), didYouMean(name, arms), listed(arms))
}

func armNames(m protoreflect.MessageDescriptor) []string {
	var names []string
	for i := range m.Fields().Len() {
		if f := m.Fields().Get(i); inOneof(f) != nil && f.Message() != nil {
			names = append(names, string(f.Name()))
		}
	}
	return names
}

// inOneof is the oneof that the user wrote around a field, nil where there is
// none: `optional` makes a synthetic one.
func inOneof(f protoreflect.FieldDescriptor) protoreflect.OneofDescriptor {
	if o := f.ContainingOneof(); o != nil && !o.IsSynthetic() {
		return o
	}
	return nil
}

func noMessage(fd protoreflect.FileDescriptor, name string) string {
	names := topLevel(fd)
	if len(names) == 0 {
		return fmt.Sprintf("has no message %q, nor any other", name)
	}
	return fmt.Sprintf("has no message %q%s: want one of %s", name, didYouMean(name, names), listed(names))
}

func didYouMean(name string, names []string) string {
	if near := source.Suggest(name, names); near != "" {
		return fmt.Sprintf(" (did you mean %s?)", near)
	}
	return ""
}

// closure lists a file and everything that it imports, the file first.
func closure(fd protoreflect.FileDescriptor) []protoreflect.FileDescriptor {
	all := []protoreflect.FileDescriptor{fd}
	seen := map[string]bool{fd.Path(): true}
	for i := 0; i < len(all); i++ {
		for _, f := range importsOf(all[i]) {
			if !seen[f.Path()] && !f.IsPlaceholder() {
				seen[f.Path()], all = true, append(all, f)
			}
		}
	}
	return all
}

// dependenciesFirst is the closure in the order in which it can be built.
func dependenciesFirst(fd protoreflect.FileDescriptor) []protoreflect.FileDescriptor {
	var all []protoreflect.FileDescriptor
	seen := map[string]bool{}
	var visit func(protoreflect.FileDescriptor)
	visit = func(f protoreflect.FileDescriptor) {
		if seen[f.Path()] || f.IsPlaceholder() {
			return
		}
		seen[f.Path()] = true
		for _, imported := range importsOf(f) {
			visit(imported)
		}
		all = append(all, f)
	}
	visit(fd)
	return slices.Clip(all)
}

// importsOf lists what a file imports, also what it imports for its options only.
func importsOf(fd protoreflect.FileDescriptor) []protoreflect.FileDescriptor {
	var all []protoreflect.FileDescriptor
	add := func(imports protoreflect.FileImports) {
		for i := range imports.Len() {
			all = append(all, imports.Get(i).FileDescriptor)
		}
	}
	add(fd.Imports())
	if f, ok := fd.(interface {
		OptionImports() protoreflect.FileImports
	}); ok {
		add(f.OptionImports())
	}
	return all
}
