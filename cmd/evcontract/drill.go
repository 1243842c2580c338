package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/evcontract/evcontract/delivery/deliverytest"
)

// drillFlags say which drills are run, and where.
type drillFlags struct {
	store  string
	kills  int
	every  int
	seed   uint64
	only   []string
	list   bool
	beside bool
	keep   bool
	format string
}

func (a *app) drillCommand() *cobra.Command {
	var f drillFlags
	cmd := &cobra.Command{
		Use:   "drill",
		Short: "Break a small system on purpose, and show what the database says",
		Long: `drill runs a small business over outbox, relay, inbox and third-party calls, and
breaks it: processes are killed with SIGKILL at every step and at random, events
are duplicated, reordered, delayed and poisoned, handlers fail, hang and panic.
After each fault every invariant is checked from the tables alone, and what they
show is printed beside what must happen.

It never touches data of yours. With sqlite:PATH it makes databases of its own in
the folder of PATH and does not open PATH; without --store, in a temporary folder.
With postgres://… it makes schemas of its own, named evc_drill_…, and refuses a
database in which evcontract is in use, unless --beside-data is said: a drill
takes the server's time, and ends connections of its own. It drops what it made.
The drill that crashes a server starts one of its own, in a temporary folder, if
it finds initdb and pg_ctl ($` + deliverytest.Binaries + ` holds their folder).
$` + storeVariable + ` is not heeded: what is drilled is named by hand.

The seed decides what is random, like when processes are killed; a run that fails
prints how to run it again. What the scheduler does it cannot decide.

Exit code 1: an invariant is broken.`,
		Example: `  evcontract drill
  evcontract drill --kills 50 --store sqlite:/var/lib/orders/orders.db
  evcontract drill --kills 50 --store postgres://drill:…@test-db/drill
  evcontract drill --only 'killed at random' --seed 42`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.drill(cmd.Context(), &f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.store, "store", "", "where: sqlite:`PATH` or postgres://…; else SQLite in a temporary folder")
	flags.IntVar(&f.kills, "kills", 6, "processes to kill in the drill that kills at random")
	flags.IntVar(&f.every, "every", 4, "of the drills that try every step, try every nth; 1 tries all")
	flags.Uint64Var(&f.seed, "seed", 0, "of everything random; else from the clock")
	flags.StringArrayVar(&f.only, "only", nil, "only drills whose name holds this `TEXT`; may be repeated")
	flags.BoolVar(&f.list, "list", false, "list the drills and run none")
	flags.BoolVar(&f.beside, "beside-data", false, "run on a PostgreSQL database in which evcontract is in use")
	flags.BoolVar(&f.keep, "keep", false, "keep the databases or schemas that it made, to look at them")
	flags.StringVar(&f.format, "format", "text", "text or json")
	return cmd
}

func (a *app) drill(ctx context.Context, f *drillFlags) (err error) {
	drills, err := f.chosen()
	if err != nil {
		return err
	}
	if f.list {
		for _, d := range drills {
			fmt.Fprintf(a.out, "%s\n    %s\n", d.Name, d.Must)
		}
		return nil
	}
	ground, err := openGround(ctx, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ground.leave(ctx)) }()
	if f.seed == 0 {
		f.seed = uint64(a.now().UnixNano())
	}
	p := drillPrinter{out: a.out, flags: f}
	p.begin(len(drills), ground.where)
	for _, d := range drills {
		r := d.Run(ctx, deliverytest.Options{Fresh: ground.fresh, Crashable: ground.crashable, Seed: f.seed, Kills: f.kills, Steps: f.every})
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted in the drill %q", d.Name)
		}
		if err := p.result(r); err != nil {
			return err
		}
	}
	if f.keep {
		fmt.Fprintln(a.err, "kept:", ground.where)
	}
	return p.end()
}

// chosen are the drills that the flags want.
func (f *drillFlags) chosen() ([]deliverytest.Drill, error) {
	switch {
	case f.kills < 1:
		return nil, fmt.Errorf("--kills %d: want at least 1", f.kills)
	case f.every < 1:
		return nil, fmt.Errorf("--every %d: want at least 1", f.every)
	case f.format != "text" && f.format != "json":
		return nil, fmt.Errorf("--format %s: a drill's evidence comes as text or json", f.format)
	}
	all := deliverytest.AllDrills()
	if len(f.only) == 0 {
		return all, nil
	}
	var chosen []deliverytest.Drill
	for _, d := range all {
		for _, text := range f.only {
			if strings.Contains(d.Name, text) {
				chosen = append(chosen, d)
				break
			}
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("--only %s: no drill is called like that: evcontract drill --list", strings.Join(f.only, ", "))
	}
	return chosen, nil
}

// drillPrinter shows results as they come.
type drillPrinter struct {
	out     io.Writer
	flags   *drillFlags
	all     []drillReport
	ran     int
	skipped int
	broken  int
}

// drillReport is a result as json.
type drillReport struct {
	Drill    string          `json:"drill"`
	Must     string          `json:"must"`
	Seed     uint64          `json:"seed"`
	Passed   bool            `json:"passed"`
	Skipped  string          `json:"skipped,omitempty"`
	Evidence []drillEvidence `json:"evidence"`
	Broken   []string        `json:"broken"`
	Seconds  float64         `json:"seconds"`
}

type drillEvidence struct {
	What  string `json:"what"`
	Shows string `json:"shows"`
}

func (p *drillPrinter) begin(n int, where string) {
	if p.flags.format == "text" {
		fmt.Fprintf(p.out, "%s on %s, seed %d\n", plural(n, "drill", "drills"), where, p.flags.seed)
	}
}

func (p *drillPrinter) result(r deliverytest.Result) error {
	rep := drillReport{
		Drill: r.Drill, Must: r.Must, Seed: r.Seed, Passed: r.Passed(), Skipped: r.Skipped,
		Evidence: []drillEvidence{}, Broken: []string{}, Seconds: r.Took.Seconds(),
	}
	for _, e := range r.Evidence {
		rep.Evidence = append(rep.Evidence, drillEvidence(e))
	}
	for _, v := range r.Broken {
		rep.Broken = append(rep.Broken, v.String())
	}
	if r.Err != nil {
		rep.Broken = append(rep.Broken, r.Err.Error())
	}
	p.ran++
	switch {
	case rep.Skipped != "":
		p.skipped++
	case !rep.Passed:
		p.broken++
	}
	if p.flags.format == "json" {
		p.all = append(p.all, rep)
		return nil
	}
	return p.text(rep)
}

func (p *drillPrinter) text(r drillReport) error {
	out := bufio.NewWriter(p.out)
	mark := "✓"
	switch {
	case r.Skipped != "":
		mark = "–"
	case !r.Passed:
		mark = "✗"
	}
	fmt.Fprintf(out, "\n%s  %s\n", mark, r.Drill)
	paragraph(out, "expected", r.Must)
	if r.Skipped != "" {
		paragraph(out, "skipped", r.Skipped)
		return out.Flush()
	}
	name := "shown"
	for _, e := range r.Evidence {
		e.text(out, name)
		name = ""
	}
	for i, b := range r.Broken {
		if i == 10 {
			paragraph(out, "broken", fmt.Sprintf("and %d more", len(r.Broken)-i))
			break
		}
		paragraph(out, "broken", b)
	}
	if !r.Passed {
		paragraph(out, "again", fmt.Sprintf("evcontract drill --only '%s' --seed %d --kills %d --every %d --store …", r.Drill, r.Seed, p.flags.kills, p.flags.every))
	}
	return out.Flush()
}

// text is one row of the table: short evidence beside its name, long below it,
// in as many lines as it has parts.
func (e drillEvidence) text(out *bufio.Writer, name string) {
	const column = 41
	if utf8.RuneCountInString(e.What) <= column && utf8.RuneCountInString(e.Shows) <= 80-13-column-2 {
		fmt.Fprintf(out, "   %-9s %-*s %s\n", name, column, e.What, e.Shows)
		return
	}
	paragraph(out, name, e.What)
	for _, part := range strings.Split(e.Shows, "; ") {
		paragraph(out, "", "  "+part)
	}
}

// paragraph is a name and a text beside it, within 80 columns.
func paragraph(out *bufio.Writer, name, text string) {
	const left, width = 13, 80
	at := left
	fmt.Fprintf(out, "   %-9s", name)
	if indent := len(text) - len(strings.TrimLeft(text, " ")); indent > 0 {
		fmt.Fprintf(out, "%*s", indent, "")
		at += indent
	}
	for _, word := range strings.Fields(text) {
		if n := utf8.RuneCountInString(word); at+n >= width && at > left {
			fmt.Fprintf(out, "\n%*s", left-1, "")
			at = left
		}
		fmt.Fprint(out, " ", word)
		at += 1 + utf8.RuneCountInString(word)
	}
	fmt.Fprintln(out)
}

func (p *drillPrinter) end() error {
	if p.flags.format == "json" {
		enc := json.NewEncoder(p.out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(p.all); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(p.out, "\n%s\n", p.verdict())
	}
	if p.broken > 0 {
		return errFindings
	}
	return nil
}

func (p *drillPrinter) verdict() string {
	text := plural(p.ran-p.skipped-p.broken, "drill", "drills") + " held every invariant"
	if p.skipped > 0 {
		text += fmt.Sprintf(", %d cannot be staged here", p.skipped)
	}
	if p.broken > 0 {
		text += fmt.Sprintf(", %d BROKEN", p.broken)
	}
	return fmt.Sprintf("%s; seed %d", text, p.flags.seed)
}
