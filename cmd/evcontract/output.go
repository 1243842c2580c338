package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/report"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// output is where a report goes and when it fails the command.
type output struct {
	format string
	files  []string // FORMAT=FILE
	failOn string
	color  string
}

func (o *output) bind(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text", "what standard output gets: "+strings.Join(report.Names(), ", "))
	f.StringArrayVarP(&o.files, "output", "o", nil, "also write `FORMAT=FILE`; may be repeated")
	f.StringVar(&o.failOn, "fail-on", "error", "exit with 1 at findings of this severity or worse: error, warning, info")
	f.StringVar(&o.color, "color", "auto", "auto, always or never; NO_COLOR is heeded")
}

// sink is one place that a report is written to.
type sink struct {
	format report.Format
	file   string // empty: standard output
}

// sinks checks what the flags say before any work is done.
func (o *output) sinks() ([]sink, rule.Severity, error) {
	var threshold rule.Severity
	if err := threshold.UnmarshalText([]byte(o.failOn)); err != nil {
		return nil, 0, fmt.Errorf("--fail-on: %w", err)
	}
	if !slices.Contains([]string{"auto", "always", "never"}, o.color) {
		return nil, 0, fmt.Errorf("--color: %q: want auto, always or never", o.color)
	}
	specs := []string{o.format + "="}
	specs = append(specs, o.files...)
	var sinks []sink
	for i, spec := range specs {
		name, file, ok := strings.Cut(spec, "=")
		if !ok || (i > 0 && file == "") {
			return nil, 0, fmt.Errorf("-o %s: want FORMAT=FILE, like -o sarif=findings.sarif", spec)
		}
		format, known := report.Formats[name]
		if !known {
			return nil, 0, fmt.Errorf("there is no format %q: want %s", name, strings.Join(report.Names(), ", "))
		}
		sinks = append(sinks, sink{format, file})
	}
	return sinks, threshold, nil
}

// print writes the report everywhere and says how the command ends.
func (o *output) print(a *app, r *rule.Report, files func(string) []byte) error {
	sinks, threshold, err := o.sinks()
	if err != nil {
		return err
	}
	r.Version = version()
	r.Docs = append(r.Docs, load.Docs...)
	for _, s := range sinks {
		if err := a.write(s, r, report.Options{Files: files, Color: s.file == "" && o.colored(a.out)}); err != nil {
			return err
		}
	}
	if err := a.summarize(r, files); err != nil {
		return err
	}
	unreadable := slices.ContainsFunc(r.Findings, func(f rule.Finding) bool { return f.Rule == load.Unreadable.ID })
	switch {
	case unreadable:
		return errUnreadable
	case r.Reaches(threshold):
		return errFindings
	}
	return nil
}

// summaryVariable names the file that GitHub shows on the page of a run.
const summaryVariable = "GITHUB_STEP_SUMMARY"

// summarize adds the report to the page of the run, where there is one. Other
// steps have added theirs.
func (a *app) summarize(r *rule.Report, files func(string) []byte) error {
	name := os.Getenv(summaryVariable)
	if name == "" {
		return nil
	}
	var b bytes.Buffer
	if err := report.Markdown(&b, r, report.Options{Files: files}); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("%s: %w", summaryVariable, err)
	}
	_, err = f.Write(append(b.Bytes(), '\n'))
	return errors.Join(err, f.Close())
}

func (a *app) write(s sink, r *rule.Report, o report.Options) error {
	if s.file == "" {
		return s.format(a.out, r, o)
	}
	var b bytes.Buffer
	if err := s.format(&b, r, o); err != nil {
		return err
	}
	return source.WriteFiles(filepath.Dir(s.file), map[string][]byte{filepath.Base(s.file): b.Bytes()})
}

// colored follows the flag, then NO_COLOR, then whether a person looks on.
func (o *output) colored(w io.Writer) bool {
	if o.color != "auto" {
		return o.color == "always"
	}
	f, ok := w.(*os.File)
	return ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}

var errNoWorkspace = errors.New("there is no evcontract.yaml here or in a folder above: run evcontract init, or name a folder or a schema")
