package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/lint"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/rule"
)

func (a *app) lintCommand() *cobra.Command {
	var out output
	var against string
	var l limit
	cmd := &cobra.Command{
		Use:   "lint [PATH]",
		Short: "Find what is wrong with contracts as they stand",
		Example: `  evcontract lint
  evcontract lint --against main          # only what is new since main
  evcontract lint --format github         # annotations on a pull request
  evcontract lint -o sarif=lint.sarif -o junit=lint.xml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, _, err := out.sinks(); err != nil {
				return err
			}
			s, err := within(cmd.Context(), l, func(ctx context.Context) (judgement, error) { return a.lint(ctx, args, against) })
			if err != nil {
				return err
			}
			return out.print(a, s.report, s.of.files)
		},
	}
	out.bind(cmd)
	l.bind(cmd)
	cmd.Flags().StringVar(&against, "against", "", "show only what is new since this `REF`, for a repository that starts with findings")
	return cmd
}

func (a *app) lint(ctx context.Context, args []string, against string) (judgement, error) {
	j, err := a.open(ctx, args, load.Options{})
	if err != nil {
		return judgement{}, err
	}
	r := a.lintReport(j.set)
	if against != "" {
		base, err := a.base(ctx, j, against, load.Options{})
		if err != nil {
			return judgement{}, err
		}
		r.Findings = without(r.Findings, a.lintReport(base).Findings)
	}
	j.show(r, j.root)
	j.settle(r, a.now())
	return judgement{j, r}, nil
}

// lintReport is everything that is wrong with one set.
func (a *app) lintReport(set *contract.Set) *rule.Report {
	r := &rule.Report{Command: "lint", Docs: lint.Docs()}
	r.Findings = append(r.Findings, set.Findings...)
	r.Findings = append(r.Findings, lint.Check(set, a.now())...)
	r.Sort()
	return r
}

// without leaves out what the base had already, as often as it had it.
func without(findings, base []rule.Finding) []rule.Finding {
	had := map[string]int{}
	for _, f := range base {
		had[f.Fingerprint]++
	}
	var left []rule.Finding
	for _, f := range findings {
		if had[f.Fingerprint] > 0 {
			had[f.Fingerprint]--
			continue
		}
		left = append(left, f)
	}
	return left
}
