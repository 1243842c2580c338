// Package load turns a tree of files into a contract.Set. It is the one place
// that knows the list of schema formats.
//
// What a user's file gets wrong becomes a finding of rule "unreadable" in the
// set, and the rest is loaded all the same; an error is kept for what could not
// be done at all.
package load

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/protobuf"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// Options are what a command line may say about loading. The zero value loads
// what the tree declares.
type Options struct {
	Message       string // bare mode: the Protobuf message that is the event; empty: every top-level one
	AssertFormats bool   // JSON Schema formats are assertions, whatever the workspace says
	Defer         bool   // schemas are put off where they can be told apart without being read: see contract.Event
	Loose         bool   // manifests count also where no evcontract.yaml stands: of a consumer's repository that has only them
}

// Unreadable documents the rule of what could not be read.
var Unreadable = rule.Doc{
	ID: "unreadable", Kind: rule.Tool, Severity: rule.Error,
	Title: "A file cannot be read",
	Why:   "Nothing can be said about a contract that cannot be read, so the command ends with exit code 2 rather than pass over it.",
	Fix:   "Mend the file at the place that the message names.",
}

// Set loads what a tree declares: a workspace where evcontract.yaml stands at
// its root, else its bare schemas.
func Set(ctx context.Context, tree *source.Tree, o Options) (*contract.Set, error) {
	l := &loader{tree: tree, options: o, set: &contract.Set{Tree: tree}, ids: map[*contract.Event]string{}, walked: map[string]bool{}}
	l.lock()
	data, err := tree.ReadFile(contract.WorkspaceFile)
	none := errors.Is(err, fs.ErrNotExist)
	switch {
	case o.Loose && (tree.File != "" || none):
		l.loose()
	case tree.File != "" || none:
		l.bare()
	case err != nil:
		return nil, err
	default:
		l.workspace(data)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return l.set, l.err
}

type loader struct {
	tree    *source.Tree
	options Options
	set     *contract.Set
	ids     map[*contract.Event]string  // of the manifests' bytes
	walked  map[string]bool             // the regular files that were met
	protos  map[string]*protobuf.Loader // by vendored root; empty: the workspace's own
	jsons   *jsonschema.Loader
	err     error // the first that is not about a user's text
}

// workspace loads evcontract.yaml and all that it names.
func (l *loader) workspace(data []byte) {
	w := &contract.Workspace{}
	l.decode(contract.WorkspaceFile, data, w)
	settle(w)
	l.set.Workspace = w
	root := path.Clean(w.Contracts.Value)
	if info, err := fs.Stat(l.tree.FS, root); err != nil || !info.IsDir() {
		l.unreadable(source.Errorf(placeOr(w.Contracts.Pos, contract.WorkspaceFile),
			"contracts: there is no folder %q in %s: create it, or name the folder that holds your *.event.yaml files", root, l.tree.Name))
		return
	}
	l.walk(root, l.manifest)
	l.complete()
}

// loose loads the manifests of a tree that has no evcontract.yaml, or the one
// that the tree was opened for.
func (l *loader) loose() {
	w := &contract.Workspace{}
	settle(w)
	w.Contracts.Value, w.ProtoPaths = ".", []source.At[string]{{Value: "."}}
	l.set.Workspace = w
	if l.tree.File != "" {
		l.manifest(l.tree.File)
	} else {
		l.walk(".", l.manifest)
	}
	l.complete()
}

// complete reads the schemas that the manifests name, and puts all in order.
func (l *loader) complete() {
	for _, e := range l.set.Events {
		l.schema(e)
		e.Vendored = l.set.Lock.Of(e.Pos.File) != nil
		l.strange(e)
		e.Samples = sync.OnceValue(func() [][]byte { return samples(l.tree, e) })
	}
	slices.SortFunc(l.set.Events, func(a, b *contract.Event) int {
		return strings.Compare(a.Name.Value.String(), b.Name.Value.String())
	})
	slices.SortFunc(l.set.Consumers, func(a, b *contract.Consumer) int {
		return strings.Compare(a.Name.Value, b.Name.Value)
	})
}

// walk calls visit for every file below a folder, in lexical order.
func (l *loader) walk(root string, visit func(file string)) {
	err := fs.WalkDir(l.tree.FS, root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != root && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case !d.IsDir():
			l.walked[file] = d.Type().IsRegular()
			visit(file)
		}
		return nil
	})
	l.fail(err)
}

// manifest loads one file of the contracts folder if its name says that it is one.
func (l *loader) manifest(file string) {
	switch {
	case manifestOf(file, "event"):
		if m, id, ok := l.readManifest(file); ok {
			e := &contract.Event{Manifest: m}
			l.ids[e] = id
			l.set.Events = append(l.set.Events, e)
		}
	case manifestOf(file, "consumer"):
		c := &contract.Consumer{}
		if l.read(file, c) && l.named(file, c.Name.Value, "consumer", "loyalty") {
			c.Inherit(l.set.Workspace.Defaults)
			l.set.Consumers = append(l.set.Consumers, c)
		}
	case isSchemaFile(file):
		l.set.Schemas = append(l.set.Schemas, file)
	}
}

// UnreadManifest is the first finding of a set about a manifest that cannot be
// read, nil where there is none: what such a file declares is missing from the set.
func UnreadManifest(set *contract.Set) *rule.Finding {
	for i, f := range set.Findings {
		if file := f.New.File; f.Rule == Unreadable.ID && (path.Base(file) == contract.WorkspaceFile || manifestOf(file, "event") || manifestOf(file, "consumer")) {
			return &set.Findings[i]
		}
	}
	return nil
}

// manifestOf reports whether a file is named NAME.kind.yaml, .yml or .json.
func manifestOf(file, kind string) bool {
	ext := path.Ext(file)
	return (ext == ".yaml" || ext == ".yml" || ext == ".json") && strings.HasSuffix(strings.TrimSuffix(file, ext), "."+kind)
}

// read decodes a manifest and reports whether anything of it can be used.
func (l *loader) read(file string, into any) bool {
	data, err := l.tree.ReadFile(file)
	if err != nil {
		l.unreadable(source.Errorf(source.Pos{File: file}, "%v", err))
		return false
	}
	return l.decode(file, data, into)
}

func (l *loader) decode(file string, data []byte, into any) bool {
	node, problems := source.Parse(file, data)
	if node != nil {
		problems = append(problems, source.Decode(node, into)...)
	}
	l.unreadable(problems...)
	return node != nil
}

// named refuses a manifest without the one value that all others are about.
func (l *loader) named(file, name, key, example string) bool {
	if name != "" {
		return true
	}
	for _, f := range l.set.Findings {
		if f.New.File == file {
			return false // it has been said
		}
	}
	l.unreadable(source.Errorf(source.Pos{File: file, Line: 1, Column: 1}, "%s: is missing: write %s: %s", key, key, example))
	return false
}

// unreadable turns problems of a user's text into findings.
func (l *loader) unreadable(problems ...*source.Error) {
	for _, p := range problems {
		l.set.Findings = append(l.set.Findings, rule.Finding{
			Rule: Unreadable.ID, Severity: rule.Error, Path: p.Pos.File, Message: p.Msg, Fix: Unreadable.Fix, New: p.Pos,
			Fingerprint: rule.Fingerprint(Unreadable.ID, p.Pos.File, p.Msg),
		})
	}
}

// UnreadableAt turns errors that have a place into findings.
func UnreadableAt(err error) []rule.Finding {
	l := &loader{set: &contract.Set{}}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range several.Unwrap() {
			l.set.Findings = append(l.set.Findings, UnreadableAt(one)...)
		}
	} else if at := (*source.Error)(nil); errors.As(err, &at) {
		l.unreadable(at)
	}
	return l.set.Findings
}

func (l *loader) fail(err error) {
	if l.err == nil {
		l.err = err
	}
}

func placeOr(pos source.Pos, file string) source.Pos {
	if pos.IsZero() {
		return source.Pos{File: file, Line: 1, Column: 1}
	}
	return pos
}
