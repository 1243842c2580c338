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
	tree      *source.Tree
	paths     []string
	transient bool

	mu      sync.Mutex
	scopes  map[string]*scope      // by directory
	files   map[string]*sourceFile // by path in the tree
	indexed map[string]*indexed    // the same, some that were asked for
	recent  []recentFile           // transient: the files compiled last, the oldest first
	texts   map[string][]byte      // by path in the tree, some that were read for compiling
	names   *names                 // what files declare that others import; nil until it is asked for
	later   *later                 // nil until a file of edition 2024 is met; the cache's building is locked for it
}

// sourceFile is a file of the tree as far as it is known without compiling it.
type sourceFile struct {
	*outline
	id  string // identifies its bytes
	err error  // why it cannot be read or compiled
}

// outlines are those of all trees, by the id of a file's bytes: what did not
// change between two trees is read once.
var outlines sync.Map

// NewLoader gives a loader for a tree.
func NewLoader(tree *source.Tree, o Options) *Loader {
	l := &Loader{tree: tree, transient: o.Transient, scopes: map[string]*scope{}, files: map[string]*sourceFile{}, indexed: map[string]*indexed{}, texts: map[string][]byte{}}
	for _, p := range o.ProtoPaths {
		l.paths = append(l.paths, path.Clean(p))
	}
	return l
}

// scope is what files of one directory import by name. Their own directory is
// looked through as well, so a name may mean another file elsewhere.
type scope struct {
	loader *Loader
	tree   *source.Tree
	dirs   []string

	mu       sync.Mutex
	compiled map[string]protoreflect.FileDescriptor // by import name
	linked   map[string]linker.File                 // the same as others are linked against it, made when one is
	failed   map[string][]*source.Error             // by file
	files    map[string]string                      // import name to path in the tree
	keys     map[string]string                      // import name to what identifies its closure
	readKeys map[string]string                      // import name to what identifies what it says to a reader
	imported map[string]bool                        // by import name: some file that was looked at imports it
	places   map[string]*places                     // by import name
	later    *later                                 // for files of edition 2024 that import by names that only this scope knows
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
	l.scopes[own] = newScope(l, dirs)
	return l.scopes[own]
}

func newScope(l *Loader, dirs []string) *scope {
	return &scope{
		loader: l, tree: l.tree, dirs: dirs,
		compiled: map[string]protoreflect.FileDescriptor{},
		linked:   map[string]linker.File{},
		failed:   map[string][]*source.Error{},
		files:    map[string]string{},
		keys:     map[string]string{},
		readKeys: map[string]string{},
		imported: map[string]bool{},
		places:   map[string]*places{},
	}
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
	if fd := l.loader.recently(file); fd != nil {
		return fd, nil
	}
	switch found, f := l.locate(name); {
	case f.err != nil:
		return nil, []*source.Error{l.unreadable(file, f.err)}
	case found != file:
		return nil, []*source.Error{source.Errorf(source.Pos{File: file},
			"is shadowed by %s: both are imported as %q; rename one, or order the proto_paths otherwise", found, name)}
	}
	compiled.building.Lock()
	defer compiled.building.Unlock()
	l.keyOf(name)
	if fd := l.recall(name); fd != nil {
		return fd, nil
	}
	c := &compilation{loader: l}
	converted, problems := c.run(name)
	if converted == nil {
		l.failed[file] = problems
		return nil, problems
	}
	if l.loader.transient && !l.imported[name] {
		delete(l.compiled, name)
		l.loader.keepRecent(file, converted)
	}
	l.remember(converted)
	return converted, nil
}

type recentFile struct {
	file string
	fd   protoreflect.FileDescriptor
}

// maxRecent is how many files are kept whose messages may be asked for in turn.
const maxRecent = 16

func (l *Loader) recently(file string) protoreflect.FileDescriptor {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.recent {
		if r.file == file {
			return r.fd
		}
	}
	return nil
}

func (l *Loader) keepRecent(file string, fd protoreflect.FileDescriptor) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.recent) == maxRecent {
		l.recent = slices.Delete(l.recent, 0, 1)
	}
	l.recent = append(l.recent, recentFile{file, fd})
}

// maxTexts is how many files are kept as they were read: what was compiled last
// is often asked for its places.
const maxTexts = 16

// text reads a file of the tree. The caller does not change what it gets.
func (l *Loader) text(file string) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.textLocked(file)
}

func (l *Loader) textLocked(file string) ([]byte, error) {
	if data, known := l.texts[file]; known {
		return data, nil
	}
	data, err := l.tree.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if len(l.texts) >= maxTexts {
		clear(l.texts)
	}
	l.texts[file] = data
	return data, nil
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

// locate finds an imported file in one of the directories. Its error is
// fs.ErrNotExist where none has it.
func (l *scope) locate(name string) (string, *sourceFile) {
	if !fs.ValidPath(name) {
		return "", &sourceFile{err: errors.New("is not a path inside the tree: import it by its path below one of the proto_paths")}
	}
	for _, dir := range l.dirs {
		file := path.Join(dir, name)
		if f := l.loader.look(file); !errors.Is(f.err, fs.ErrNotExist) {
			return file, f
		}
	}
	return "", &sourceFile{err: fs.ErrNotExist}
}

// look outlines a file of the tree.
func (l *Loader) look(file string) *sourceFile {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.files[file]
	if f == nil {
		f = outlined(l.tree, file)
		l.files[file] = f
	}
	return f
}

func outlined(tree *source.Tree, file string) *sourceFile {
	id, data, err := tree.Peek(file)
	if err != nil {
		return &sourceFile{err: err}
	}
	known, ok := outlines.Load(id)
	if !ok {
		if data == nil {
			data, err = tree.ReadFile(file)
		}
		if err != nil {
			return &sourceFile{err: err}
		}
		known, _ = outlines.LoadOrStore(id, outlineOf(data))
	}
	f := &sourceFile{id: id, outline: known.(*outline)}
	if f.problem != "" {
		f.err = errors.New(file + ": " + f.problem)
	}
	return f
}
