package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
	"github.com/evcontract/evcontract/internal/vet"
)

// vetTool serves the go command, which runs this binary as a vet tool: it asks
// for the version and the flags, and then hands over one package at a time. It
// reports whether the arguments were of that kind.
func vetTool(args []string) bool {
	if len(args) == 0 || (args[0] != "-V=full" && args[0] != "-flags" && !strings.HasSuffix(args[len(args)-1], ".cfg")) {
		return false
	}
	unitchecker.Main(vet.Analyzers()...)
	return true
}

func (a *app) vetCommand() *cobra.Command {
	var out output
	var tags string
	cmd := &cobra.Command{
		Use:   "vet [PACKAGE...]",
		Short: "Find Go code that breaks the promise of one effect a key",
		Long: `vet reads the Go code that uses generated producers and consumers, ./... unless
packages are named. It runs the go command, which keeps what it found in its
cache. Test files are not judged. A comment accepts a finding where it says why:

  //evcontract:allow key-fresh because the payment is made here

The same checks run under go vet:

  go vet -vettool=$(which evcontract) ./...`,
		Example: `  evcontract vet
  evcontract vet ./internal/...
  evcontract vet --format sarif`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, _, err := out.sinks(); err != nil {
				return err
			}
			return a.vet(cmd.Context(), args, tags, &out)
		},
	}
	out.bind(cmd)
	cmd.Flags().StringVar(&tags, "tags", "", "build tags, with commas between them")
	return cmd
}

func (a *app) vet(ctx context.Context, packages []string, tags string, out *output) error {
	if len(packages) == 0 {
		packages = []string{"./..."}
	}
	for _, p := range packages {
		if strings.HasPrefix(p, "-") {
			return fmt.Errorf("%q is no package: see evcontract vet --help", p)
		}
	}
	stdout, stderr, err := goVet(ctx, packages, tags)
	if err != nil && errors.Is(err, exec.ErrNotFound) {
		return errors.New("vet reads code with the go command, which is not on the PATH: install Go from https://go.dev/dl")
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r := &rule.Report{Command: "vet", Docs: vet.Docs()}
	if r.Findings = uncompiled(stderr); err != nil && len(r.Findings) == 0 {
		return goFailure(packages, stderr, err)
	}
	found, err := diagnostics(stdout)
	if err != nil {
		return err
	}
	r.Findings = append(r.Findings, found...)
	r.Sort()
	return out.print(a, r, func(name string) []byte {
		data, _ := os.ReadFile(filepath.FromSlash(name))
		return data
	})
}

// goVet runs the go command with this binary as its tool. It may not use the
// network: what is not in the module cache is an error.
func goVet(ctx context.Context, packages []string, tags string) (stdout, stderr []byte, err error) {
	self, err := itself()
	if err != nil {
		return nil, nil, err
	}
	args := []string{"vet", "-vettool=" + self, "-json"}
	if tags != "" {
		args = append(args, "-tags="+tags)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, packages...)...)
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOTOOLCHAIN=local")
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	err = cmd.Run()
	return o.Bytes(), e.Bytes(), err
}

// itself is the path of this binary: as it was called where that is a path, since
// one binary may serve under several names.
func itself() (string, error) {
	if called, err := exec.LookPath(os.Args[0]); err == nil {
		return filepath.Abs(called)
	}
	return os.Executable()
}

// goFailure says why the go command could not do it.
func goFailure(packages []string, stderr []byte, err error) error {
	lines := strings.Split(strings.TrimSpace(string(stderr)), "\n")
	for i, line := range lines {
		lines[i] = plain(strings.TrimSpace(line))
	}
	text := strings.Join(lines, "\n")
	switch {
	case strings.Contains(text, "does not contain main module"), strings.Contains(text, "go.mod file not found"):
		return errors.New("there is no Go module here: run vet in a folder with a go.mod, or below one")
	case strings.Contains(text, "matched no packages"):
		return fmt.Errorf("%s holds no Go packages", strings.Join(packages, " "))
	case strings.Contains(text, "GOPROXY=off"):
		return fmt.Errorf("a module is not on this machine, and vet does not use the network: run go mod download\n%s", text)
	case strings.Contains(text, "is not in std"):
		name, _, _ := strings.Cut(strings.TrimPrefix(lines[0], "package "), " ")
		return fmt.Errorf("there is no package %q: packages are named like ./shop, ./... or example.com/shop", name)
	case text == "":
		return fmt.Errorf("go vet: %w", err)
	}
	return fmt.Errorf("go vet: %s", text)
}

// compilerLine is what the go command says of code that it cannot read.
const compilerLine = `^(?:vet: )?(\S.*?\.go):(\d+)(?::(\d+))?: (.+)$`

// uncompiled makes findings of what does not compile.
func uncompiled(stderr []byte) []rule.Finding {
	var findings []rule.Finding
	seen := map[string]bool{}
	form := regexp.MustCompile(compilerLine)
	for line := range strings.Lines(string(stderr)) {
		m := form.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil || seen[m[0]] {
			continue
		}
		seen[m[0]] = true
		pos := source.Pos{File: shownFile(m[1])}
		pos.Line, _ = strconv.Atoi(m[2])
		pos.Column, _ = strconv.Atoi(m[3])
		d := load.Unreadable
		findings = append(findings, rule.Finding{
			Rule: d.ID, Severity: d.Severity, Path: pos.File, Message: m[4], Fix: "Make the code compile.", New: pos,
			Fingerprint: rule.Fingerprint(d.ID, pos.File, m[4]),
		})
	}
	return findings
}

// diagnostic is what the tool prints of a finding, in a tree of packages and analyzers.
type diagnostic struct {
	Category string `json:"category"`
	Posn     string `json:"posn"`
	Message  string `json:"message"`
}

// diagnostics reads the tool's JSON, one document a package. A package with tests
// is read twice.
func diagnostics(stdout []byte) ([]rule.Finding, error) {
	var findings []rule.Finding
	seen := map[diagnostic]bool{}
	about := map[string]int{}
	for d := json.NewDecoder(bytes.NewReader(stdout)); ; {
		var tree map[string]map[string]json.RawMessage
		if err := d.Decode(&tree); errors.Is(err, io.EOF) {
			return findings, nil
		} else if err != nil {
			return nil, fmt.Errorf("go vet printed what is no report: %w", err)
		}
		for _, pkg := range slices.Sorted(maps.Keys(tree)) {
			for _, analyzer := range slices.Sorted(maps.Keys(tree[pkg])) {
				var list []diagnostic
				if err := json.Unmarshal(tree[pkg][analyzer], &list); err != nil {
					return nil, fmt.Errorf("%s of %s failed: %s", analyzer, pkg, tree[pkg][analyzer])
				}
				for _, x := range list {
					if !seen[x] {
						seen[x] = true
						findings = append(findings, vetFinding(x, about))
					}
				}
			}
		}
	}
}

// vetFinding takes a diagnostic apart: its advice is the rule's fix.
func vetFinding(x diagnostic, about map[string]int) rule.Finding {
	f := rule.Finding{Rule: x.Category, Severity: rule.Error, Message: x.Message, New: position(x.Posn)}
	for _, d := range vet.Docs() {
		if d.ID == x.Category {
			f.Severity, f.Fix = d.Severity, d.Fix
			f.Message = strings.TrimSuffix(x.Message, vet.Advice(d))
		}
	}
	f.Path = f.New.File
	same := f.Rule + f.Path + f.Message
	f.Fingerprint = rule.Fingerprint(f.Rule, f.Path, f.Message, strconv.Itoa(about[same]))
	about[same]++
	return f
}

// position reads file:line:column.
func position(text string) source.Pos {
	var pos source.Pos
	rest, column, _ := cutLast(text)
	file, line, _ := cutLast(rest)
	pos.Line, _ = strconv.Atoi(line)
	pos.Column, _ = strconv.Atoi(column)
	pos.File = shownFile(file)
	return pos
}

func cutLast(s string) (before, after string, found bool) {
	if i := strings.LastIndexByte(s, ':'); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}

// shownFile is a file relative to where the user stands.
func shownFile(file string) string {
	here, err := os.Getwd()
	if err != nil || !filepath.IsAbs(file) {
		return filepath.ToSlash(filepath.Clean(file))
	}
	if rel, err := filepath.Rel(here, file); err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(file)
}
