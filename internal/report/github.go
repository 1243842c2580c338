package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/evcontract/evcontract/internal/rule"
)

// GitHub escapes what ends a workflow command or one of its properties.
var (
	commandMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// GitHub writes workflow commands that become annotations on a pull request.
// GitHub shows about ten of each level for a step, so errors come first.
func GitHub(w io.Writer, r *rule.Report, _ Options) error {
	out := bufio.NewWriter(w)
	r = clean(r)
	for _, level := range []string{"error", "warning", "notice"} {
		for i := range r.Findings {
			if f := &r.Findings[i]; annotation(f) == level {
				fmt.Fprintln(out, command(f))
			}
		}
	}
	fmt.Fprintf(out, "evcontract: %s\n", summary(r))
	return out.Flush()
}

// annotation is the level of a finding; a waived one is shown without alarm.
func annotation(f *rule.Finding) string {
	switch {
	case f.Waived != nil || f.Severity == rule.Info:
		return "notice"
	case f.Severity == rule.Warning:
		return "warning"
	}
	return "error"
}

func command(f *rule.Finding) string {
	var properties []string
	add := func(name, value string) {
		properties = append(properties, name+"="+commandProperty.Replace(value))
	}
	if pos := place(f); pos.File != "" {
		add("file", pos.File)
		if pos.Line > 0 {
			add("line", fmt.Sprint(pos.Line))
		}
		if pos.Column > 0 {
			add("col", fmt.Sprint(pos.Column))
		}
	}
	add("title", strings.TrimSpace(f.Rule+" "+f.Path))
	message := strings.Join(append([]string{f.Message}, details(f)...), "\n")
	return "::" + annotation(f) + " " + strings.Join(properties, ",") + "::" + commandMessage.Replace(message)
}
