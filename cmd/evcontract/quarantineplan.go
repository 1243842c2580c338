package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/evcontract/evcontract/delivery"
)

// planDigits is how much of a digest a person copies.
const planDigits = 12

// digest is what a plan is known by: the same only while nothing of it has moved.
func digest(parts ...any) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%q\n", fmt.Sprint(p))
	}
	return hex.EncodeToString(h.Sum(nil))[:planDigits]
}

// casesDigest covers everything of cases that a decision about them is based on.
func casesDigest(found []delivery.Case) string {
	var parts []any
	for _, c := range found {
		parts = append(parts, c.ID, c.Consumer, c.Key, c.Lane, c.Version, c.Reason, c.Attempts, c.State, c.Last.UnixMicro(), c.PayloadSHA256)
	}
	return digest(parts...)
}

var errMoved = errors.New("this is not the plan as things stand now: cases, reason or name have changed since the dry run; nothing was done. Run it again without --apply and look at what it prints")

// discarding is what to discard, by whom and why.
type discarding struct {
	caseFlags
	by, reason, apply string
}

func (a *app) quarantineDiscard() *cobra.Command {
	var d discarding
	cmd := &cobra.Command{
		Use:   "discard [CASE...]",
		Short: "Close cases without handling them: their business effect never happens",
		Long: `discard closes open cases for good: their events count as handled, and a lane that
waited for one goes on behind it. Who decided it and why is kept.

Without --apply it is a dry run, which prints what would be closed and a digest
of it. --apply DIGEST closes exactly that, or nothing where it has changed.`,
		Example: `  evcontract quarantine discard 17 18 --by ada --reason "test orders of staging"
  evcontract quarantine discard 17 18 --by ada --reason "test orders of staging" --apply 3f9ac21b70de
  evcontract quarantine discard --consumer loyalty --because too_old --by ada --reason …`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.discard(cmd.Context(), &d, args) },
	}
	d.bind(cmd)
	d.bindFilter(cmd)
	flags := cmd.Flags()
	flags.StringVar(&d.by, "by", "", "who decided it; kept with the case")
	flags.StringVar(&d.reason, "reason", "", "why; kept with the case")
	flags.StringVar(&d.apply, "apply", "", "do what the dry run with this `DIGEST` printed")
	return cmd
}

func (a *app) discard(ctx context.Context, d *discarding, args []string) error {
	if strings.TrimSpace(d.by) == "" || strings.TrimSpace(d.reason) == "" {
		return errors.New("discarding needs --by NAME and --reason TEXT: both are kept with the case")
	}
	q, err := d.selection(args)
	if err != nil {
		return err
	}
	return a.withCases(ctx, &d.caseFlags, q, func(db *database, v payloadView, found []delivery.Case) error {
		if len(found) == 0 {
			return errNoCases
		}
		plan := digest("discard", casesDigest(found), d.by, d.reason)
		if d.apply == "" {
			a.planText(v, found)
			fmt.Fprintf(a.out, "\ndry run: %s would be discarded by %s: %s\nplan %s\nto do exactly this, run it again with --apply %s\n",
				plural(len(found), "case", "cases"), d.by, d.reason, plan, plan)
			return nil
		}
		if d.apply != plan {
			return errMoved
		}
		ids := idsOf(found)
		if err := db.Discard(ctx, ids, d.by, d.reason); err != nil {
			return err
		}
		fmt.Fprintf(a.out, "%s discarded by %s: %s\n", plural(len(ids), "case", "cases"), d.by, d.reason)
		return nil
	})
}

var errNoCases = errors.New("no open case is like that: evcontract quarantine list shows them")

// selection is a filter of open cases that names at least something.
func (f *caseFlags) selection(args []string) (delivery.CaseFilter, error) {
	q, err := f.filter(args)
	if err == nil && len(args) == 0 && f.consumer == "" {
		return q, errors.New("which cases? Name their numbers, or a consumer with --consumer, narrowed by --because or --lane")
	}
	q.State, q.Bare = delivery.CaseOpen, true
	return q, err
}

func idsOf(found []delivery.Case) []int64 {
	ids := make([]int64, len(found))
	for i, c := range found {
		ids[i] = c.ID
	}
	return ids
}

// planText lists cases as a plan has them.
func (a *app) planText(v payloadView, found []delivery.Case) {
	out := bufio.NewWriter(a.out)
	fmt.Fprintf(out, "%6s  %-14s %-18s %7s  %s\n", "CASE", "CONSUMER", "LANE", "VERSION", "REASON")
	for _, c := range found {
		fmt.Fprintf(out, "%6d  %-14s %-18s %7d  %s\n", c.ID, cut(c.Consumer, 14), cut(lane(c), 18), c.Version, c.Reason)
		if len(c.Errors) > 0 {
			fmt.Fprintf(out, "        %s\n", oneLine(v.errorsOf(c, c.Errors[0])[0], 70))
		}
	}
	_ = out.Flush() // standard output's own errors are found where it ends
}

// oneLine is the first line of a text, cut to a width.
func oneLine(text string, width int) string {
	first, _, _ := strings.Cut(text, "\n")
	return cut(printable(first), width)
}
