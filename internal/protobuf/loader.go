package protobuf

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/bufbuild/protocompile/linker"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/source"
)

// Loader loads schemas of one tree and compiles each file once. It is safe for
// concurrent use.
type Loader struct {
	tree  *source.Tree
	paths []string

	mu     sync.Mutex
	scopes map[string]*scope // by directory
}

// NewLoader gives a loader for a tree.
func NewLoader(tree *source.Tree, o Options) *Loader {
	l := &Loader{tree: tree, scopes: map[string]*scope{}}
	for _, p := range o.ProtoPaths {
		l.paths = append(l.paths, path.Clean(p))
	}
	return l
}

// scope is what files of one directory import by name. Their own directory is
// looked through as well, so a name may mean another file elsewhere.
type scope struct {
	tree *source.Tree
	dirs []string

	mu       sync.Mutex
	compiled map[string]protoreflect.FileDescriptor // by import name
	linked   map[string]linker.File                 // the same as the compiler left it
	failed   map[string][]*source.Error             // by file
	files    map[string]string                      // import name to path in the tree
	keys     map[string]string                      // import name to what identifies its closure
	places   map[string]*places                     // by import name
}

func (l *Loader) scopeOf(file string) *scope {
	l.mu.Lock()
	defer l.mu.Unlock()
	own := path.Dir(file)
	if s := l.scopes[own]; s != nil {
		return s
	}
	dirs := l.paths
	if !slices.Contains(dirs, own) {
		dirs = append(slices.Clip(dirs), own)
	}
	l.scopes[own] = &scope{
		tree: l.tree, dirs: dirs,
		compiled: map[string]protoreflect.FileDescriptor{},
		linked:   map[string]linker.File{},
		failed:   map[string][]*source.Error{},
		files:    map[string]string{},
		keys:     map[string]string{},
		places:   map[string]*places{},
	}
	return l.scopes[own]
}

// compile gives the descriptor of a file of the tree.
func (l *scope) compile(file string) (protoreflect.FileDescriptor, []*source.Error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if problems := l.failed[file]; problems != nil {
		return nil, problems
	}
	name := l.nameOf(file)
	if fd := l.compiled[name]; fd != nil {
		return fd, nil
	}
	switch found, _, err := l.locate(name); {
	case err != nil:
		return nil, []*source.Error{l.unreadable(file, err)}
	case found != file:
		return nil, []*source.Error{source.Errorf(source.Pos{File: file},
			"is shadowed by %s: both are imported as %q; rename one, or order the proto_paths otherwise", found, name)}
	}
	compiled.building.Lock()
	defer compiled.building.Unlock()
	l.keyOf(name, nil)
	if fd := l.compiled[name]; fd != nil {
		return fd, nil
	}
	c := &compilation{loader: l}
	fd, problems := c.run(name)
	if fd == nil {
		l.failed[file] = problems
		return nil, problems
	}
	converted, err := l.convert(fd)
	if err != nil {
		problem := c.explain(name, err)
		l.failed[file] = []*source.Error{problem}
		return nil, l.failed[file]
	}
	l.remember(converted)
	return converted, nil
}

// nameOf is the name by which others import a file.
func (l *scope) nameOf(file string) string {
	for _, dir := range l.dirs {
		if rest, ok := below(file, dir); ok {
			return rest
		}
	}
	return path.Base(file)
}

// below gives a file's path relative to a directory that it lies in.
func below(file, dir string) (string, bool) {
	if dir == "." {
		return file, true
	}
	return strings.CutPrefix(file, dir+"/")
}

// fileOf is the path in the tree of a file that was imported by name.
func (l *scope) fileOf(name string) string {
	if file := l.files[name]; file != "" {
		return file
	}
	return name
}

// inTree is the path in the tree of an imported file, unless it is built in. It
// locks; within a compilation fileOf is asked.
func (l *scope) inTree(name string) (string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	file, ok := l.files[name]
	return file, ok
}

// unreadable is an error about a file as a whole, without its path twice.
func (l *scope) unreadable(file string, err error) *source.Error {
	if errors.Is(err, fs.ErrNotExist) {
		_, err = l.tree.ReadFile(file) // says where it was looked for
	}
	msg, _ := strings.CutPrefix(err.Error(), file+": ")
	return source.Errorf(source.Pos{File: file}, "%s", msg)
}

// locate finds an imported file in one of the directories. The error is
// fs.ErrNotExist where none has it.
func (l *scope) locate(name string) (string, []byte, error) {
	if !fs.ValidPath(name) {
		return "", nil, errors.New("is not a path inside the tree: import it by its path below one of the proto_paths")
	}
	for _, dir := range l.dirs {
		file := path.Join(dir, name)
		data, err := l.tree.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if problem := checkSource(data); err == nil && problem != "" {
			err = errors.New(file + ": " + problem)
		}
		return file, data, err
	}
	return "", nil, fs.ErrNotExist
}
