package lint

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

//go:embed testdata/import-unused.txtar
var importUnusedExample string

var importUnused = &Rule{rule.Doc{
	ID: "import-unused", Kind: rule.Lint, Severity: rule.Warning,
	Title:   "An import is used by nothing",
	Why:     "Whoever builds the event must have the file all the same, and a change of it looks like a change of the event.",
	Fix:     "Remove the import.",
	Example: importUnusedExample,
}, checkImportUnused}

func checkImportUnused(p *Pass) {
	for e, s := range protobufs(p) {
		own := s.Files()
		for _, file := range s.FileDescriptors() {
			at := s.PosOf(file)
			if !slices.Contains(own, at.File) {
				continue // Google's, or another repository's
			}
			used, sure := usedFiles(file, s.Types())
			for i := range file.Imports().Len() {
				if imported := file.Imports().Get(i); sure && !imported.IsPublic && !provides(imported.FileDescriptor, used) {
					p.schema(e, at.File, p.importPos(at.File, imported.Path()), "import %q is used by nothing in %s: who builds the event needs it all the same", imported.Path(), file.Path()).about(imported.Path())
				}
			}
		}
	}
}

// provides reports whether a file, or one that it imports publicly, is used.
func provides(file protoreflect.FileDescriptor, used map[string]bool) bool {
	if used[file.Path()] {
		return true
	}
	for i := range file.Imports().Len() {
		if inner := file.Imports().Get(i); inner.IsPublic && provides(inner.FileDescriptor, used) {
			return true
		}
	}
	return false
}

// importPos is where a file imports another; descriptors do not know.
func (p *Pass) importPos(file, imported string) source.Pos {
	at := source.Pos{File: file}
	data, err := p.Set.Tree.ReadFile(file)
	if err != nil {
		return at
	}
	for i, line := range strings.Split(string(data), "\n") {
		before, _, found := strings.Cut(line, strconv.Quote(imported))
		if found && strings.HasPrefix(strings.TrimSpace(line), "import") {
			at.Line, at.Column = i+1, utf8.RuneCountInString(before)+1
			return at
		}
	}
	return at
}
