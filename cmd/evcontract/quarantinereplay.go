package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/evcontract/evcontract/delivery"
)

// replaying is what to replay, by whom and why.
type replaying struct {
	caseFlags
	by, reason, apply string
	wait              durationFlag
}

func (a *app) quarantineReplay() *cobra.Command {
	r := replaying{wait: durationFlag(30 * time.Second)}
	cmd := &cobra.Command{
		Use:   "replay [CASE...]",
		Short: "Have quarantined events handled again, after a dry run",
		Long: `replay has cases of one consumer handled again, lane by lane, each in the order of
its versions.

This command has none of your handlers: it asks, and a running inbox of the
consumer does it. Without --apply it is a dry run: the inbox decodes each event
with the contracts that it runs, calls the handler in a transaction and rolls it
back; calls to third parties are only recorded in that transaction, so none is
made. What would happen is printed as a plan. A paused consumer does dry runs too.

--apply PLAN carries out exactly that plan: the cases go to the heads of their
lanes, where the inbox handles them in order, and each is closed when it is done.
It is refused when a case, or the revision or build of the consumer, has changed
since. Recorded calls to third parties are then made under their stable keys.

Exit code 1: an event would fail, or failed, again.`,
		Example: `  evcontract quarantine replay 17 18 --reason "account was mended"
  evcontract quarantine replay --consumer loyalty --because exhausted --reason …
  evcontract quarantine replay --apply 5-3f9ac21b70de --reason "account was mended"`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.replay(cmd.Context(), &r, args) },
	}
	r.bind(cmd)
	r.bindFilter(cmd)
	flags := cmd.Flags()
	flags.StringVar(&r.by, "by", "", "who does it; else the user of this process")
	flags.StringVar(&r.reason, "reason", "", "why; kept with the replay")
	flags.StringVar(&r.apply, "apply", "", "carry out this `PLAN` of a dry run")
	flags.Var(&r.wait, "wait", "how long to wait while no inbox of the consumer makes a step")
	return cmd
}

func (a *app) replay(ctx context.Context, r *replaying, args []string) error {
	if strings.TrimSpace(r.reason) == "" {
		return errors.New("a replay needs --reason TEXT: it is kept with it")
	}
	r.by = or(r.by, person(), "unknown")
	if r.apply != "" {
		if len(args) > 0 || r.consumer != "" || r.because != "" || r.lane != "" {
			return errors.New("--apply PLAN carries out the plan and nothing else: leave cases and filters out")
		}
		return a.applyReplay(ctx, r)
	}
	q, err := r.selection(args)
	if err != nil {
		return err
	}
	return a.withCases(ctx, &r.caseFlags, q, func(db *database, v payloadView, found []delivery.Case) error {
		return a.rehearse(ctx, r, db, v, found)
	})
}

// rehearse asks for a dry run and prints what came of it.
func (a *app) rehearse(ctx context.Context, r *replaying, db *database, v payloadView, found []delivery.Case) error {
	if len(found) == 0 {
		return errNoCases
	}
	consumer := found[0].Consumer
	for _, c := range found {
		if c.Consumer != consumer {
			return fmt.Errorf("cases of %s and of %s: one replay is of one consumer", consumer, c.Consumer)
		}
	}
	running, err := consumerStatus(ctx, db, consumer)
	if err != nil {
		return err
	}
	if running.Members == 0 {
		return fmt.Errorf("no inbox of %s gave a sign of life within the last minute: a dry run calls its handlers, so start it first", consumer)
	}
	run, err := db.Replay(ctx, delivery.Replay{Consumer: consumer, Cases: idsOf(found), By: r.by, Reason: r.reason})
	if err != nil {
		return err
	}
	run, err = awaitReplay(ctx, db, run.ID, delivery.ReplayRehearsed, time.Duration(r.wait))
	if err != nil {
		return err
	}
	if run.State != delivery.ReplayRehearsed {
		return fmt.Errorf("no inbox of %s took the dry run within %s: nothing was done", consumer, &r.wait)
	}
	if running, err = consumerStatus(ctx, db, consumer); err != nil {
		return err
	}
	a.rehearsedText(v, run, running, found)
	if bad := notDone(run); bad > 0 {
		fmt.Fprintf(a.out, "\n%s would not be done\n", plural(bad, "case", "cases"))
	}
	fmt.Fprintf(a.out, "\nplan %s\nto do exactly this: evcontract quarantine replay --apply %s --reason …\n", planOf(run, running), planOf(run, running))
	if notDone(run) > 0 {
		return errFindings
	}
	return nil
}

// planOf names a dry run and digests what it was based on: the cases and their
// payloads, what the inbox answered, and the code that ran.
func planOf(run delivery.Replay, c delivery.ConsumerStatus) string {
	parts := []any{"replay", run.Plan, run.Cases, c.Consumer, c.Revision, c.Build}
	for _, result := range sorted(run) {
		parts = append(parts, result.Case, result.Outcome, result.Error)
	}
	return fmt.Sprintf("%d-%s", run.ID, digest(parts...))
}

// sorted are the results in the order of the plan's cases.
func sorted(run delivery.Replay) []delivery.Rehearsed {
	found := make(map[int64]delivery.Rehearsed, len(run.Results))
	for _, r := range run.Results {
		found[r.Case] = r
	}
	return delivery.ReplayResults(run.Cases, found)
}

// waiting is how many cases of a replay no inbox has settled yet.
func waiting(run delivery.Replay) (n int) {
	for _, result := range run.Results {
		if result.Outcome == delivery.Parked {
			n++
		}
	}
	return n
}

func notDone(run delivery.Replay) (n int) {
	for _, result := range run.Results {
		if result.Outcome != delivery.Done && result.Outcome != delivery.Stale {
			n++
		}
	}
	return n
}

func consumerStatus(ctx context.Context, db *database, consumer string) (delivery.ConsumerStatus, error) {
	st, err := db.Status(ctx)
	if err != nil {
		return delivery.ConsumerStatus{}, err
	}
	for _, c := range st.Consumers {
		if c.Consumer == consumer {
			return c, nil
		}
	}
	return delivery.ConsumerStatus{}, noConsumer(st, consumer)
}

// awaitReplay reads a replay until it is in a state, or until it has made no
// step for a time.
func awaitReplay(ctx context.Context, db *database, id int64, state delivery.ReplayState, within time.Duration) (delivery.Replay, error) {
	const pause = 100 * time.Millisecond
	var last [2]int
	for waited := time.Duration(0); ; waited += pause {
		run, err := db.Replay(ctx, delivery.Replay{ID: id})
		if err != nil || run.State == state || waited >= within {
			return run, err
		}
		if at := [2]int{len(run.Results), waiting(run)}; at != last {
			last, waited = at, 0
		}
		if err := (delivery.SystemClock{}).Sleep(ctx, pause); err != nil {
			return run, err
		}
	}
}

func (a *app) rehearsedText(v payloadView, run delivery.Replay, c delivery.ConsumerStatus, found []delivery.Case) {
	first, last := found[0].Message.Time, found[0].Message.Time
	for _, f := range found {
		if f.Message.Time.Before(first) {
			first = f.Message.Time
		}
		if f.Message.Time.After(last) {
			last = f.Message.Time
		}
	}
	out := bufio.NewWriter(a.out)
	fmt.Fprintf(out, "dry run %d of %s: handled and rolled back\n", run.ID, c.Consumer)
	fmt.Fprintf(out, "  consumer   revision %s, build %s\n", or(c.Revision, "unknown"), or(c.Build, "unknown"))
	fmt.Fprintf(out, "  events     of %s to %s\n", first.UTC().Format(time.DateTime), last.UTC().Format(time.DateTime))
	fmt.Fprint(out, "  effects    none; applied, calls are made under their stable keys\n\n")
	resultsText(out, v, run, found)
	_ = out.Flush() // standard output's own errors are found where it ends
}

// resultsText lists what became of each case, in the order in which they are
// handled.
func resultsText(out *bufio.Writer, v payloadView, run delivery.Replay, found []delivery.Case) {
	fmt.Fprintf(out, "%6s  %-24s %7s  %-20s %s\n", "CASE", "LANE", "VERSION", "EVENT", "RESULT")
	byID := make(map[int64]delivery.Case, len(found))
	for _, c := range found {
		byID[c.ID] = c
	}
	for _, result := range sorted(run) {
		c, have := byID[result.Case]
		if !have {
			continue // the list was read before this case was
		}
		fmt.Fprintf(out, "%6d  %-24s %7d  %-20s %s\n", c.ID, cut(lane(c), 24), c.Version, cut(printable(c.Message.Type), 20), resultWords(result.Outcome))
		if result.Error != "" {
			fmt.Fprintf(out, "        %s\n", oneLine(v.errorsOf(c, result.Error)[0], 70))
		}
	}
}

func resultWords(o delivery.Outcome) string {
	switch o {
	case delivery.Done:
		return "done"
	case delivery.Stale:
		return "skipped: stale"
	case delivery.Parked:
		return "waits"
	case delivery.Quarantined, delivery.Failed:
		return "fails"
	}
	return string(o)
}

// applyReplay carries out the plan of a dry run.
func (a *app) applyReplay(ctx context.Context, r *replaying) error {
	number, _, ok := strings.Cut(r.apply, "-")
	id, err := strconv.ParseInt(number, 10, 64)
	if !ok || err != nil {
		return fmt.Errorf("--apply %s is no plan: a dry run prints one, like 5-3f9ac21b70de", r.apply)
	}
	return a.withCases(ctx, &r.caseFlags, delivery.CaseFilter{Limit: 1, Bare: true}, func(db *database, v payloadView, _ []delivery.Case) error {
		dry, err := db.Replay(ctx, delivery.Replay{ID: id})
		if err != nil {
			return err
		}
		c, err := consumerStatus(ctx, db, dry.Consumer)
		if err != nil {
			return err
		}
		if planOf(dry, c) != r.apply {
			return errMoved
		}
		run, err := db.Replay(ctx, delivery.Replay{Apply: id, By: r.by, Reason: r.reason})
		if err != nil {
			return err
		}
		return a.applied(ctx, r, db, v, run)
	})
}

// applied waits for the inbox and prints what it did.
func (a *app) applied(ctx context.Context, r *replaying, db *database, v payloadView, run delivery.Replay) error {
	run, err := awaitReplay(ctx, db, run.ID, delivery.ReplayDone, time.Duration(r.wait))
	if err != nil {
		return err
	}
	found, err := db.Cases(ctx, delivery.CaseFilter{IDs: run.Cases, Limit: len(run.Cases), Bare: true})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "replay %d of %s\n\n", run.ID, run.Consumer)
	out := bufio.NewWriter(a.out)
	resultsText(out, v, run, found)
	if err := out.Flush(); err != nil {
		return err
	}
	c, err := consumerStatus(ctx, db, run.Consumer)
	if err != nil {
		return err
	}
	switch bad := notDone(run); {
	case run.State != delivery.ReplayDone && c.Paused:
		fmt.Fprintf(a.out, "\n%d of %d wait: %s is paused; evcontract resume %s\n", bad, len(run.Cases), c.Consumer, c.Consumer)
	case run.State != delivery.ReplayDone:
		fmt.Fprintf(a.out, "\n%d of %d are not done yet: the inbox goes on by itself; evcontract quarantine list --state replaying\n", bad, len(run.Cases))
	case bad > 0:
		fmt.Fprintf(a.out, "\n%s failed again\n", plural(bad, "case", "cases"))
		return errFindings
	}
	return nil
}
