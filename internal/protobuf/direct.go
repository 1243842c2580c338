package protobuf

import (
	"errors"

	"github.com/bufbuild/protocompile/linker"
	"github.com/bufbuild/protocompile/options"
	"github.com/bufbuild/protocompile/parser"
	"github.com/bufbuild/protocompile/reporter"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// direct compiles a file whose closure is known to be whole by the steps of
// protocompile's Compiler, one after the other. The Compiler runs a goroutine for
// each file, which costs more than compiling a small one; in return it finds
// cycles and says everything that is wrong. So whatever direct stumbles over is
// compiled again by the Compiler, and its error is the one that is shown.
type direct struct {
	*compilation
	symbols *linker.Symbols
	handler *reporter.Handler
	linked  map[string]linker.File
}

// descriptorProto gives options their meaning. A tree that brings its own is
// left to the Compiler.
const descriptorProto = "google/protobuf/descriptor.proto"

// tryDirect gives a file's descriptor, nil where the Compiler is to do it.
func (c *compilation) tryDirect(name string) protoreflect.FileDescriptor {
	l := c.loader
	if l.keys[name] == "" || l.keyOf(descriptorProto) != builtIn(descriptorProto) {
		return nil
	}
	d := newDirect(c)
	file, err := d.file(name)
	if err != nil {
		return nil
	}
	return file
}

func newDirect(c *compilation) direct {
	return direct{c, &linker.Symbols{}, reporter.NewHandler(nil), map[string]linker.File{}}
}

func (d *direct) file(name string) (linker.File, error) {
	if f := d.loader.linkable(name); f != nil {
		return f, nil
	}
	if f := d.linked[name]; f != nil {
		return f, nil
	}
	f, err := d.make(name)
	d.linked[name] = f
	return f, err
}

func (d *direct) make(name string) (linker.File, error) {
	found, err := d.find(name)
	if err != nil {
		return nil, err
	}
	if found.Desc != nil {
		return linker.NewFileRecursive(found.Desc)
	}
	tree, err := parser.Parse(name, found.Source, d.handler)
	if err != nil {
		return nil, err
	}
	parsed, err := parser.ResultFromAST(tree, true, d.handler)
	if err != nil {
		return nil, err
	}
	var imports linker.Files
	for _, imported := range parsed.FileDescriptorProto().Dependency {
		f, err := d.file(imported)
		if err != nil {
			return nil, err
		}
		imports = append(imports, f)
	}
	return d.link(parsed, imports)
}

func (d *direct) link(parsed parser.Result, imports linker.Files) (linker.File, error) {
	file, err := linker.Link(parsed, imports, d.symbols, d.handler)
	if err != nil {
		return nil, err
	}
	_, interpreted := options.InterpretOptions(file, d.handler)
	if err := errors.Join(interpreted, file.ValidateOptions(d.handler, d.symbols), d.handler.Error()); err != nil {
		return nil, err
	}
	file.RemoveAST()
	return file, nil
}
