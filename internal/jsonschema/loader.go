package jsonschema

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// Loader loads schemas of one tree. What it has to look for in the whole tree it
// looks for once. It is safe for concurrent use.
type Loader struct {
	tree    *source.Tree
	options Options
	ids     func() map[string]string // $id of a file's root, to file
}

// NewLoader makes a loader of a tree.
func NewLoader(tree *source.Tree, o Options) *Loader {
	return &Loader{tree: tree, options: o, ids: sync.OnceValue(func() map[string]string { return idsOf(tree) })}
}

// Load is Load on the loader's tree.
func (l *Loader) Load(ref string) (*Schema, []*source.Error) {
	file, fragment, _ := strings.Cut(ref, "#")
	c := newClosure(l.tree, l.ids, l.options.Vendored)
	d, errs := c.open(path.Clean(file))
	if d == nil {
		return nil, errs
	}
	root, err := c.entry(d, fragment)
	if err != nil {
		return nil, []*source.Error{err}
	}
	c.visit(root)
	c.findCycles()
	s := &Schema{ref: ref, options: l.options, root: root, closure: c}
	s.compile(l.options)
	c.sortProblems()
	s.digest = sync.OnceValue(func() string { return c.digest(root) })
	s.fields = sync.OnceValue(func() []contract.Field { return c.fields(root) })
	return s, nil
}

// idsOf finds the schemas of a tree by the $id of their roots; the first file in
// lexical order counts. A file is parsed only where its text can have one.
func idsOf(tree *source.Tree) map[string]string {
	ids := map[string]string{}
	_ = fs.WalkDir(tree.FS, ".", func(file string, e fs.DirEntry, err error) error { // it never ends in an error
		switch {
		case err != nil:
			return nil
		case e.IsDir() && file != "." && (strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules"):
			return fs.SkipDir
		case e.IsDir() || !slices.Contains([]string{".json", ".yaml", ".yml"}, path.Ext(file)):
			return nil
		}
		if id := idOf(tree, file); id != "" && ids[id] == "" {
			ids[id] = file
		}
		return nil
	})
	return ids
}

func idOf(tree *source.Tree, file string) string {
	data, err := tree.ReadFile(file)
	if err != nil || !bytes.Contains(data, []byte("id")) {
		return ""
	}
	root, _ := source.Parse(file, data)
	for _, key := range []string{"$id", "id"} { // a URI has a scheme; what has none is relative to the file
		if id := strings.TrimSuffix(text(root.Get(key)), "#"); strings.Contains(id, ":") {
			return id
		}
	}
	return ""
}
