package protobuf

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"regexp"
	"slices"
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

// importLine finds imports without parsing. One too many, in a comment say,
// makes a key differ that need not; none that counts is missed, since only
// strings stand behind the word.
var importLine = regexp.MustCompile(`\bimport\b[^;"']*["']([^"'\n]+)["']`)

// keyOf identifies the closure of an imported file by content: its name, its
// bytes and the keys of what it imports. It is "" for what the tree does not
// have, and for a cycle.
func (l *scope) keyOf(name string, open []string) string {
	if key, known := l.keys[name]; known {
		return key
	}
	if slices.Contains(open, name) {
		return ""
	}
	file, data, err := l.locate(name)
	if errors.Is(err, fs.ErrNotExist) {
		return l.builtIn(name)
	}
	if err != nil {
		return ""
	}
	h := sha256.New()
	add := func(text string) { h.Write([]byte(text)); h.Write([]byte{0}) }
	add(name)
	sum := sha256.Sum256(data)
	h.Write(sum[:])
	for _, found := range importLine.FindAllSubmatch(data, -1) {
		add(l.keyOf(string(found[1]), append(open, name)))
	}
	l.files[name] = file
	l.keys[name] = hex.EncodeToString(h.Sum(nil))
	l.recall(name)
	return l.keys[name]
}

// builtIn identifies a well-known type's file.
func (l *scope) builtIn(name string) string {
	if _, err := protocompile.WithStandardImports(nothing).FindFileByPath(name); err != nil {
		return ""
	}
	l.keys[name] = "built in " + name
	l.recall(name)
	return l.keys[name]
}

// recall takes a file from the cache. What it imports was taken before.
func (l *scope) recall(name string) {
	if f, ok := compiled.get(l.keys[name]); ok && l.compiled[name] == nil {
		l.compiled[name], l.linked[name] = f.fd, f.linked
	}
}

// remember puts what was compiled into the cache.
func (l *scope) remember(fd protoreflect.FileDescriptor) {
	for _, f := range dependenciesFirst(fd) {
		if key := l.keys[f.Path()]; key != "" {
			compiled.put(key, compiledFile{l.linked[f.Path()], l.compiled[f.Path()]})
		}
	}
}
