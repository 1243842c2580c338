package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/evcontract/evcontract/internal/compat"
	"github.com/evcontract/evcontract/internal/load"
)

func (a *app) diffCommand() *cobra.Command {
	var format, message string
	cmd := &cobra.Command{
		Use:   "diff OLD [NEW]",
		Short: "Tell every change in words, breaking or not",
		Example: `  evcontract diff main
  evcontract diff v1.4.0 --format markdown > CHANGES.md
  evcontract diff old.json new.json`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			write, known := diffFormats[format]
			if !known {
				return fmt.Errorf("--format: %q: want text, json or markdown", format)
			}
			changes, err := a.diff(cmd.Context(), args, message)
			if err != nil {
				return err
			}
			return write(a.out, changes)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, json or markdown")
	cmd.Flags().StringVar(&message, "message", "", "the Protobuf message that is the event, `NEW[=OLD]`")
	return cmd
}

func (a *app) diff(ctx context.Context, args []string, message string) ([]compat.Change, error) {
	next, prev, renames := strings.Cut(message, "=")
	if !renames {
		prev = next
	}
	j, err := a.open(ctx, args[1:], load.Options{Message: next})
	if err != nil {
		return nil, err
	}
	base, err := a.base(ctx, j, args[0], load.Options{Message: prev})
	if err != nil {
		return nil, err
	}
	for _, f := range append(j.set.Findings, base.Findings...) {
		return nil, fmt.Errorf("%s: %s", f.New, f.Message)
	}
	changes := compat.Diff(j.set, base, map[string]string{next: prev})
	for i := range changes {
		changes[i].New.File = j.shown(changes[i].New.File)
	}
	return changes, nil
}

var diffFormats = map[string]func(io.Writer, []compat.Change) error{
	"text": diffText, "json": diffJSON, "markdown": diffMarkdown,
}

func diffText(w io.Writer, changes []compat.Change) error {
	if len(changes) == 0 {
		fmt.Fprintln(w, "no changes")
		return nil
	}
	event := ""
	for _, c := range changes {
		if c.Event != event {
			event = c.Event
			fmt.Fprintln(w, event)
		}
		fmt.Fprintf(w, "  %s %s\n", c.Mark, plain(strings.TrimSpace(c.Path+"  "+c.Text)))
	}
	return nil
}

func diffMarkdown(w io.Writer, changes []compat.Change) error {
	event := ""
	for _, c := range changes {
		if c.Event != event {
			event = c.Event
			fmt.Fprintf(w, "\n### %s\n\n", event)
		}
		path := ""
		if c.Path != "" {
			path = "`" + strings.ReplaceAll(c.Path, "`", "'") + "` "
		}
		fmt.Fprintf(w, "- %s %s%s\n", map[compat.Mark]string{compat.Added: "added", compat.Removed: "removed", compat.Changed: "changed"}[c.Mark], path, plain(c.Text))
	}
	return nil
}

func diffJSON(w io.Writer, changes []compat.Change) error {
	type place struct {
		File   string `json:"file"`
		Line   int    `json:"line"`
		Column int    `json:"column"`
	}
	type change struct {
		Event string `json:"event"`
		Kind  string `json:"kind"`
		Path  string `json:"path"`
		Text  string `json:"text"`
		New   *place `json:"new"`
		Old   *place `json:"old"`
	}
	kinds := map[compat.Mark]string{compat.Added: "added", compat.Removed: "removed", compat.Changed: "changed"}
	all := []change{}
	for _, c := range changes {
		entry := change{Event: c.Event, Kind: kinds[c.Mark], Path: c.Path, Text: c.Text}
		if !c.New.IsZero() {
			entry.New = &place{c.New.File, c.New.Line, c.New.Column}
		}
		if !c.Old.IsZero() {
			entry.Old = &place{c.Old.File, c.Old.Line, c.Old.Column}
		}
		all = append(all, entry)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(map[string]any{"tool": "evcontract", "version": version(), "changes": all})
}

// plain lets no control character of a contract through to a terminal.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) {
			return '\uFFFD'
		}
		return r
	}, s)
}
