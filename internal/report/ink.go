package report

import "github.com/evcontract/evcontract/internal/rule"

// ink colours text for a terminal, or leaves it alone.
type ink bool

func (on ink) paint(code, s string) string {
	if !on || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (on ink) bold(s string) string   { return on.paint("1", s) }
func (on ink) dim(s string) string    { return on.paint("2", s) }
func (on ink) red(s string) string    { return on.paint("1;31", s) }
func (on ink) green(s string) string  { return on.paint("1;32", s) }
func (on ink) yellow(s string) string { return on.paint("33", s) }
func (on ink) blue(s string) string   { return on.paint("1;34", s) }

// severity names how bad a finding is; a waived one no longer alarms.
func (on ink) severity(f *rule.Finding) string {
	switch name := f.Severity.String(); {
	case f.Waived != nil:
		return on.dim(name + ", waived")
	case f.Severity == rule.Error:
		return on.red(name)
	case f.Severity == rule.Warning:
		return on.paint("1;33", name)
	default:
		return on.blue(name)
	}
}

// verdict colours the summary by what it says.
func (on ink) verdict(r *rule.Report, line string) string {
	switch {
	case r.Reaches(rule.Error):
		return on.red(line)
	case r.Reaches(rule.Warning):
		return on.paint("1;33", line)
	}
	return on.green(line)
}
