package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/source"
)

func (a *app) deployedCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "deployed",
		Short: "Tell and record which revisions run in an environment",
		Long: `An environment is a file that evcontract.yaml names, like
environments/prod.yaml: for each service, a producer or a consumer, the git refs
that run there. During a canary there are several.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.deployedList(), a.deployedSet())
	return cmd
}

func (a *app) deployedList() *cobra.Command {
	var env, store, format string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List what runs: service, ref, what it produces and reads",
		Example: `  evcontract deployed list
  evcontract deployed list --env prod --format json
  evcontract deployed list --store postgres://db.example.com/loyalty`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if format != "text" && format != "json" {
				return fmt.Errorf("--format: %q: want text or json", format)
			}
			if isDatabase(store) {
				if env != "" {
					return errors.New("--env and a database in --store: the database is of one environment, leave --env out")
				}
				return a.listReported(cmd.Context(), store, format)
			}
			return a.listDeployed(cmd.Context(), env, store, format)
		},
	}
	cmd.Flags().StringVar(&env, "env", "", "the `ENVIRONMENT`; left out: all that evcontract.yaml names")
	cmd.Flags().StringVar(&store, "store", "", storeHelp+"; or the database of the running system, where inboxes report themselves: sqlite:PATH, postgres://…")
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}

const storeHelp = "where the environments' files are, if not where evcontract.yaml says: a `FOLDER` with ENVIRONMENT.yaml"

func (a *app) deployedSet() *cobra.Command {
	var env, store string
	cmd := &cobra.Command{
		Use:   "set --env ENVIRONMENT SERVICE=REF...",
		Short: "Record what runs; comments and all other lines of the file stay",
		Example: `  evcontract deployed set --env prod orders=v1.4.0
  evcontract deployed set --env prod loyalty=v1.2.0,v1.3.0    # two run at once
  evcontract deployed set --env prod loyalty+=v1.3.0          # a canary begins
  evcontract deployed set --env prod loyalty-=v1.2.0          # and ends
  evcontract deployed set --env prod loyalty=                 # nothing of it runs`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if env == "" {
				return errors.New("say which environment: --env prod")
			}
			if isDatabase(store) {
				return errors.New("--store: in a database inboxes report themselves what runs: name a folder")
			}
			return a.setDeployed(cmd.Context(), env, store, args)
		},
	}
	cmd.Flags().StringVar(&env, "env", "", "the `ENVIRONMENT`")
	cmd.Flags().StringVar(&store, "store", "", storeHelp)
	return cmd
}

// environmentFile is where an environment is kept on disk.
type environmentFile struct {
	name, file string // as evcontract.yaml calls it; relative to dir
	dir        string
	data       []byte
}

// environmentFile finds an environment, in a folder of its own or where the
// workspace says. A file that is not there yet has no data.
func (j *judged) environmentFile(name, store string) (environmentFile, error) {
	e := environmentFile{name: name, file: name + ".yaml", dir: store}
	if store == "" {
		file, err := load.EnvironmentFile(j.set.Workspace, name)
		if err != nil {
			return e, j.placed(err)
		}
		e.file, e.dir = path.Clean(file.Value), j.set.Tree.Dir
	} else if info, err := os.Stat(store); err != nil || !info.IsDir() {
		return e, fmt.Errorf("--store %s: there is no such folder", store)
	}
	if !fs.ValidPath(e.file) {
		return e, fmt.Errorf("--env %q: this is no name", name)
	}
	data, err := os.ReadFile(filepath.Join(e.dir, filepath.FromSlash(e.file)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return e, err
	}
	e.data = data
	return e, nil
}

// shown is the file as the user would name it.
func (e environmentFile) shown() string { return near(e.dir, e.file) }

func (e environmentFile) parse() (*contract.Environment, error) {
	return load.ParseEnvironment(e.name, e.shown(), e.data)
}

// placed shows the places of errors as the user would name their files.
func (j *judged) placed(err error) error {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, one := range several.Unwrap() {
			all = append(all, j.placed(one))
		}
		return errors.Join(all...)
	}
	var wrong *source.Error
	if errors.As(err, &wrong) && !filepath.IsAbs(wrong.Pos.File) {
		shown := *wrong
		shown.Pos.File = j.shown(wrong.Pos.File)
		return &shown
	}
	return err
}

// workspace opens the workspace here or above, which must be one and be readable.
func (a *app) workspace(ctx context.Context, args ...string) (*judged, error) {
	j, err := a.open(ctx, args, load.Options{})
	if err != nil {
		return nil, err
	}
	if j.set.Bare {
		return nil, errNoWorkspace
	}
	for _, f := range j.set.Findings {
		if f.New.File == contract.WorkspaceFile {
			f.New.File = j.shown(f.New.File)
			return nil, fmt.Errorf("%s: %s", f.New, f.Message)
		}
	}
	return j, nil
}

func (a *app) setDeployed(ctx context.Context, env, store string, args []string) error {
	j, err := a.workspace(ctx)
	if err != nil {
		return err
	}
	file, err := j.environmentFile(env, store)
	if err != nil {
		return err
	}
	for _, arg := range args {
		if err := file.change(arg); err != nil {
			return err
		}
	}
	if err := a.verifyDeployed(ctx, j, file, args); err != nil {
		return err
	}
	if err := source.WriteFiles(file.dir, map[string][]byte{file.file: file.data}); err != nil {
		return err
	}
	fmt.Fprintln(a.out, "wrote", file.shown())
	return nil
}

// change does what SERVICE=REF,REF, SERVICE+=REF or SERVICE-=REF says.
func (e *environmentFile) change(arg string) error {
	left, right, ok := strings.Cut(arg, "=")
	name := strings.TrimRight(left, "+-")
	sign := strings.TrimPrefix(left, name)
	if !ok || name == "" || len(sign) > 1 {
		return fmt.Errorf("%q: want SERVICE=REF, like orders=v1.4.0", arg)
	}
	env, err := e.parse()
	if err != nil {
		return err
	}
	var refs []string
	old := env.Service(name)
	if old != nil && sign != "" {
		for _, ref := range old.Runs {
			refs = append(refs, ref.Value)
		}
	}
	for ref := range strings.SplitSeq(right, ",") {
		ref = strings.TrimSpace(ref)
		has := slices.Contains(refs, ref)
		switch {
		case ref == "" && (sign != "" || right != ""):
			return fmt.Errorf("%q: an empty ref", arg)
		case ref == "":
		case sign == "-" && !has:
			return fmt.Errorf("%q: %s does not run there", arg, ref)
		case sign == "-":
			refs = slices.DeleteFunc(refs, func(r string) bool { return r == ref })
		case !has:
			refs = append(refs, ref)
		}
	}
	return e.write(name, refs, old)
}

func (e *environmentFile) write(name string, refs []string, old *contract.Service) error {
	edit, problem := source.NewEdit(e.shown(), e.data)
	if problem != nil {
		return problem
	}
	value := ""
	if len(refs) > 0 {
		value = runsText(refs)
		if old != nil && old.Repo.Value != "" {
			value = fmt.Sprintf("{repo: %s, runs: %s}", source.Scalar(old.Repo.Value), value)
		}
	}
	data, problem := edit.Set(name, value)
	if problem != nil {
		return problem
	}
	e.data = data
	return nil
}

func runsText(refs []string) string {
	words := make([]string, len(refs))
	for i, ref := range refs {
		words[i] = source.Scalar(ref)
	}
	if len(words) == 1 {
		return words[0]
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// verifyDeployed refuses a service or a ref that there is not, before anything
// is written. Services that the command does not name are not looked at.
func (a *app) verifyDeployed(ctx context.Context, j *judged, file environmentFile, args []string) error {
	env, err := file.parse()
	if err != nil {
		return err
	}
	env.Services = slices.DeleteFunc(env.Services, func(s contract.Service) bool {
		return !slices.ContainsFunc(args, func(arg string) bool {
			left, _, _ := strings.Cut(arg, "=")
			return strings.TrimRight(left, "+-") == s.Name.Value
		})
	})
	repos, err := load.OpenRepos(ctx, j.set, load.Options{})
	if err != nil {
		return j.placed(err)
	}
	defer repos.Close()
	running, err := repos.Running(ctx, env)
	for _, r := range running {
		a.warnMoving(nil, r)
	}
	return err
}
