package lint

import (
	"io/fs"
	"path"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// example is one file that a manifest names as an example of an event.
type example struct {
	event *contract.Event
	tree  *source.Tree
	file  string
}

// validate decides whether the example is an event, by its schema. An example may
// be written in YAML, where it can have comments.
func (x example) validate() error {
	document, err := x.tree.ReadFile(x.file)
	if err != nil {
		return err
	}
	if ext := path.Ext(x.file); ext == ".yaml" || ext == ".yml" {
		node, errs := source.ParseYAML(x.file, document)
		if len(errs) > 0 {
			return errs[0]
		}
		document = node.JSON()
	}
	return x.event.Schema.Validate(document)
}

// examples lists the files of all events that some of their patterns name.
func (p *Pass) examples(of func(*contract.Examples) []source.At[string]) []example {
	var list []example
	for _, e := range p.declared() {
		if e.Schema == nil || holed(e) {
			continue // nothing can be validated
		}
		for _, pattern := range of(&e.Examples) {
			files, _ := p.glob(e, pattern.Value) // a pattern that is none has a rule of its own
			for _, file := range files {
				list = append(list, example{e, p.Set.Tree, file})
			}
		}
	}
	return list
}

// glob finds the files of a pattern beside an event's manifest.
func (p *Pass) glob(e *contract.Event, pattern string) ([]string, error) {
	return fs.Glob(p.Set.Tree.FS, path.Join(path.Dir(e.Pos.File), pattern))
}
