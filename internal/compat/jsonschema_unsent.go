package compat

import (
	"slices"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// unsent finds what the reader reads and the writer does not send. Of a
// field and all that is below it only the field is named, and nothing that a
// refusal says already.
func (j jsonRead) unsent(said []Break) []Break {
	if j.As.OldWriter {
		return nil
	}
	var unsent []Break
	sender := j.writer.Sender(j.As.Writers != contract.OpenWriters)
	for _, f := range j.reader.Fields() {
		switch {
		case !reads(j.As, f.Path), covered(said, f.Path), covered(unsent, f.Path):
		case !sender.Sends(f.Path):
			unsent = append(unsent, unsentField(j.As, f, nearest(j.writer, f.Path)))
		}
	}
	return unsent
}

func unsentField(as Assumptions, f contract.Field, at source.Pos) Break {
	b := Break{
		Rule: "field-unsent", Severity: rule.Warning, Path: f.Path, Reader: f.Pos, Writer: at,
		Message: f.Path.String() + " is not sent: the writer's schema does not declare it, and a reader that waits for it never sees it",
		About:   []string{string(f.Type), f.Format},
	}
	if as.Declared {
		b.Severity = rule.Error
	}
	return b
}

// reads reports whether the reader reads what stands at a path.
func reads(as Assumptions, p contract.Path) bool {
	return as.Fields == nil || slices.ContainsFunc(as.Fields, p.HasPrefix)
}

func covered(breaks []Break, p contract.Path) bool {
	return slices.ContainsFunc(breaks, func(b Break) bool { return len(b.Path) > 0 && p.HasPrefix(b.Path) })
}

// nearest is the place of the last step of a path that a schema declares.
func nearest(s *jsonschema.Schema, p contract.Path) source.Pos {
	for n := len(p) - 1; n > 0; n-- {
		if f, err := s.Field(p[:n]); err == nil {
			return f.Pos
		}
	}
	return s.Pos()
}
