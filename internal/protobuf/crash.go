package protobuf

import (
	"bytes"
	"maps"
	"slices"

	"github.com/bufbuild/protocompile/ast"
	"github.com/bufbuild/protocompile/parser"
	"github.com/bufbuild/protocompile/reporter"

	"github.com/evcontract/evcontract/internal/source"
)

// crashed says what the compiler crashed on. One cause is known: it looks for the
// label of a field that is packed, and there is none.
func (c *compilation) crashed(name string, value any) []*source.Error {
	for _, file := range slices.Sorted(maps.Keys(c.sources)) {
		if found := c.packedWithoutLabel(file); found != nil {
			return found
		}
	}
	return []*source.Error{source.Errorf(source.Pos{File: c.loader.fileOf(name)}, "the compiler crashed on this file or one that it imports (%v): please report it", value)}
}

func (c *compilation) packedWithoutLabel(name string) (found []*source.Error) {
	file, err := parser.Parse(name, bytes.NewReader(c.sources[name]), reporter.NewHandler(nil))
	if err != nil {
		return nil
	}
	_ = ast.Walk(file, &ast.SimpleVisitor{DoVisitFieldNode: func(field *ast.FieldNode) error { // the visitor has no error
		if field.Label.IsPresent() || field.Options == nil {
			return nil
		}
		for _, option := range field.Options.Options {
			if len(option.Name.Parts) == 1 && option.Name.Parts[0].Value() == "packed" {
				at := file.NodeInfo(option).Start()
				found = append(found, source.Errorf(source.Pos{File: c.loader.fileOf(name), Line: at.Line, Column: at.Col}, "packed option is only allowed on repeated fields"))
			}
		}
		return nil
	}})
	return found
}
