package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/source"
)

// origin is where contracts are copied from.
type origin struct {
	name string // of the folder that they go to
	from string // as the lock file has it
	set  *contract.Set
	root string // on disk, that the set's places are shown relative to; empty where they are not on disk
}

// vendorRefs copies the contracts that consumers here read.
func (a *app) vendorRefs(ctx context.Context, w *vendoring, refs []string, o vendorOptions) error {
	j, err := a.workspace(ctx, w.root)
	if err != nil {
		return err
	}
	repos, err := load.OpenRepos(ctx, j.set, load.Options{})
	if err != nil {
		return j.placed(err)
	}
	defer repos.Close()
	if o.as != "" && (len(refs) > 1 || !fileWord(o.as)) {
		return fmt.Errorf("--as %s: want one plain word for one REF", o.as)
	}
	for _, ref := range refs {
		from, err := vendorOrigin(ctx, repos, w.root, ref)
		if err != nil {
			return err
		}
		from.name = cmp.Or(o.as, from.name)
		if err := w.copyFrom(ctx, j.set, from, o.events); err != nil {
			return err
		}
	}
	return nil
}

func fileWord(s string) bool {
	return s != "" && !strings.HasPrefix(s, ".") && !odd.MatchString(s)
}

// vendorOrigin finds what NAME@REF, NAME, or a path names.
func vendorOrigin(ctx context.Context, repos *load.Repos, root, arg string) (origin, error) {
	name, ref, _ := strings.Cut(arg, "@")
	if repo := repos.Repo(name); repo != nil {
		return repoOrigin(ctx, repo, ref)
	}
	where, _, _ := strings.Cut(arg, "#")
	if _, err := os.Stat(where); err != nil {
		return origin{}, unknownOrigin(repos, arg, name)
	}
	tree, err := source.Open(ctx, arg, source.Options{PathOnly: where == arg})
	if err != nil {
		return origin{}, err
	}
	set, err := load.Set(ctx, tree, load.Options{Loose: true})
	if err != nil {
		return origin{}, err
	}
	return origin{name: originName(where), from: fromRoot(root, where) + strings.TrimPrefix(arg, where), set: set, root: tree.Dir}, nil
}

func repoOrigin(ctx context.Context, repo *load.Repo, ref string) (origin, error) {
	if repo.Name == "" {
		return origin{}, fmt.Errorf("%s is this workspace itself", repo.Path)
	}
	if ref == "" && repo.HasRefs() {
		var err error
		if ref, err = newestRef(ctx, repo); err != nil {
			return origin{}, err
		}
	}
	set, err := repo.Set(ctx, ref)
	if err != nil {
		return origin{}, fmt.Errorf("%s: %w", repo.Name, err)
	}
	o := origin{name: repo.Name, from: repo.Name, set: set, root: repo.Dir()}
	if ref != "" {
		o.from += "@" + ref
	}
	return o, nil
}

// newestRef is a repository's newest release, HEAD where there is none.
func newestRef(ctx context.Context, repo *load.Repo) (string, error) {
	tags, err := repo.Tags(ctx)
	if err != nil || len(tags) == 0 {
		return "HEAD", err
	}
	return tags[len(tags)-1].Name, nil
}

func unknownOrigin(repos *load.Repos, arg, name string) error {
	var names []string
	for _, repo := range repos.All() {
		names = append(names, repo.Name)
	}
	hint := "name the repository under repos: in " + contract.WorkspaceFile + ", or name a folder, an archive, ../orders/.git#tag=v1.4.0, or a URL that begins with https://"
	if near := source.Suggest(name, names); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return fmt.Errorf("%q is neither a repository that %s names nor a file here: %s", arg, contract.WorkspaceFile, hint)
}

// originName is a folder's or an archive's name without its endings.
func originName(where string) string {
	abs, err := filepath.Abs(where)
	if err != nil {
		abs = where
	}
	if filepath.Base(abs) == ".git" {
		abs = filepath.Dir(abs)
	}
	name, _, _ := strings.Cut(filepath.Base(abs), ".tar")
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".tgz"), ".zip")
	return strings.TrimLeft(odd.ReplaceAllString(name, "_"), ".")
}

// fromRoot writes a path as it is from the workspace's root.
func fromRoot(root, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	absRoot, errRoot := filepath.Abs(root)
	abs, err := filepath.Abs(name)
	if errRoot != nil || err != nil {
		return name
	}
	rel, err := filepath.Rel(absRoot, abs)
	if err != nil {
		return name
	}
	return filepath.ToSlash(rel)
}

// copyFrom takes the contracts of one origin that are read here, with all files
// that their schemas are made of.
func (w *vendoring) copyFrom(ctx context.Context, own *contract.Set, from origin, extra []string) error {
	root := path.Join(w.folder, from.name)
	wanted, err := wantedEvents(own, from, extra)
	if err != nil {
		return err
	}
	for _, e := range wanted {
		if twin := own.Event(e.Name.Value); twin != nil && !strings.HasPrefix(twin.Pos.File, root+"/") {
			return fmt.Errorf("%s is here already, at %s: remove that one first, with its lines in %s if it is a copy", e.Name.Value, near(w.root, twin.Pos.File), contract.LockFile)
		}
	}
	if err := w.claim(root, from); err != nil {
		return err
	}
	for _, e := range wanted {
		if e.Schema == nil {
			return fmt.Errorf("%s of %s: %s", e.Name.Value, from.from, whyUnreadable(from.set, e))
		}
		for _, file := range append([]string{e.Pos.File}, e.Schema.Files()...) {
			if err := w.copy(root, from, file); err != nil {
				return err
			}
		}
	}
	for _, v := range w.lock.Vendored {
		if strings.HasPrefix(v.File.Value, root+"/") && w.files[v.File.Value] == nil {
			if e := lostEvent(own, from, v.File.Value); e != nil {
				return fmt.Errorf("%s, which %s reads, was copied from %s, and %s does not declare it: stop to read it first, or name an older release", e.Name.Value, own.Readers(e.Name.Value)[0].Name.Value, v.From.Value, from.from)
			}
			w.dropped = append(w.dropped, v.File.Value)
		}
	}
	return w.verify(ctx, from, wanted)
}

// lostEvent is the event that a copy is the manifest of, if it is read here and
// its origin has it no more.
func lostEvent(own *contract.Set, from origin, file string) *contract.Event {
	for _, e := range own.Events {
		if e.Pos.File == file && len(own.Readers(e.Name.Value)) > 0 && from.set.Event(e.Name.Value) == nil {
			return e
		}
	}
	return nil
}

// wantedEvents are those that a consumer here reads, or that were named, and
// that the origin writes.
func wantedEvents(own *contract.Set, from origin, extra []string) ([]*contract.Event, error) {
	names := map[contract.Name]bool{}
	for _, c := range own.Consumers {
		for _, r := range c.Reads {
			names[r.Event.Value] = true
		}
	}
	var there []string
	for _, e := range from.set.Events {
		if !e.Vendored && !e.Synthetic {
			there = append(there, e.Name.Value.String())
		}
	}
	for _, word := range extra {
		name, err := contract.ParseName(word)
		if err != nil {
			return nil, fmt.Errorf("--event: %w", err)
		}
		if !slices.Contains(there, word) {
			return nil, fmt.Errorf("--event: %s does not declare %s: it declares %s", from.from, word, orDash(there))
		}
		names[name] = true
	}
	var wanted []*contract.Event
	for _, e := range from.set.Events {
		if !names[e.Name.Value] || e.Vendored || e.Synthetic {
			continue
		}
		wanted = append(wanted, e)
	}
	if len(wanted) == 0 {
		return nil, fmt.Errorf("no consumer here reads an event that %s declares, which are: %s; write a consumer's manifest first, or name an event with --event", from.from, orDash(there))
	}
	return wanted, nil
}

// claim refuses a folder that holds copies from elsewhere.
func (w *vendoring) claim(root string, from origin) error {
	for _, v := range w.lock.Vendored {
		if strings.HasPrefix(v.File.Value, root+"/") && originOf(v.From.Value) != originOf(from.from) {
			return fmt.Errorf("%s holds copies from %s: choose another folder with --as", near(w.root, root), v.From.Value)
		}
	}
	return nil
}

// originOf is the part of a lock file's from that stays when the release changes.
func originOf(from string) string {
	where, _, _ := strings.Cut(from, "#")
	name, _, _ := strings.Cut(where, "@")
	return name
}

// whyUnreadable is what loading said of an event without a schema.
func whyUnreadable(set *contract.Set, e *contract.Event) string {
	for _, f := range set.Findings {
		if f.New.File == e.Pos.File {
			return fmt.Sprintf("%s: %s", f.New, f.Message)
		}
	}
	for _, f := range set.Findings {
		return fmt.Sprintf("%s: %s", f.New, f.Message)
	}
	return "its manifest names no schema"
}

// copy takes one file. What the origin itself vendored from a URL stays known by
// that URL.
func (w *vendoring) copy(root string, from origin, file string) error {
	data, err := from.set.Tree.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%s: %w", from.from, err)
	}
	to, ok := placeIn(from.set, file)
	if !ok {
		return fmt.Errorf("%s of %s lies outside of its folder %s: only what is in it can be copied", file, from.from, from.set.Workspace.Contracts.Value)
	}
	target, by, commit := path.Join(root, to), from.from, from.set.Tree.Commit
	if v := from.set.Lock.Of(file); v != nil && strings.Contains(v.From.Value, "://") {
		target, by, commit = path.Join(w.folder, strings.TrimPrefix(to, contract.VendorFolder+"/")), v.From.Value, ""
		if had := w.lock.Of(target); had != nil && had.Digest.Value != contract.Digest(data) {
			return fmt.Errorf("%s vendored another text from %s than this workspace: run evcontract vendor %s", from.from, by, by)
		}
	}
	if other, twice := w.from[target]; twice && other != by {
		return fmt.Errorf("%s and %s would both be %s: choose another folder with --as", other, by, target)
	}
	w.files[target], w.from[target], w.commit[target] = data, by, commit
	return nil
}

// placeIn is where a file goes below the folder of its origin: a .proto file to
// the name by which others import it, all others to where they are in the folder
// of contracts, so that what they refer to is found.
func placeIn(set *contract.Set, file string) (string, bool) {
	roots := []string{path.Clean(set.Workspace.Contracts.Value)}
	if path.Ext(file) == ".proto" {
		var paths []string
		for _, p := range set.Workspace.ProtoPaths {
			paths = append(paths, path.Clean(p.Value))
		}
		roots = append(paths, roots...)
	}
	for _, root := range roots {
		if root == "." {
			return file, true
		}
		if rest, ok := strings.CutPrefix(file, root+"/"); ok {
			return rest, true
		}
	}
	return "", false
}

// verify loads the copies as they will be and compares their revisions with the
// originals': a copy that says something else is never written.
func (w *vendoring) verify(ctx context.Context, from origin, wanted []*contract.Event) error {
	manifest, err := os.ReadFile(filepath.Join(w.root, contract.WorkspaceFile))
	if err != nil {
		return err
	}
	lock := contract.Lock{}
	files := map[string][]byte{contract.WorkspaceFile: manifest}
	for file, data := range w.files {
		files[file] = data
		lock.Put(file, w.from[file], contract.Digest(data))
	}
	files[contract.LockFile] = lock.Encode()
	tree, err := source.InMemory(from.from, files)
	if err != nil {
		return err
	}
	copied, err := load.Set(ctx, tree, load.Options{})
	if err != nil {
		return err
	}
	for _, e := range wanted {
		c := copied.Event(e.Name.Value)
		switch {
		case c == nil || c.Schema == nil:
			why := "it cannot be read there"
			if c != nil {
				why = whyUnreadable(copied, c)
			}
			return fmt.Errorf("%s of %s does not stand on its own: %s", e.Name.Value, from.from, why)
		case c.Revision() != e.Revision():
			return fmt.Errorf("a copy of %s from %s would be another revision than the original: its files refer to each other in a way that a copy cannot keep", e.Name.Value, from.from)
		}
	}
	return nil
}
