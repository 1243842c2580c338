package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/evcontract/evcontract"
	"github.com/evcontract/evcontract/internal/codegen"
	"github.com/evcontract/evcontract/internal/compat"
	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/report"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

func (a *app) demoCommand() *cobra.Command {
	var child, dir string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show all of it on the orders example: SQLite, no service to install",
		Long: `demo lints the orders example, refuses a harmful change with proof, accepts a
harmless one, generates Go, and then delivers events through outbox, relay and
inbox while it kills the processes that do it. It ends with the evidence that the
databases show, and with exit code 1 if any of it is not as expected.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if child != "" {
				return demoChild(cmd.Context(), child, dir)
			}
			return a.demo(cmd.Context(), dir)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "keep contracts and databases in this `folder`, to look at them")
	cmd.Flags().StringVar(&child, "child", "", "the part of a process that is going to be killed")
	_ = cmd.Flags().MarkHidden("child")
	return cmd
}

func (a *app) demo(ctx context.Context, dir string) error {
	if dir == "" {
		temporary, err := os.MkdirTemp("", "evcontract-demo-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
		dir = temporary
	}
	if err := a.demoContracts(ctx, dir); err != nil {
		return err
	}
	return a.demoDelivery(ctx, dir)
}

// demoSchema is the file that the demo changes.
const demoSchema = "contracts/orders/order_paid.v1.schema.json"

// demoChange is one edit of the schema, and what check must say to it.
type demoChange struct {
	title    string
	old, new string
	want     rule.Verdict
}

var demoChanges = []demoChange{
	{
		title: "a harmful change: amounts may have fractions now",
		old:   `"minor_units": {"description": "In the currency's smallest unit.", "type": "integer"`,
		new:   `"minor_units": {"description": "In the currency's smallest unit.", "type": "number"`,
		want:  rule.Breaking,
	},
	{
		title: "a harmless change: a new optional field",
		old:   `"coupon": {"type": "string", "maxLength": 32}`,
		new:   `"coupon": {"type": "string", "maxLength": 32}, "sales_channel": {"type": "string"}`,
		want:  rule.Compatible,
	},
}

// demoContracts is the first half: what a pull request would go through.
func (a *app) demoContracts(ctx context.Context, dir string) error {
	files, err := exampleFiles()
	if err != nil {
		return err
	}
	base, err := a.demoSet(ctx, filepath.Join(dir, "before"), files)
	if err != nil {
		return err
	}
	a.heading("lint", "the contract of OrderPaid.v1 and its three consumers")
	if err := a.demoPrint(a.lintReport(base), rule.Compatible); err != nil {
		return err
	}
	for i, change := range demoChanges {
		a.heading("check", change.title)
		edited := bytes.Replace(files[demoSchema], []byte(change.old), []byte(change.new), 1)
		if bytes.Equal(edited, files[demoSchema]) {
			return fmt.Errorf("demo: %s no longer holds %q", demoSchema, change.old)
		}
		after := map[string][]byte{}
		for name, data := range files {
			after[name] = data
		}
		after[demoSchema] = edited
		next, err := a.demoSet(ctx, filepath.Join(dir, fmt.Sprintf("after-%d", i+1)), after)
		if err != nil {
			return err
		}
		next.Tree.Ref, base.Tree.Ref = "this change", "deployed"
		if err := a.demoPrint(compat.Check(next, base, compat.Options{}), change.want); err != nil {
			return err
		}
	}
	return a.demoGenerate(base, dir)
}

// exampleFiles are the example's files by their path in a workspace.
func exampleFiles() (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(evcontract.Example, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[name], err = evcontract.Example.ReadFile(name)
		return err
	})
	return files, err
}

func (a *app) demoSet(ctx context.Context, dir string, files map[string][]byte) (*contract.Set, error) {
	if err := source.WriteFiles(dir, files); err != nil {
		return nil, err
	}
	tree, err := source.Open(ctx, dir, source.Options{PathOnly: true})
	if err != nil {
		return nil, err
	}
	return load.Set(ctx, tree, load.Options{})
}

// demoPrint shows a report as the command would, and holds it against what the
// demo promises.
func (a *app) demoPrint(r *rule.Report, want rule.Verdict) error {
	r.Version = version()
	var o output
	o.color = "auto"
	if err := report.Text(a.out, r, report.Options{Color: o.colored(a.out)}); err != nil {
		return err
	}
	if got := r.Verdict(); got != want {
		return fmt.Errorf("demo: the verdict is %s, want %s", got, want)
	}
	return nil
}

func (a *app) demoGenerate(set *contract.Set, dir string) error {
	a.heading("generate", "producers and consumers that cannot be called without a key")
	files, findings, err := codegen.Go(set, codegen.Options{Module: module(), Package: "events"})
	if err != nil {
		return err
	}
	for _, f := range findings {
		fmt.Fprintf(a.out, "%s: %s (%s)\n", f.New, f.Message, f.Rule)
	}
	out := filepath.Join(dir, "generated")
	if err := source.WriteFiles(out, files); err != nil {
		return err
	}
	for _, line := range signatures(files) {
		fmt.Fprintln(a.out, line)
	}
	return nil
}

// signatures are the lines of generated code that a user meets first.
func signatures(files map[string][]byte) []string {
	var lines []string
	for name, data := range files {
		for line := range strings.Lines(string(data)) {
			if strings.HasPrefix(line, "func New") || strings.HasPrefix(line, "func Publish") || strings.Contains(line, ") Consumer(") {
				lines = append(lines, fmt.Sprintf("%-18s %s", path.Base(name), strings.TrimSuffix(strings.TrimSpace(line), " {")))
			}
		}
	}
	slices.Sort(lines)
	return lines
}

func (a *app) heading(command, title string) {
	fmt.Fprintf(a.out, "\n── %s ── %s\n\n", command, title)
}
