package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/internal/load"
)

// statusFlags are what a look at a running system can be told.
type statusFlags struct {
	store     storeFlag
	broker    string
	workspace string
	over      durationFlag
	watch     bool
	format    string
}

func (a *app) statusCommand() *cobra.Command {
	f := statusFlags{over: durationFlag(time.Second)}
	cmd := &cobra.Command{
		Use:   "status [CONSUMER...]",
		Short: "Show what waits, how old it is, and which promise is broken",
		Long: `status reads the database twice and shows, for each consumer, what waits and how
old it is, rates, handling time, retries, duplicates, what is parked and what is
in quarantine, against the slo of its contract where a workspace is at hand.

Rates are of the time between the two looks (--over). So are the P95 and the
retry ratio when at least 100 events were handled in it; else they are of all
time. The oldest message of a consumer is the oldest that it has not handled:
at the broker, or parked behind one that failed. An inbox counts as seen when it
gave a sign of life within the last minute and has not stopped since.

Exit code 1: an slo is broken, or a quarantined event is past its deadline.
Nothing is created or changed.`,
		Example: `  evcontract status --store sqlite:orders.db
  evcontract status --store sqlite:orders.db --watch
  evcontract status --over 1m --format json loyalty`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.status(cmd.Context(), &f, args) },
	}
	f.store.bind(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.broker, "broker", "", "where consumers read, if not in the same database: sqlite:`PATH` or postgres://…; else $"+brokerVariable)
	flags.StringVar(&f.workspace, "workspace", "", "the `folder` whose contracts say the slo; else the workspace here or above")
	flags.Var(&f.over, "over", "the time between the two looks")
	flags.BoolVar(&f.watch, "watch", false, "look again and again until interrupted")
	flags.StringVar(&f.format, "format", "text", "text or json")
	return cmd
}

func (a *app) status(ctx context.Context, f *statusFlags, consumers []string) (err error) {
	if f.format != "text" && f.format != "json" {
		return fmt.Errorf("--format %s: status comes as text or json", f.format)
	}
	if f.over <= 0 {
		return errors.New("--over: rates need some time between two looks: say 1s")
	}
	limits, err := a.limits(ctx, f.workspace)
	if err != nil {
		return err
	}
	db, err := f.store.attach(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	topics, closed, err := openBroker(ctx, or(f.broker, os.Getenv(brokerVariable)), db, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closed()) }()
	w := &watcher{app: a, db: db, topics: topics, limits: limits, only: consumers, flags: f}
	return w.run(ctx)
}

// limits are the workspace's, where there is one.
func (a *app) limits(ctx context.Context, dir string) (limits, error) {
	if dir == "" && workspaceAbove(".") == "" {
		return limits{}, nil
	}
	j, err := a.open(ctx, named(dir), load.Options{})
	if err == nil {
		err = unreadManifest(j.set) // what it would have said is not known: the default may be far from it
	}
	if err != nil {
		return limits{}, err
	}
	return limits{workspace: true, consumers: j.set.Consumers, outbox: time.Duration(j.set.Workspace.Defaults.SLO.OldestMessage.Value)}, nil
}

// named is a list of one argument, or of none.
func named(arg string) []string {
	if arg == "" {
		return nil
	}
	return []string{arg}
}

// watcher looks at a database again and again.
type watcher struct {
	app    *app
	db     *database
	topics func(group string) delivery.Broker
	limits limits
	only   []string
	flags  *statusFlags
}

// look is what one reading of the database said.
type look struct {
	at       time.Time
	status   delivery.Status
	backlogs map[string]delivery.Backlog
}

// run looks until it is interrupted, or twice. A person who watched and
// interrupts, at whatever moment, has seen enough: that is no error.
func (w *watcher) run(ctx context.Context) error {
	err := w.looks(ctx)
	if err != nil && w.flags.watch && ctx.Err() != nil {
		return nil
	}
	return err
}

func (w *watcher) looks(ctx context.Context) error {
	before, err := w.look(ctx)
	if err != nil {
		return err
	}
	for {
		if err := (delivery.SystemClock{}).Sleep(ctx, time.Duration(w.flags.over)); err != nil {
			return fmt.Errorf("interrupted between two looks: %w", err)
		}
		now, err := w.look(ctx)
		if err != nil {
			return err
		}
		r := judge(before, now, w.limits)
		if err := w.show(r); err != nil {
			return err
		}
		if !w.flags.watch && len(r.Broken) > 0 {
			return errFindings
		}
		if !w.flags.watch {
			return nil
		}
		before = now
	}
}

func (w *watcher) look(ctx context.Context) (look, error) {
	st, err := w.db.Status(ctx)
	if err != nil {
		return look{}, err
	}
	if err := w.selected(&st); err != nil {
		return look{}, err
	}
	l := look{at: w.app.now(), status: st, backlogs: map[string]delivery.Backlog{}}
	for _, c := range st.Consumers {
		lagging, ok := w.topics(c.Consumer).(delivery.Lagging)
		if !ok {
			continue
		}
		lag, err := lagging.Backlog(ctx)
		if err != nil {
			return look{}, fmt.Errorf("backlog of %s: %w", c.Consumer, err)
		}
		if lag.Topics > 0 {
			l.backlogs[c.Consumer] = lag
		}
	}
	return l, nil
}

// selected leaves the consumers that were asked for.
func (w *watcher) selected(st *delivery.Status) error {
	for _, name := range w.only {
		if !slices.ContainsFunc(st.Consumers, func(c delivery.ConsumerStatus) bool { return c.Consumer == name }) {
			return noConsumer(*st, name)
		}
	}
	if len(w.only) > 0 {
		st.Consumers = slices.DeleteFunc(st.Consumers, func(c delivery.ConsumerStatus) bool { return !slices.Contains(w.only, c.Consumer) })
	}
	return nil
}

// show prints one report; a person who watches on a terminal sees it in place of
// the one before.
func (w *watcher) show(r *statusReport) error {
	out := w.app.out
	if w.flags.format == "json" {
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		if !w.flags.watch {
			enc.SetIndent("", "  ")
		}
		return enc.Encode(r)
	}
	if w.flags.watch {
		fmt.Fprint(out, clearScreen(out), r.At.Local().Format(time.DateTime), "\n\n")
	}
	err := r.text(out)
	if w.flags.watch && err == nil {
		_, err = fmt.Fprintln(out)
	}
	return err
}

func clearScreen(w io.Writer) string {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return "\x1b[H\x1b[2J"
	}
	return ""
}
