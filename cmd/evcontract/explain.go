package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/evcontract/evcontract/internal/codegen"
	"github.com/evcontract/evcontract/internal/compat"
	"github.com/evcontract/evcontract/internal/lint"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
	"github.com/evcontract/evcontract/internal/vet"
)

// allDocs is every rule's page, by family.
func allDocs() []rule.Doc {
	docs := slices.Concat(compat.Docs(), lint.Docs(), codegen.Docs, vet.Docs(), load.Docs, []rule.Doc{rule.WaiverUnmatched})
	order := []rule.Kind{rule.Payload, rule.Contract, rule.Lint, rule.Code, rule.Tool}
	slices.SortStableFunc(docs, func(a, b rule.Doc) int {
		return cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind))
	})
	return docs
}

func (a *app) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "explain RULE",
		Short:             "Explain a rule: what happens to the reader, and what to do",
		Example:           "  evcontract explain field-lost",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeRules,
		RunE: func(_ *cobra.Command, args []string) error {
			var names []string
			for _, d := range allDocs() {
				if d.ID == args[0] {
					return explain(a.out, d)
				}
				names = append(names, d.ID)
			}
			if near := source.Suggest(args[0], names); near != "" {
				return fmt.Errorf("there is no rule %q: did you mean %q?", args[0], near)
			}
			return fmt.Errorf("there is no rule %q: see evcontract rules", args[0])
		},
	}
}

func completeRules(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, d := range allDocs() {
		names = append(names, d.ID+"\t"+d.Title)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func explain(w io.Writer, d rule.Doc) error {
	fmt.Fprintf(w, "%s (%s, %s)\n%s.\n", d.ID, d.Kind, d.Severity, d.Title)
	section(w, "Why", d.Why)
	section(w, "What to do", d.Fix)
	if d.Example != "" {
		fmt.Fprintf(w, "\nExample\n\n%s\n", indent(strings.TrimRight(d.Example, "\n"), "    "))
	}
	return nil
}

func section(w io.Writer, title, text string) {
	if text != "" {
		fmt.Fprintf(w, "\n%s\n%s\n", title, indent(wrap(text, 76), "    "))
	}
}

// wrap breaks a text into lines of at most width bytes where it can.
func wrap(text string, width int) string {
	var b strings.Builder
	line := 0
	for word := range strings.FieldsSeq(text) {
		if line > 0 && line+1+len(word) > width {
			b.WriteByte('\n')
			line = 0
		} else if line > 0 {
			b.WriteByte(' ')
			line++
		}
		b.WriteString(word)
		line += len(word)
	}
	return b.String()
}

func indent(text, by string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if l != "" {
			lines[i] = by + l
		}
	}
	return strings.Join(lines, "\n")
}

func (a *app) rulesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rules",
		Short: "List every rule",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			for _, d := range allDocs() {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", d.ID, d.Kind, d.Severity, d.Title)
			}
			return w.Flush()
		},
	}
}
