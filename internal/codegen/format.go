package codegen

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// standard are the packages of the standard library that generated code may
// name, by the name that it uses.
var standard = map[string]string{
	"bytes": "bytes", "errors": "errors", "context": "context", "sha256": "crypto/sha256", "json": "encoding/json", "hex": "encoding/hex",
	"fmt": "fmt", "maps": "maps", "math": "math", "regexp": "regexp", "slices": "slices", "strconv": "strconv",
	"strings": "strings", "time": "time", "utf8": "unicode/utf8",
}

// file is one Go file that is being written.
type file struct {
	printer
	source  string            // what it was generated from
	imports map[string]string // other packages that it may name, by their names
}

// finish puts header, package clause and imports before the declarations and
// formats the whole.
func (f *file) finish(o Options) ([]byte, error) {
	body := f.String()
	parsed, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+body, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("generated code for %s does not parse: %w", f.source, err)
	}
	var b bytes.Buffer
	b.WriteString(mark)
	if f.source != "" {
		fmt.Fprintf(&b, "// source: %s\n", f.source)
	}
	fmt.Fprintf(&b, "\npackage %s\n", o.Package)
	f.writeImports(&b, used(parsed), o)
	b.WriteString(body)
	return format.Source(b.Bytes())
}

func (f *file) writeImports(b *bytes.Buffer, names map[string]bool, o Options) {
	var std, other []string
	for name, path := range standard {
		if names[name] {
			std = append(std, strconv.Quote(path))
		}
	}
	if names["event"] {
		other = append(other, strconv.Quote(o.Module+"/event"))
	}
	for name, path := range f.imports {
		if names[name] {
			if !strings.HasSuffix(path, "/"+name) {
				name += " "
			} else {
				name = ""
			}
			other = append(other, name+strconv.Quote(path))
		}
	}
	if len(std)+len(other) == 0 {
		return
	}
	slices.Sort(std)
	slices.Sort(other)
	b.WriteString("\nimport (\n")
	for _, group := range [][]string{std, other} {
		for _, path := range group {
			b.WriteString("\t" + path + "\n")
		}
		b.WriteString("\n")
	}
	b.WriteString(")\n")
}

// used are the names that stand before a dot: packages, and variables that no
// package is called after.
func used(f *ast.File) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := selector.X.(*ast.Ident); ok {
				names[x.Name] = true
			}
		}
		return true
	})
	return names
}
