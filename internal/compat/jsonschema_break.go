package compat

import (
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// broken turns a fact into a break.
func (j jsonRead) broken(f jsonFact) Break {
	id := f.rule()
	f = f.named()
	return Break{
		Rule:     id,
		Severity: rule.Error,
		Path:     f.path,
		Message:  f.message(),
		Reader:   j.reader.PosAt(f.reader.File, f.reader.Pointer),
		Writer:   j.writerPos(f),
		Witness: &rule.Witness{
			Event:      f.event.JSON(),
			Mark:       f.mark,
			ReaderSees: f.sees,
		},
		About: []string{f.keyword, j.reader.DigestAt(f.reader), j.writer.DigestAt(f.writer)},
	}
}

// writerPos is where the writer's schema speaks of the field, else of what is
// around it.
func (j jsonRead) writerPos(f jsonFact) source.Pos {
	if field, err := j.writer.Field(f.path); err == nil {
		return field.Pos
	}
	if f.writer.Node != nil {
		return j.writer.PosAt(f.writer.File, f.writer.Pointer)
	}
	return nearest(j.writer, f.path)
}
