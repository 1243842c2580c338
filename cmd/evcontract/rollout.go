package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/evcontract/evcontract/internal/compat/rollout"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/report"
	"github.com/evcontract/evcontract/internal/source"
)

// rolloutOptions is the command line of rollout.
type rolloutOptions struct {
	env, store string
	to, only   []string
	asOf       string
	record     string
	owner      string
	observe    time.Duration
	format     string
	files      []string
	color      string
	limit      limit
}

func (a *app) rolloutCommand() *cobra.Command {
	var o rolloutOptions
	cmd := &cobra.Command{
		Use:   "rollout [PATH] --env ENVIRONMENT",
		Short: "May it roll out, in which order, and can it roll back, until when",
		Long: `rollout looks at what runs in an environment, at what may still be read of what
ran before, and at what shall run. It finds an order in which at every step every
consumer can read everything that it may meet, with the waits that this needs; or
the pairs that forbid any order, each with an event that proves it.

Without --to, every service of this repository whose contracts differ goes to
HEAD. Services of other repositories stay, unless --to names them.

Exit code 0: there is a safe order, or nothing to do. 1: there is none, or nobody can tell.
2: could not do it.`,
		Example: `  evcontract rollout --env prod
  evcontract rollout --env prod --to v1.6.0 --only loyalty
  evcontract rollout --env prod --to loyalty=v1.3.0 --to orders=v1.5.0
  evcontract rollout --env prod --to staging          # what runs there
  evcontract rollout --env prod -o svg=rollout.svg --record CHANGE.md`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.rollout(cmd.Context(), &o, args) },
	}
	o.limit.bind(cmd)
	f := cmd.Flags()
	f.StringVar(&o.env, "env", "", "the `ENVIRONMENT`")
	f.StringArrayVar(&o.to, "to", nil, "what shall run: a git `REF`, SERVICE=REF[,REF], an environment, or . for the folder as it stands; may be repeated")
	f.StringSliceVar(&o.only, "only", nil, "roll out this `SERVICE` only; may be repeated")
	f.StringVar(&o.store, "store", "", storeHelp)
	f.StringVar(&o.asOf, "as-of", "", "what counts as now: a `DATE` such as 2026-11-30, or 2026-11-30T09:00:00Z")
	f.StringVar(&o.record, "record", "", "also write a change record to `FILE.md`")
	f.StringVar(&o.owner, "owner", "", "who is responsible for the change, for the record; else the services' owners")
	f.DurationVar(&o.observe, "observe", 30*time.Minute, "how long to watch after each step, for the record")
	f.StringVar(&o.format, "format", "text", "what standard output gets: "+strings.Join(report.RolloutNames(), ", "))
	f.StringArrayVarP(&o.files, "output", "o", nil, "also write `FORMAT=FILE`; may be repeated")
	f.StringVar(&o.color, "color", "auto", "auto, always or never; NO_COLOR is heeded")
	return cmd
}

// rolloutSinks checks what the flags say before any work is done.
func (o *rolloutOptions) sinks() ([]rolloutSink, error) {
	var sinks []rolloutSink
	for i, spec := range append([]string{o.format + "="}, o.files...) {
		name, file, ok := strings.Cut(spec, "=")
		format, known := report.RolloutFormats[name]
		switch {
		case !ok || i > 0 && file == "":
			return nil, fmt.Errorf("-o %s: want FORMAT=FILE, like -o svg=rollout.svg", spec)
		case !known:
			return nil, fmt.Errorf("there is no format %q for a rollout: want %s", name, strings.Join(report.RolloutNames(), ", "))
		}
		sinks = append(sinks, rolloutSink{format, file})
	}
	if !slices.Contains([]string{"auto", "always", "never"}, o.color) {
		return nil, fmt.Errorf("--color: %q: want auto, always or never", o.color)
	}
	if o.observe < 0 {
		return nil, fmt.Errorf("--observe %s: a time that is over cannot be watched: write 30m", o.observe)
	}
	if o.env == "" {
		return nil, errors.New("say which environment: --env prod")
	}
	if isDatabase(o.store) {
		return nil, errors.New("--store: a plan begins with what an environment's file says of every service, and a database knows its own consumers: " +
			"name a folder; deployed list --store shows what inboxes report, and check --window --store judges what the database still holds")
	}
	return sinks, nil
}

type rolloutSink struct {
	format func(w io.Writer, r *report.Rollout, o report.Options) error
	file   string
}

func (a *app) rollout(ctx context.Context, o *rolloutOptions, args []string) error {
	sinks, err := o.sinks()
	if err != nil {
		return err
	}
	now, err := (&checkOptions{asOf: o.asOf}).now(a.now())
	if err != nil {
		return err
	}
	j, err := a.workspace(ctx, args...)
	if err != nil {
		return err
	}
	if err := checkDeploy(j.set.Workspace.Deploy); err != nil {
		return j.placed(err)
	}
	repos, err := load.OpenRepos(ctx, j.set, load.Options{})
	if err != nil {
		return j.placed(err)
	}
	defer repos.Close()
	f := &fleet{app: a, judged: j, repos: repos, options: o, now: now}
	r, err := within(ctx, o.limit, func(ctx context.Context) (*report.Rollout, error) {
		if err := f.gather(ctx); err != nil {
			return nil, j.placed(err)
		}
		return f.plan()
	})
	if err != nil {
		return err
	}
	for _, s := range sinks {
		if err := a.writeRollout(s, r, o); err != nil {
			return err
		}
	}
	if o.record != "" {
		if err := a.writeRollout(rolloutSink{f.recordFormat(), o.record}, r, o); err != nil {
			return err
		}
		fmt.Fprintln(a.err, "evcontract: wrote", o.record)
	}
	if r.Plan.Verdict != rollout.Safe {
		return errFindings
	}
	return nil
}

func (a *app) writeRollout(s rolloutSink, r *report.Rollout, o *rolloutOptions) error {
	if s.file == "" {
		shade := output{color: o.color}
		return s.format(a.out, r, report.Options{Color: shade.colored(a.out)})
	}
	var b bytes.Buffer
	if err := s.format(&b, r, report.Options{}); err != nil {
		return err
	}
	return source.WriteFiles(filepath.Dir(s.file), map[string][]byte{filepath.Base(s.file): b.Bytes()})
}

var placeholder = regexp.MustCompile(`[^$]\{([a-z]+)\}`)

// checkDeploy refuses a command that says {servce}, or does not say what it deploys.
func checkDeploy(command source.At[string]) error {
	known := []string{"service", "ref", "environment"}
	for _, m := range placeholder.FindAllStringSubmatch(" "+command.Value, -1) {
		if near := source.Suggest(m[1], known); near != "" && !slices.Contains(known, m[1]) {
			return source.Errorf(command.Pos, "deploy: {%s} stands for nothing: did you mean {%s}?", m[1], near)
		}
	}
	if command.Value != "" && !strings.Contains(command.Value, "{ref}") {
		return source.Errorf(command.Pos, "deploy: the command does not say what it deploys: write {ref}, and {service} where it differs")
	}
	return nil
}
