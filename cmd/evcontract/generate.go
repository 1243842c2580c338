package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/evcontract/evcontract/internal/codegen"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

func (a *app) generateCommand() *cobra.Command {
	var out output
	var check, force bool
	var l limit
	cmd := &cobra.Command{
		Use:   "generate [PATH]",
		Short: "Generate Go producers and consumers that cannot be called without a key",
		Example: `  evcontract generate
  evcontract generate --check             # in CI: fail when the tree is stale`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, _, err := out.sinks(); err != nil {
				return err
			}
			if check && force {
				return errors.New("--check writes nothing, so --force has nothing to do: leave one of them out")
			}
			g, err := within(cmd.Context(), l, func(ctx context.Context) (*generation, error) { return a.generated(ctx, args) })
			if err != nil {
				return err
			}
			return a.generate(g, check, force, &out)
		},
	}
	out.bind(cmd)
	l.bind(cmd)
	cmd.Flags().BoolVar(&check, "check", false, "write nothing; exit with 1 when the tree is stale")
	cmd.Flags().BoolVar(&force, "force", false, "also overwrite generated files that were edited by hand")
	return cmd
}

// generation is the code of a workspace before anything is written.
type generation struct {
	of      *judged
	report  *rule.Report
	refused bool   // the report says what keeps code from being made
	dir     string // on disk, that the files belong to
	shown   string // as the user would name it
	files   map[string][]byte
}

// generated makes the code.
func (a *app) generated(ctx context.Context, args []string) (*generation, error) {
	j, err := a.open(ctx, args, load.Options{})
	if err != nil {
		return nil, err
	}
	if j.set.Bare || j.set.Tree.Dir == "" {
		return nil, errors.New("code is generated into a workspace: run this where evcontract.yaml is")
	}
	g := &generation{of: j, report: &rule.Report{Command: "generate", Docs: slices.Clone(codegen.Docs), Findings: slices.Clone(j.set.Findings)}}
	goal := j.set.Workspace.Generate.Go
	if goal == nil && len(g.report.Findings) == 0 {
		return nil, errors.New("evcontract.yaml does not say where: write generate: {go: {out: internal/events, package: events}}")
	}
	if g.refused = len(g.report.Findings) > 0; g.refused {
		return g, nil
	}
	folder := path.Clean(goal.Out.Value)
	name := goal.Package.Value
	if name == "" {
		name = path.Base(folder)
	}
	if !token.IsIdentifier(name) {
		return nil, j.placed(source.Errorf(goal.Pos, "generate.go.package: %q is no name for a Go package", name))
	}
	g.dir, g.shown = filepath.Join(j.set.Tree.Dir, filepath.FromSlash(folder)), near(j.root, folder)
	var findings []rule.Finding
	g.files, findings, err = codegen.Go(j.set, codegen.Options{Module: module(), Package: name, Version: version(), Import: importPath(g.dir)})
	if err != nil {
		return nil, err
	}
	g.report.Findings = append(g.report.Findings, findings...)
	g.refused = g.report.Reaches(rule.Error)
	return g, nil
}

// generate writes the code, or compares it with what is there.
func (a *app) generate(g *generation, check, force bool, out *output) error {
	if g.refused {
		return a.refuse(g.of, g.report, out)
	}
	stale, err := compareTree(g.dir, g.files)
	if err != nil {
		return err
	}
	a.warn(g.of, g.report)
	if check {
		return a.reportStale(stale, g.shown)
	}
	if len(stale.edited) > 0 && !force {
		return stale.keepEdits(g.shown)
	}
	return a.writeTree(g.dir, g.shown, g.files, stale)
}

// importPath is what Go calls the package in a folder: the path of the module
// around it, and the way down. It is empty where there is no module.
func importPath(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for at := abs; ; at = filepath.Dir(at) {
		if data, err := os.ReadFile(filepath.Join(at, "go.mod")); err == nil {
			rel, err := filepath.Rel(at, abs)
			if err != nil {
				return ""
			}
			return path.Join(moduleOf(data), filepath.ToSlash(rel))
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

// moduleOf reads the module line of a go.mod.
func moduleOf(mod []byte) string {
	for line := range strings.Lines(string(mod)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			return strings.Trim(strings.TrimSpace(name), `"`)
		}
	}
	return ""
}

// refuse prints findings that keep anything from being generated.
func (a *app) refuse(j *judged, r *rule.Report, out *output) error {
	r.Sort()
	j.show(r, j.root)
	return out.print(a, r, j.files)
}

// warn tells on standard error what became less typed than its schema.
func (a *app) warn(j *judged, r *rule.Report) {
	j.show(r, j.root)
	for _, f := range r.Findings {
		fmt.Fprintf(a.err, "%s: %s (%s)\n", f.New, plain(f.Message), f.Rule)
	}
}

// staleness is how a folder differs from what would be generated.
type staleness struct {
	missing, differing, surplus []string
	edited                      []string // of differing and surplus, those that somebody changed
}

func (s staleness) empty() bool { return len(s.missing)+len(s.differing)+len(s.surplus) == 0 }

// keepEdits refuses to overwrite somebody's work.
func (s staleness) keepEdits(folder string) error {
	var b strings.Builder
	for _, name := range s.edited {
		fmt.Fprintf(&b, "%s was edited by hand\n", path.Join(folder, name))
	}
	return fmt.Errorf("nothing was written:\n%smove the edit into a file of your own, or lose it with evcontract generate --force", b.String())
}

// compareTree reads what is there. A file in the way that nobody generated is an
// error: it is somebody's work.
func compareTree(dir string, files map[string][]byte) (staleness, error) {
	var s staleness
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		return s.compare(dir, name, files)
	})
	for name := range files {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); errors.Is(err, fs.ErrNotExist) {
			s.missing = append(s.missing, name)
		}
	}
	slices.Sort(s.missing)
	return s, err
}

func (s *staleness) compare(dir, name string, files map[string][]byte) error {
	have, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(dir, name)
	if err != nil {
		return err
	}
	rel = filepath.ToSlash(rel)
	want, ours := files[rel]
	origin := codegen.OriginOf(have)
	switch {
	case ours && origin == codegen.Foreign:
		return fmt.Errorf("%s was not generated by evcontract and is in the way: move it, or generate into another folder", name)
	case ours && bytes.Equal(bytes.ReplaceAll(have, []byte("\r\n"), []byte("\n")), want):
		return nil
	case ours:
		s.differing = append(s.differing, rel)
	case origin != codegen.Foreign:
		s.surplus = append(s.surplus, rel)
	default:
		return nil
	}
	if origin == codegen.Edited {
		s.edited = append(s.edited, rel)
	}
	return nil
}

func (a *app) reportStale(s staleness, folder string) error {
	if s.empty() {
		fmt.Fprintf(a.out, "%s is up to date\n", folder)
		return nil
	}
	for _, group := range []struct {
		names []string
		what  string
	}{{s.missing, "is missing"}, {s.differing, "is stale"}, {s.surplus, "is generated from nothing any more"}} {
		for _, name := range group.names {
			what := group.what
			if slices.Contains(s.edited, name) {
				what += ", and was edited by hand"
			}
			fmt.Fprintf(a.out, "%s: %s\n", path.Join(folder, name), what)
		}
	}
	fmt.Fprintln(a.out, "run: evcontract generate")
	return errFindings
}

// lost says that an edit is gone.
func (s staleness) lost(name string) string {
	if slices.Contains(s.edited, name) {
		return ", over an edit"
	}
	return ""
}

// writeTree writes what differs, and removes what is generated from nothing.
func (a *app) writeTree(dir, folder string, files map[string][]byte, s staleness) error {
	if err := source.WriteFiles(dir, files); err != nil {
		return err
	}
	for _, name := range s.surplus {
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			return err
		}
		for at := path.Dir(name); at != "."; at = path.Dir(at) {
			if os.Remove(filepath.Join(dir, filepath.FromSlash(at))) != nil {
				break // it holds something else
			}
		}
		fmt.Fprintf(a.out, "removed %s%s\n", path.Join(folder, name), s.lost(name))
	}
	for _, name := range append(s.missing, s.differing...) {
		fmt.Fprintf(a.out, "wrote %s%s\n", path.Join(folder, name), s.lost(name))
	}
	if s.empty() {
		fmt.Fprintf(a.out, "%s is up to date\n", folder)
	}
	return nil
}
