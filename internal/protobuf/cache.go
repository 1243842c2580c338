package protobuf

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// cache holds compiled files by the content of their closures. What a file
// compiles to depends on nothing else, so both sides of a comparison share what
// did not change between them: it is compiled once, and its descriptors are the
// very same.
type cache struct {
	building sync.Mutex // one compilation at a time, so that all share what they import
	mu       sync.Mutex
	files    map[string]compiledFile
}

type compiledFile struct {
	linked linker.File
	fd     protoreflect.FileDescriptor
}

var compiled = cache{files: map[string]compiledFile{}}

func (c *cache) get(key string) (compiledFile, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, ok := c.files[key]
	return f, ok
}

func (c *cache) put(key string, f compiledFile) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.files[key] = f
}

// keyOf identifies the closure of an imported file by content: its name, its
// bytes and the keys of what it imports. It is "" where that cannot be told: a
// file or an import is not there, is odd, or imports itself. A compiler has
// something to say about most of these.
func (l *scope) keyOf(name string) string {
	if key, known := l.keys[name]; known {
		return key
	}
	l.keys[name] = "" // who asks again before the end is part of a cycle
	l.keys[name] = l.computeKey(name)
	return l.keys[name]
}

func (l *scope) computeKey(name string) string {
	file, f := l.locate(name)
	if errors.Is(f.err, fs.ErrNotExist) {
		return builtIn(name)
	}
	if f.err != nil || f.odd {
		return ""
	}
	h := sha256.New()
	add := func(text string) { h.Write([]byte(text)); h.Write([]byte{0}) }
	add(name)
	add(f.id)
	for _, imported := range f.imports {
		l.imported[imported] = true
		key := l.keyOf(imported)
		if key == "" {
			return ""
		}
		add(key)
	}
	l.files[name] = file
	return string(h.Sum(nil))
}

// readKey identifies what the messages of an imported file say to a reader, by
// the tokens of its declarations and of those of the imports that they can mean:
// comments, services, options for languages and imports for their sake don't
// count. An import can be meant where the file has the name of something that it
// declares among its words. Where an Any can be met it may carry any message of
// the closure, and all imports count.
func (l *scope) readKey(name string) string {
	if key, known := l.readKeys[name]; known {
		return key
	}
	key := l.computeReadKey(name, false)
	if strings.HasPrefix(key, anyMark) {
		key = l.computeReadKey(name, true)
	}
	l.readKeys[name] = key
	return key
}

// anyMark stands at the head of the key of what can meet an Any.
const anyMark = "any\x00"

func (l *scope) computeReadKey(name string, all bool) string {
	_, f := l.locate(name)
	if f.err != nil {
		if name == "google/protobuf/any.proto" {
			return anyMark + builtIn(name)
		}
		return builtIn(name)
	}
	h, mark := sha256.New(), ""
	h.Write([]byte(f.said))
	for _, imported := range f.imports {
		if !all && !l.means(f, imported) {
			continue
		}
		key := l.readKey(imported)
		if strings.HasPrefix(key, anyMark) {
			mark = anyMark
		}
		h.Write([]byte(key))
		h.Write([]byte{0})
	}
	if name == "google/protobuf/any.proto" {
		mark = anyMark
	}
	return mark + string(h.Sum(nil))
}

// means reports whether a file may use something of what it imports.
func (l *scope) means(f *sourceFile, imported string) bool {
	_, other := l.locate(imported)
	if other.err != nil { // built in: it never changes, and tells of Any
		return true
	}
	return other.reaches || slices.ContainsFunc(other.declares, func(word uint32) bool {
		_, found := slices.BinarySearch(f.words, word)
		return found
	})
}

// builtIn identifies a well-known type's file.
func builtIn(name string) string {
	if _, err := protocompile.WithStandardImports(nothing).FindFileByPath(name); err != nil {
		return ""
	}
	return "built in " + name
}

// recall gives a file that was compiled, for this tree or for another, nil where
// there is none.
func (l *scope) recall(name string) protoreflect.FileDescriptor {
	if fd := l.compiled[name]; fd != nil {
		return fd
	}
	key := l.keys[name]
	if key == "" {
		return nil
	}
	f, ok := compiled.get(key)
	if !ok {
		return nil
	}
	l.linked[name] = f.linked
	for _, fd := range dependenciesFirst(f.fd) {
		if l.compiled[fd.Path()] == nil {
			l.compiled[fd.Path()] = fd
		}
	}
	return f.fd
}

// remember puts what was compiled into the cache.
func (l *scope) remember(fd protoreflect.FileDescriptor) {
	for _, f := range dependenciesFirst(fd) {
		if key := l.keys[f.Path()]; key != "" && l.compiled[f.Path()] != nil {
			compiled.put(key, compiledFile{l.linked[f.Path()], l.compiled[f.Path()]})
		}
	}
}
