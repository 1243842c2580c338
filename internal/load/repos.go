package load

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// Repos are the repositories that a workspace knows: its own, and those under
// repos: in evcontract.yaml. What was read of one is kept, so that a commit is
// loaded once however often it is asked for. Errors about what the user wrote
// are a *source.Error, with its place.
type Repos struct {
	own     *contract.Set
	options Options
	repos   []*Repo // the workspace's own first, then by name
}

// Repo is one of them: a git repository, or a folder, an archive or a manifest
// that is in none and so has no refs.
type Repo struct {
	Name string     // its key under repos:, a folder's name where a glob found it; empty: the workspace's own
	Path string     // as a person standing in the workspace's folder names it
	Pos  source.Pos // of its path in evcontract.yaml; zero for the workspace's own

	own     bool              // the workspace's
	glob    source.At[string] // of tags
	options Options
	dir     string // on disk
	git     *source.Repository
	mu      sync.Mutex
	sets    map[string]*contract.Set // by commit
}

// OpenRepos opens the repositories of a workspace that is on disk. They are read
// until the context ends, or Close.
func OpenRepos(ctx context.Context, set *contract.Set, o Options) (*Repos, error) {
	if set.Tree.Dir == "" {
		return nil, fmt.Errorf("%s is not on disk, so that its repos and environments cannot be found: name a folder", set.Tree.Name)
	}
	r := &Repos{own: set, options: o}
	if err := r.open(ctx, &Repo{Path: ".", dir: set.Tree.Dir, own: true}); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(set.Workspace.Repos)) {
		if err := r.declared(ctx, name, set.Workspace.Repos[name]); err != nil {
			r.Close()
			return nil, err
		}
	}
	return r, nil
}

// Close ends the readers.
func (r *Repos) Close() {
	for _, repo := range r.repos {
		if repo.git != nil {
			repo.git.Close()
		}
	}
}

// declared opens what one key of repos: names.
func (r *Repos) declared(ctx context.Context, name string, d contract.Repo) error {
	at := placeOr(d.Path.Pos, contract.WorkspaceFile)
	if d.Path.Value == "" {
		return source.Errorf(placeOr(d.Pos, contract.WorkspaceFile), "repos.%s: path: is missing: write {path: ../%s}", name, name)
	}
	full := filepath.Join(r.own.Tree.Dir, filepath.FromSlash(d.Path.Value))
	if filepath.IsAbs(d.Path.Value) {
		full = d.Path.Value
	}
	if sameDir(full, r.own.Tree.Dir) {
		r.repos[0].Name, r.repos[0].glob, r.repos[0].Pos = name, d.Tags, at
		return nil
	}
	found, err := expand(full)
	if err != nil || len(found) == 0 {
		return source.Errorf(at, "repos.%s: there is no %s: clone the repository there, or mend the path", name, d.Path.Value)
	}
	for _, dir := range found {
		repo := &Repo{Name: name, Path: shownAs(r.own.Tree.Dir, dir), Pos: at, glob: d.Tags, dir: dir}
		if hasGlob(d.Path.Value) {
			repo.Name = plainName(dir)
		}
		if twin := r.Repo(repo.Name); twin != nil {
			return source.Errorf(at, "repos.%s: %s is named like %s: give each a name of its own", name, repo.Path, twin.Path)
		}
		if err := r.open(ctx, repo); err != nil {
			return source.Errorf(at, "repos.%s: %v", name, err)
		}
	}
	return nil
}

// open adds a repository. What is in no git repository is a tree without refs.
func (r *Repos) open(ctx context.Context, repo *Repo) error {
	repo.options, repo.sets = r.options, map[string]*contract.Set{}
	if info, err := os.Stat(repo.dir); err == nil && info.IsDir() {
		git, err := source.OpenRepository(ctx, repo.dir)
		if err != nil && !source.IsNoRepository(err) {
			return err
		}
		repo.git = git
	}
	r.repos = append(r.repos, repo)
	return nil
}

// All lists the repositories, the workspace's own first.
func (r *Repos) All() []*Repo { return r.repos }

// Own is the repository of the workspace itself.
func (r *Repos) Own() *Repo { return r.repos[0] }

// Repo gives the repository of a name, nil where there is none.
func (r *Repos) Repo(name string) *Repo {
	for _, repo := range r.repos {
		if repo.Name == name && name != "" {
			return repo
		}
	}
	return nil
}

// HasRefs reports whether the repository is one of git.
func (r *Repo) HasRefs() bool { return r.git != nil }

// Shallow reports whether part of the history may be missing.
func (r *Repo) Shallow() bool { return r.git != nil && r.git.Shallow }

// Dir is where the repository lies on disk; places in its sets are relative to it.
func (r *Repo) Dir() string { return r.dir }

// Glob is the glob of tags that are releases, with its place.
func (r *Repo) Glob() source.At[string] { return r.glob }

// Tags lists its releases in the order of their dates, the oldest first: the
// tags that fit the glob of repos:, else every tag.
func (r *Repo) Tags(ctx context.Context) ([]source.Tag, error) {
	if r.git == nil {
		return nil, nil
	}
	tags, err := r.git.Tags(ctx, r.glob.Value)
	if err != nil && !r.glob.Pos.IsZero() {
		return nil, source.Errorf(r.glob.Pos, "tags: %v", err)
	}
	return tags, err
}

// Merged tells the tags that a commit builds on.
func (r *Repo) Merged(ctx context.Context, commit string) (map[string]bool, error) {
	if r.git == nil || commit == "" {
		return nil, nil
	}
	return r.git.Merged(ctx, commit)
}

// Moves reports whether a ref may mean another commit tomorrow, as a branch does.
func (r *Repo) Moves(ref string) (bool, error) {
	if r.git == nil || ref == "" {
		return false, nil
	}
	return r.git.Moves(ref)
}

// Tagged is a release with what it declares.
type Tagged struct {
	source.Tag
	Repo *Repo
	Set  *contract.Set
}

// Releases walks over every release of every repository: the workspace's own
// first, and of each the newest first. A release is loaded when the walk comes to
// it; one in which the workspace was not yet there is passed over.
func (r *Repos) Releases(ctx context.Context) iter.Seq2[Tagged, error] {
	return func(yield func(Tagged, error) bool) {
		for _, repo := range r.repos {
			tags, err := repo.Tags(ctx)
			if err != nil {
				yield(Tagged{Repo: repo}, err)
				return
			}
			for _, tag := range slices.Backward(tags) {
				set, err := repo.Set(ctx, tag.Name)
				if errors.Is(err, fs.ErrNotExist) && repo.own {
					continue
				}
				if !yield(Tagged{tag, repo, set}, err) || err != nil {
					return
				}
			}
		}
	}
}

// Set loads what a ref of the repository declares; an empty ref means what lies
// on disk. Sets of one commit are one, whatever ref named it; its tree has the
// ref that was first. A folder without evcontract.yaml is loaded by the
// manifests in it.
func (r *Repo) Set(ctx context.Context, ref string) (*contract.Set, error) {
	var tree *source.Tree
	var err error
	switch {
	case ref == "":
		tree, err = source.Open(ctx, r.dir, source.Options{PathOnly: true})
	case r.git == nil:
		return nil, fmt.Errorf("%s is in no git repository, so that it has no ref %q", r.Path, ref)
	default:
		tree, err = r.git.Tree(ctx, ref)
	}
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if set := r.sets[tree.Commit]; set != nil {
		return set, nil
	}
	o := r.options
	o.Loose = true
	set, err := Set(ctx, tree, o)
	if err != nil {
		return nil, err
	}
	if !r.own {
		set.Repo = r.Name
	}
	r.sets[tree.Commit] = set
	return set, nil
}

// expand gives what a path or a glob names on disk.
func expand(name string) ([]string, error) {
	if !hasGlob(name) {
		_, err := os.Stat(name)
		return []string{name}, err
	}
	found, err := filepath.Glob(name)
	return slices.DeleteFunc(found, func(f string) bool { return strings.HasPrefix(filepath.Base(f), ".") }), err
}

func hasGlob(name string) bool { return strings.ContainsAny(name, "*?[") }

func sameDir(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}

// plainName is a folder's or a file's name without its endings.
func plainName(file string) string {
	base := filepath.Base(file)
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return base
	}
	for _, ending := range []string{".yaml", ".yml", ".json", ".consumer", ".gz", ".tgz", ".tar", ".zip"} {
		base = strings.TrimSuffix(base, ending)
	}
	return base
}

func shownAs(from, to string) string {
	if rel, err := filepath.Rel(from, to); err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(to)
}

// asPlaced gives an error a place, unless it has one.
func asPlaced(at source.Pos, what string, err error) error {
	var placed *source.Error
	if errors.As(err, &placed) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var missing *fs.PathError
	if errors.As(err, &missing) {
		err = missing.Err
	}
	return source.Errorf(at, "%s: %v", what, err)
}
