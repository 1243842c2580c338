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
	"time"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/lint"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// judged is the set that a command is about, and how its places are shown.
type judged struct {
	set    *contract.Set
	root   string            // the tree's root on disk; empty where it isn't
	origin map[string]string // what a shown path is in the tree
}

// open loads what a command is about: the argument, else the workspace here or
// in a folder above.
func (a *app) open(ctx context.Context, args []string, o load.Options) (*judged, error) {
	var ref string
	if len(args) > 0 {
		ref = args[0]
	} else if ref = workspaceAbove("."); ref == "" {
		return nil, errNoWorkspace
	}
	tree, err := source.Open(ctx, ref, source.Options{PathOnly: true})
	if err != nil {
		return nil, err
	}
	set, err := load.Set(ctx, tree, o)
	if err != nil {
		return nil, err
	}
	if err := knowsMessage(o.Message, set); err != nil {
		return nil, err
	}
	if len(set.Events) == 0 && len(set.Findings) == 0 && set.Bare {
		return nil, fmt.Errorf("%s holds neither an evcontract.yaml nor a schema: run evcontract init there, or name a folder of schemas", tree.Name)
	}
	return &judged{set: set, root: tree.Dir, origin: map[string]string{}}, nil
}

// unreadManifest says which of a set's manifests cannot be read, if any: what it
// declares is then missing from the set.
func unreadManifest(set *contract.Set) error {
	f := load.UnreadManifest(set)
	if f == nil {
		return nil
	}
	return fmt.Errorf("the contracts of %s cannot be read: %s: %s (see evcontract lint)", set.Tree.Name, f.New, f.Message)
}

// knowsMessage refuses a --message that a set does not have: it would be about
// nothing, or about everything.
func knowsMessage(message string, set *contract.Set) error {
	if message == "" || len(set.Findings) > 0 {
		return nil
	}
	if !set.Bare {
		return fmt.Errorf("--message %s: the manifests of %s say which messages are events: leave it out", message, set.Tree.Name)
	}
	isProto := func(e *contract.Event) bool { return strings.Contains(e.SchemaRef.Value, "#") }
	switch {
	case len(set.Events) == 0:
		return fmt.Errorf("--message %s: there is no such message in %s", message, set.Tree.Name)
	case !slices.ContainsFunc(set.Events, isProto):
		return fmt.Errorf("--message %s: a message is Protobuf, and %s holds JSON Schema: leave it out", message, set.Tree.Name)
	}
	return nil
}

// workspaceAbove finds the nearest folder with a workspace's manifest, "" where
// there is none.
func workspaceAbove(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for at := abs; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, contract.WorkspaceFile)); err == nil {
			rel, err := filepath.Rel(abs, at)
			if err != nil {
				return at
			}
			return rel
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

// near makes the path of a file below root one that the user can click on:
// relative to where they stand. It stays as it is where the root is not on disk.
func near(root, file string) string {
	if file == "" || root == "" {
		return file
	}
	here, err := os.Getwd()
	if err != nil {
		return path.Join(root, file)
	}
	abs, err := filepath.Abs(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		return path.Join(root, file)
	}
	rel, err := filepath.Rel(here, abs)
	if err != nil {
		return filepath.ToSlash(abs)
	}
	return filepath.ToSlash(rel)
}

// show makes the places of a report relative to where the user stands. Places in
// a base that is not on disk stay relative to its root, which is the same folder.
func (j *judged) show(r *rule.Report, baseRoot string) {
	for i := range r.Findings {
		f := &r.Findings[i]
		f.New.File = j.shown(f.New.File)
		f.Old.File = near(baseRoot, f.Old.File)
	}
}

func (j *judged) shown(file string) string {
	shown := near(j.root, file)
	j.origin[shown] = file
	return shown
}

// files reads a file of the tree by the path that a report shows.
func (j *judged) files(name string) []byte {
	data, err := j.set.Tree.ReadFile(j.origin[name])
	if err != nil {
		return nil
	}
	return data
}

// base loads what a set is compared with. A git ref means the same folder, or
// the same file, as it was there. A workspace that did not exist there is an
// empty one: everything in it is new.
func (a *app) base(ctx context.Context, j *judged, ref string, o load.Options) (*contract.Set, error) {
	dir := j.set.Tree.Dir
	if dir == "" {
		dir = "."
	}
	tree, err := source.Open(ctx, ref, source.Options{Dir: dir})
	if errors.Is(err, fs.ErrNotExist) && tree == nil && isGitGap(ref, err) {
		return a.nothing(ref), nil
	}
	if err != nil {
		return nil, err
	}
	if tree.File == "" && tree.Dir == "" && tree.Commit != "" {
		tree.File = j.set.Tree.File
	}
	if _, err := fs.Stat(tree.FS, contract.WorkspaceFile); !j.set.Bare && tree.Commit != "" && errors.Is(err, fs.ErrNotExist) {
		return a.nothing(ref), nil
	}
	set, err := load.Set(ctx, tree, o)
	if err == nil && tree.Dir != "" && set.Bare && len(set.Events)+len(set.Findings) == 0 {
		return nil, fmt.Errorf("%s holds neither an evcontract.yaml nor a schema: there is nothing in it to compare with", ref)
	}
	return set, err
}

// called is a tree as a report calls it.
func called(tree *source.Tree, ref string) *source.Tree {
	again := *tree
	again.Ref = ref
	return &again
}

// isGitGap tells a folder that a commit does not have from a path that is not
// there.
func isGitGap(ref string, _ error) bool {
	_, err := os.Stat(ref)
	return err != nil && filepath.Ext(ref) == "" && !slices.Contains([]byte(ref), '/')
}

func (a *app) nothing(ref string) *contract.Set {
	fmt.Fprintf(a.err, "evcontract: %s has no workspace here: everything is new\n", ref)
	return &contract.Set{Tree: &source.Tree{Name: ref, Ref: ref}, Workspace: &contract.Workspace{}}
}

// waive accepts what the workspace's waivers accept.
func waive(r *rule.Report, w *contract.Workspace, now time.Time) {
	r.Waive(waiversOf(w), now)
}

func waiversOf(w *contract.Workspace) []rule.Waiver {
	var waivers []rule.Waiver
	for _, v := range w.Waivers {
		waivers = append(waivers, rule.Waiver{
			Fingerprint: v.Fingerprint.Value, Rule: v.Rule.Value, At: v.At.Value,
			Reason: v.Reason.Value, Owner: v.Owner.Value, Until: time.Time(v.Until.Value), Pos: v.Pos,
		})
	}
	return waivers
}

// settle is waive for a command that judged everything: a waiver of one of its
// rules that accepts nothing is told.
func (j *judged) settle(r *rule.Report, now time.Time) {
	mine := map[string]bool{"": true} // one that names no rule may be of any
	for _, d := range r.Docs {
		mine[d.ID] = true
	}
	for _, w := range r.Waive(waiversOf(j.set.Workspace), now) {
		switch f, known := j.knownRule(*w); {
		case !known:
			r.Findings = append(r.Findings, f)
		case mine[w.Rule]:
			f := w.Unmatched()
			f.New.File = j.shown(f.New.File)
			r.Findings = append(r.Findings, f)
		}
	}
	r.Docs = append(r.Docs, rule.WaiverUnmatched)
	r.Sort()
}

// knownRule tells of a waiver whose rule there is not: nothing will ever match it.
func (j *judged) knownRule(w rule.Waiver) (rule.Finding, bool) {
	if w.Rule == "" {
		return rule.Finding{}, true
	}
	var ids []string
	for _, d := range allDocs() {
		if d.ID == w.Rule {
			return rule.Finding{}, true
		}
		ids = append(ids, d.ID)
	}
	hint := "see evcontract rules"
	if near := source.Suggest(w.Rule, ids); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	incomplete := lint.ByID("waiver-incomplete")
	f := rule.Finding{
		Rule: incomplete.ID, Severity: incomplete.Severity, Path: w.At,
		Message: fmt.Sprintf("the waiver of %s names %q, and there is no such rule: %s", w.At, w.Rule, hint),
		Fix:     incomplete.Fix, New: w.Pos, Fingerprint: rule.Fingerprint(incomplete.ID, w.At, w.Rule),
	}
	f.New.File = j.shown(f.New.File)
	return f, false
}
