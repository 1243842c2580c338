package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/internal/load"
)

func (a *app) quarantineCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "quarantine",
		Short: "List, show, replay and discard events that could not be handled",
		Long: `quarantine works on events that a consumer gave up on. Each case has an owner and
a deadline, and stays until somebody replays or discards it.

Payloads are hidden. --show-payload shows one without what its contract lists
under pii and without fields that the contract does not know; --show-pii shows
all of it. Error texts are shown without the values that are masked, where the
contract is at hand.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("there is no %q: see evcontract quarantine --help", args[0])
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(a.quarantineList(), a.quarantineShow(), a.quarantineReplay(), a.quarantineDiscard())
	return cmd
}

// caseFlags select cases and say what of them may be seen.
type caseFlags struct {
	store     storeFlag
	workspace string
	consumer  string
	because   string
	lane      string
	payload   bool
	pii       bool
	format    string
}

func (f *caseFlags) bind(cmd *cobra.Command) {
	f.store.bind(cmd)
	cmd.Flags().StringVar(&f.workspace, "workspace", "", "the `folder` whose contracts say what is personal; else the workspace here or above")
}

func (f *caseFlags) bindFilter(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.consumer, "consumer", "", "only cases of this consumer")
	flags.StringVar(&f.because, "because", "", "only cases of this `REASON`: "+strings.Join(reasonNames(), ", "))
	flags.StringVar(&f.lane, "lane", "", "only cases of this aggregate: `TYPE/ID`")
}

var caseReasons = []delivery.Reason{
	delivery.ReasonUnidentified, delivery.ReasonPermanent, delivery.ReasonExhausted, delivery.ReasonCrash,
	delivery.ReasonGap, delivery.ReasonConflict, delivery.ReasonTooOld, delivery.ReasonLate,
}

func reasonNames() []string {
	names := make([]string, len(caseReasons))
	for i, r := range caseReasons {
		names[i] = string(r)
	}
	return names
}

// mostCases is how many cases one command works on.
const mostCases = 10_000

func (f *caseFlags) filter(args []string) (delivery.CaseFilter, error) {
	q := delivery.CaseFilter{Consumer: f.consumer, Reason: delivery.Reason(f.because), Limit: mostCases}
	if f.because != "" && !slices.Contains(caseReasons, q.Reason) {
		return q, fmt.Errorf("--because %s: want one of %s", f.because, strings.Join(reasonNames(), ", "))
	}
	if f.lane != "" {
		kind, id, ok := strings.Cut(f.lane, "/")
		if !ok {
			return q, fmt.Errorf("--lane %s: want TYPE/ID, like order/o-1", f.lane)
		}
		q.Lane = event.Lane{Type: kind, ID: id}
	}
	for _, arg := range args {
		id, err := strconv.ParseInt(arg, 10, 64)
		if err != nil {
			return q, fmt.Errorf("%q is not the number of a case: evcontract quarantine list shows them", arg)
		}
		q.IDs = append(q.IDs, id)
	}
	slices.Sort(q.IDs)
	q.IDs = slices.Compact(q.IDs)
	return q, nil
}

// view loads the contracts that say what is personal, where there are any.
func (a *app) view(ctx context.Context, f *caseFlags) (payloadView, error) {
	v := payloadView{pii: f.pii}
	if f.workspace == "" && workspaceAbove(".") == "" {
		return v, nil
	}
	j, err := a.open(ctx, named(f.workspace), load.Options{})
	if err != nil {
		return v, err
	}
	if v.unread = unreadManifest(j.set); v.unread == nil {
		v.contracts = j.set
	}
	return v, nil
}

// withCases opens the database, finds cases and hands them on.
func (a *app) withCases(ctx context.Context, f *caseFlags, q delivery.CaseFilter, do func(*database, payloadView, []delivery.Case) error) (err error) {
	v, err := a.view(ctx, f)
	if err != nil {
		return err
	}
	db, err := f.store.attach(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	if q.Consumer != "" {
		st, err := db.Status(ctx)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(st.Consumers, func(c delivery.ConsumerStatus) bool { return c.Consumer == q.Consumer }) {
			return noConsumer(st, q.Consumer)
		}
	}
	v.fetch = func(id int64) ([]byte, error) { return payloadOf(ctx, db, id) }
	found, err := db.Cases(ctx, q)
	if err != nil {
		return err
	}
	for _, id := range q.IDs {
		if !slices.ContainsFunc(found, func(c delivery.Case) bool { return c.ID == id }) {
			return a.missing(ctx, db, id, q)
		}
	}
	return do(db, v, found)
}

// payloadOf reads the payload of one case.
func payloadOf(ctx context.Context, db *database, id int64) ([]byte, error) {
	found, err := db.Cases(ctx, delivery.CaseFilter{IDs: []int64{id}})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("case %d is gone", id)
	}
	if err != nil {
		return nil, err
	}
	return found[0].Message.Payload, nil
}

// missing says why a case was not found among those that were asked for.
func (a *app) missing(ctx context.Context, db *database, id int64, q delivery.CaseFilter) error {
	found, err := db.Cases(ctx, delivery.CaseFilter{IDs: []int64{id}, Bare: true})
	switch {
	case err != nil:
		return err
	case len(found) == 0:
		return fmt.Errorf("there is no case %d: evcontract quarantine list shows them", id)
	case q.State != "" && found[0].State != q.State:
		return fmt.Errorf("case %d is %s, not %s", id, found[0].State, q.State)
	}
	return fmt.Errorf("case %d is another consumer's, lane's or reason's: it is %s of %s in %s", id, found[0].Reason, found[0].Consumer, lane(found[0]))
}

func (a *app) quarantineList() *cobra.Command {
	var f caseFlags
	var state string
	var limit int
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List cases, the oldest first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			q, err := f.filter(nil)
			if err != nil {
				return err
			}
			if q.State, err = caseState(state); err != nil {
				return err
			}
			if limit < 1 {
				return fmt.Errorf("--limit %d: want at least 1", limit)
			}
			q.Limit, q.Bare = limit, true
			return a.withCases(cmd.Context(), &f, q, func(_ *database, v payloadView, found []delivery.Case) error {
				return a.list(&f, v, found, limit)
			})
		},
	}
	f.bind(cmd)
	f.bindFilter(cmd)
	cmd.Flags().StringVar(&state, "state", "open", "open, replaying, resolved, discarded or all")
	cmd.Flags().IntVar(&limit, "limit", 100, "most cases")
	cmd.Flags().StringVar(&f.format, "format", "text", "text or json")
	return cmd
}

func caseState(name string) (delivery.CaseState, error) {
	switch s := delivery.CaseState(name); s {
	case "all":
		return "", nil
	case delivery.CaseOpen, delivery.CaseReplaying, delivery.CaseResolved, delivery.CaseDiscarded:
		return s, nil
	}
	return "", fmt.Errorf("--state %s: want open, replaying, resolved, discarded or all", name)
}

func (a *app) list(f *caseFlags, v payloadView, found []delivery.Case, limit int) error {
	if f.format == "json" {
		return a.casesJSON(f, v, found)
	} else if f.format != "text" {
		return fmt.Errorf("--format %s: quarantine comes as text or json", f.format)
	}
	if len(found) == 0 {
		fmt.Fprintln(a.out, "no cases")
		return nil
	}
	out := bufio.NewWriter(a.out)
	fmt.Fprintf(out, "%6s  %-14s %-18s %-16s %5s  %s\n", "CASE", "CONSUMER", "LANE", "REASON", "TRIES", "DUE")
	for _, c := range found {
		fmt.Fprintf(out, "%6d  %-14s %-18s %-16s %5d  %s\n", c.ID, cut(c.Consumer, 14), cut(lane(c), 18), c.Reason, c.Attempts, a.due(c))
	}
	if len(found) == limit {
		fmt.Fprintf(out, "there may be more: --limit shows more than %d\n", limit)
	}
	return out.Flush()
}

// due is when a case must be resolved, or how it was.
func (a *app) due(c delivery.Case) string {
	if c.State != delivery.CaseOpen && c.State != delivery.CaseReplaying {
		return string(c.State)
	}
	text := "in " + span(c.Due.Sub(a.now()).Seconds())
	if late := a.now().Sub(c.Due); late > 0 {
		text = span(late.Seconds()) + " ago"
	}
	if c.State == delivery.CaseReplaying {
		text += ", replaying"
	}
	return text
}

func lane(c delivery.Case) string {
	if c.Lane == (event.Lane{}) {
		return "none"
	}
	return printable(c.Lane.Type + "/" + c.Lane.ID)
}

// cut shortens a text to a column, from its end.
func cut(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width-1]) + "…"
}

func (a *app) quarantineShow() *cobra.Command {
	var f caseFlags
	cmd := &cobra.Command{
		Use:   "show CASE...",
		Short: "Show everything that is known of a case; its payload only when asked",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.pii && !f.payload {
				return errors.New("--show-pii shows personal data in payloads: say --show-payload too")
			}
			q, err := f.filter(args)
			if err != nil {
				return err
			}
			return a.withCases(cmd.Context(), &f, q, func(_ *database, v payloadView, found []delivery.Case) error {
				return a.showCases(&f, v, found)
			})
		},
	}
	f.bind(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&f.payload, "show-payload", false, "show the payload and the headers, without personal data")
	flags.BoolVar(&f.pii, "show-pii", false, "with --show-payload: show personal data too")
	flags.StringVar(&f.format, "format", "text", "text or json")
	return cmd
}

func (a *app) showCases(f *caseFlags, v payloadView, found []delivery.Case) error {
	if f.format == "json" {
		return a.casesJSON(f, v, found)
	} else if f.format != "text" {
		return fmt.Errorf("--format %s: quarantine comes as text or json", f.format)
	}
	out := bufio.NewWriter(a.out)
	for i, c := range found {
		if i > 0 {
			fmt.Fprintln(out)
		}
		r := a.caseOf(f, v, c)
		r.text(out, a.due(c))
	}
	return out.Flush()
}

func (a *app) casesJSON(f *caseFlags, v payloadView, found []delivery.Case) error {
	all := make([]caseReport, len(found))
	for i, c := range found {
		all[i] = a.caseOf(f, v, c)
	}
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(all)
}

// caseReport is a case as list and show print it.
type caseReport struct {
	Case       int64              `json:"case"`
	Consumer   string             `json:"consumer"`
	State      delivery.CaseState `json:"state"`
	Reason     delivery.Reason    `json:"reason"`
	Event      string             `json:"event"`
	ID         string             `json:"id"`
	Key        string             `json:"key"`
	LaneType   string             `json:"lane_type"`
	LaneID     string             `json:"lane_id"`
	Version    uint64             `json:"version"`
	Schema     string             `json:"schema,omitempty"`
	Source     string             `json:"source"`
	Occurred   time.Time          `json:"occurred"`
	Topic      string             `json:"topic"`
	Errors     []string           `json:"errors"`
	Attempts   int                `json:"attempts"`
	First      time.Time          `json:"first"`
	Last       time.Time          `json:"last"`
	Build      string             `json:"build"`
	Host       string             `json:"host"`
	Owner      string             `json:"owner"`
	Due        time.Time          `json:"due"`
	ResolvedBy string             `json:"resolved_by,omitempty"`
	Resolution string             `json:"resolution,omitempty"`

	PayloadBytes  int               `json:"payload_bytes"`
	PayloadSHA256 string            `json:"payload_sha256"`
	Payload       any               `json:"payload,omitempty"`
	PayloadHidden string            `json:"payload_hidden,omitempty"` // why it is not shown
	Headers       map[string]string `json:"headers,omitempty"`
}

func (a *app) caseOf(f *caseFlags, v payloadView, c delivery.Case) caseReport {
	m := c.Message
	r := caseReport{
		Case: c.ID, Consumer: c.Consumer, State: c.State, Reason: c.Reason, Event: m.Type, ID: m.ID, Key: c.Key.String(),
		LaneType: c.Lane.Type, LaneID: c.Lane.ID, Version: c.Version, Schema: m.Schema, Source: m.Source, Occurred: m.Time, Topic: m.Topic,
		Errors: v.errorsOf(c, c.Errors...), Attempts: c.Attempts, First: c.First, Last: c.Last, Build: c.Build, Host: c.Host, Owner: c.Owner, Due: c.Due,
		ResolvedBy: c.ResolvedBy, Resolution: c.Resolution,
		PayloadBytes: c.PayloadBytes, PayloadSHA256: fmt.Sprintf("%x", c.PayloadSHA256),
	}
	if !f.payload {
		r.PayloadHidden = "--show-payload shows it"
		return r
	}
	shown, _, err := v.payload(m)
	if err != nil {
		r.PayloadHidden = err.Error()
		return r
	}
	r.Payload, r.Headers = shown, m.Headers
	return r
}

// lane is what the event is about, where that is known.
func (r *caseReport) lane() string {
	switch {
	case r.LaneType == "" && r.LaneID == "":
		return ", whose lane is not known"
	case r.Version == 0:
		return fmt.Sprintf(", of %s %s", r.LaneType, r.LaneID)
	}
	return fmt.Sprintf(", version %d of %s %s", r.Version, r.LaneType, r.LaneID)
}

func (r *caseReport) text(out *bufio.Writer, due string) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(out, "  %-10s %s\n", name, printable(fmt.Sprintf(format, args...)))
	}
	fmt.Fprintf(out, "case %d of %s: %s, %s\n", r.Case, printable(r.Consumer), r.Reason, r.State)
	line("event", "%s", or(r.Event, "without a type")+r.lane())
	line("occurred", "%s at %s, topic %s", r.Occurred.UTC().Format(time.DateTime), r.Source, r.Topic)
	line("id", "%s", r.ID)
	line("key", "%s", r.Key)
	if r.Schema != "" {
		line("schema", "%s", r.Schema)
	}
	line("tried", "%s, from %s to %s", plural(r.Attempts, "time", "times"), r.First.Format(time.DateTime), r.Last.Format(time.DateTime))
	line("by", "build %s on %s", r.Build, r.Host)
	line("owner", "%s, due %s (%s)", r.Owner, r.Due.Format(time.DateTime), due)
	if r.ResolvedBy != "" {
		line("closed", "by %s: %s", r.ResolvedBy, r.Resolution)
	}
	name := "error"
	for _, text := range r.Errors {
		for part := range strings.Lines(text) { // a panic comes with its stack
			line(name, "%s", strings.TrimSpace(part))
			name = ""
		}
	}
	line("payload", "%d bytes, SHA-256 %s…", r.PayloadBytes, r.PayloadSHA256[:16])
	if r.Payload == nil {
		line("", "%s", r.PayloadHidden)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		line("header", "%s: %s", name, r.Headers[name])
	}
	r.payloadText(out)
}

func (r *caseReport) payloadText(out *bufio.Writer) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("    ", "  ")
	if err := enc.Encode(r.Payload); err != nil {
		fmt.Fprintf(out, "    %v\n", err) // a value that was read as JSON is written as JSON
		return
	}
	for line := range strings.Lines("    " + b.String()) {
		fmt.Fprintln(out, strings.TrimRight(printable(strings.TrimRight(line, "\n")), " "))
	}
}
