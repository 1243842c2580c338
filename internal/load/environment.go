package load

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// Running is what runs of one service in an environment: the contracts as they
// were in each ref that is deployed.
type Running struct {
	Service   *contract.Service
	Repo      *Repo
	Instances []Instance // one for each ref, in the order of the environment
}

// Instance is one revision that runs.
type Instance struct {
	Ref   source.At[string]
	Set   *contract.Set // all that the service's repository declares there
	Moves bool          // the ref is a branch or HEAD: what it means now need not be what runs
}

// Moving says of each ref that is a branch what it was taken for.
func (r *Running) Moving() []*source.Error {
	var said []*source.Error
	for _, i := range r.Instances {
		if i.Moves {
			said = append(said, source.Errorf(i.Ref.Pos, "%s: %s is a branch, which moves on: taken to run is its newest commit, %.12s; write the tag or the commit that really runs",
				r.Service.Name.Value, i.Ref.Value, i.Set.Tree.Commit))
		}
	}
	return said
}

// Produces lists the events that the service emits in this revision.
func (r *Running) Produces(i Instance) []*contract.Event {
	var events []*contract.Event
	for _, e := range i.Set.Events {
		if e.Producer.Value == r.Service.Name.Value {
			events = append(events, e)
		}
	}
	return events
}

// Consumer is how the service reads in this revision, nil where it reads nothing.
func (r *Running) Consumer(i Instance) *contract.Consumer {
	for _, c := range i.Set.Consumers {
		if c.Name.Value == r.Service.Name.Value {
			return c
		}
	}
	return nil
}

// Environment reads the manifest of an environment that a workspace names. What
// is wrong with it is a *source.Error; several are joined.
func Environment(own *contract.Set, name string) (*contract.Environment, error) {
	file, err := EnvironmentFile(own.Workspace, name)
	if err != nil {
		return nil, err
	}
	data, err := own.Tree.ReadFile(path.Clean(file.Value))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, source.Errorf(file.Pos, "environments.%s: there is no file %s: write it with evcontract deployed set --env %s SERVICE=REF", name, file.Value, name)
	}
	if err != nil {
		return nil, source.Errorf(file.Pos, "environments.%s: %v", name, err)
	}
	return ParseEnvironment(name, path.Clean(file.Value), data)
}

// ParseEnvironment reads the text of an environment's manifest. A file in which
// nothing is said yet is an environment in which nothing runs.
func ParseEnvironment(name, file string, data []byte) (*contract.Environment, error) {
	env := &contract.Environment{Name: name, Pos: source.Pos{File: file, Line: 1, Column: 1}}
	if saysNothing(data) {
		return env, nil
	}
	node, problems := source.Parse(file, data)
	if node != nil {
		problems = append(problems, source.Decode(node, env)...)
	}
	env.Name = name
	return env, join(problems)
}

// saysNothing reports whether a text is blank or a comment in each line.
func saysNothing(data []byte) bool {
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}

// EnvironmentFile is where the workspace keeps an environment, relative to its
// root.
func EnvironmentFile(w *contract.Workspace, name string) (source.At[string], error) {
	file, known := w.Environments[name]
	names := slices.Sorted(maps.Keys(w.Environments))
	switch {
	case known && fs.ValidPath(path.Clean(file.Value)):
		return file, nil
	case known:
		return file, source.Errorf(file.Pos, "environments.%s: %q is no path below the workspace", name, file.Value)
	case len(names) == 0:
		return file, source.Errorf(placeOr(w.Pos, contract.WorkspaceFile), "there is no environment %q: write environments: {%s: environments/%s.yaml}", name, name, name)
	}
	hint := "it names " + strings.Join(names, ", ")
	if near := source.Suggest(name, names); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return file, source.Errorf(placeOr(w.Pos, contract.WorkspaceFile), "there is no environment %q: %s", name, hint)
}

// Running loads what runs in an environment, service by service.
func (r *Repos) Running(ctx context.Context, env *contract.Environment) ([]Running, error) {
	var all []Running
	for i := range env.Services {
		one, err := r.running(ctx, &env.Services[i])
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

func (r *Repos) running(ctx context.Context, s *contract.Service) (Running, error) {
	repo, err := r.repoOf(s)
	if err != nil {
		return Running{}, err
	}
	one := Running{Service: s, Repo: repo}
	for _, ref := range s.Runs {
		set, err := repo.Set(ctx, ref.Value)
		if err != nil {
			if other := r.elsewhere(ctx, s, ref.Value); other != "" {
				return one, source.Errorf(ref.Pos, "%s: %s has no %s: the service is in %s, write {repo: %s, runs: %s}", s.Name.Value, repo.Path, ref.Value, other, other, source.Scalar(ref.Value))
			}
			return one, asPlaced(ref.Pos, s.Name.Value, err)
		}
		moves, err := repo.Moves(ref.Value)
		if err != nil {
			return one, asPlaced(ref.Pos, s.Name.Value, err)
		}
		instance := Instance{Ref: ref, Set: set, Moves: moves}
		if one.Consumer(instance) == nil && len(one.Produces(instance)) == 0 && len(set.Findings) == 0 {
			return one, r.undeclared(ctx, s, repo, ref, set)
		}
		one.Instances = append(one.Instances, instance)
	}
	return one, nil
}

// repoOf finds the repository that a service is in.
func (r *Repos) repoOf(s *contract.Service) (*Repo, error) {
	repo := r.Repo(s.Repo.Value)
	switch {
	case s.Repo.Value != "" && repo == nil:
		var names []string
		for _, known := range r.repos {
			names = append(names, known.Name)
		}
		hint := "name it under repos: in " + contract.WorkspaceFile
		if near := source.Suggest(s.Repo.Value, names); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		return nil, source.Errorf(s.Repo.Pos, "%s: there is no repository %q: %s", s.Name.Value, s.Repo.Value, hint)
	case repo != nil:
	case r.Repo(s.Name.Value) != nil:
		repo = r.Repo(s.Name.Value)
	default:
		repo = r.Own()
	}
	if !repo.HasRefs() {
		return nil, source.Errorf(s.Runs[0].Pos, "%s: %s is in no git repository, so that it has no ref %q", s.Name.Value, repo.Path, s.Runs[0].Value)
	}
	return repo, nil
}

// elsewhere names another repository that declares a service in a ref, where the
// environment does not say in which it is; "" where there is none.
func (r *Repos) elsewhere(ctx context.Context, s *contract.Service, ref string) string {
	if s.Repo.Value != "" {
		return ""
	}
	for _, repo := range r.repos {
		if repo.Name == "" || !repo.HasRefs() {
			continue
		}
		set, err := repo.Set(ctx, ref)
		if err != nil {
			continue
		}
		one := Running{Service: s, Repo: repo}
		if i := (Instance{Set: set}); one.Consumer(i) != nil || len(one.Produces(i)) > 0 {
			return repo.Name
		}
	}
	return ""
}

func (r *Repos) undeclared(ctx context.Context, s *contract.Service, repo *Repo, ref source.At[string], set *contract.Set) error {
	names := map[string]bool{}
	for _, e := range set.Events {
		names[e.Producer.Value] = true
	}
	for _, c := range set.Consumers {
		names[c.Name.Value] = true
	}
	delete(names, "")
	known := slices.Sorted(maps.Keys(names))
	hint := "it declares " + strings.Join(known, ", ")
	other := r.elsewhere(ctx, s, ref.Value)
	switch near := source.Suggest(s.Name.Value, known); {
	case other != "":
		hint = fmt.Sprintf("%s does, write {repo: %s, runs: %s}", other, other, source.Scalar(ref.Value))
	case near != "":
		hint = fmt.Sprintf("did you mean %q?", near)
	case len(known) == 0:
		hint = "it declares nothing; if the service is in another repository, write {repo: REPO, runs: REF}"
	}
	return source.Errorf(s.Name.Pos, "%s: %s of %s declares neither a producer nor a consumer of this name: %s", s.Name.Value, ref.Value, repo.Path, hint)
}

func join(problems []*source.Error) error {
	errs := make([]error, len(problems))
	for i, p := range problems {
		errs[i] = p
	}
	return errors.Join(errs...)
}
