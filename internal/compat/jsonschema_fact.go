package compat

import (
	"strconv"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/source"
)

// jsonFact is one break as the engine found it: an event, the part of it that
// the reader refuses, and the keyword that refuses it.
type jsonFact struct {
	event   *source.Node
	mark    string        // JSON pointer of the part
	sees    string        // what the reader's validator says of it
	path    contract.Path // to the part
	keyword string
	reader  jsonschema.Ref // the keyword's value, or the subschema that holds it
	holder  *source.Node   // the reader's subschema that has the keyword
	writer  jsonschema.Ref // the writer's subschema for the part; its Node is nil where it has none

	declares func(contract.Path) bool // whether the reader's schema names a path
}

// value is the part of the event that the reader refuses.
func (f jsonFact) value() *source.Node { return f.event.Find(f.mark) }

// demand is the value of the keyword that refuses.
func (f jsonFact) demand() *source.Node {
	if n := f.reader.Node.Get(f.keyword); n != nil && !strings.HasSuffix(f.reader.Pointer, "/"+f.keyword) {
		return n
	}
	return f.reader.Node
}

// jsonPath turns the segments of the engine into a path.
func jsonPath(segments []string) contract.Path {
	var p contract.Path
	for _, s := range segments {
		p = p.Then(jsonStep(s))
	}
	return p
}

func jsonStep(segment string) contract.Step {
	switch {
	case segment == "[]":
		return contract.Step{Kind: contract.ElementStep}
	case segment == "{}":
		return contract.Step{Kind: contract.ValueStep}
	case strings.HasPrefix(segment, "[") && strings.HasSuffix(segment, "]"):
		if i, err := strconv.Atoi(segment[1 : len(segment)-1]); err == nil {
			return contract.Step{Kind: contract.PlaceStep, Index: i}
		}
	}
	return contract.Step{Kind: contract.FieldStep, Name: segment}
}

// jsonSegments turns paths into what the engine takes.
func jsonSegments(paths []contract.Path) [][]string {
	var all [][]string
	for _, p := range paths {
		var segments []string
		for _, s := range p {
			if s.Kind == contract.FieldStep {
				segments = append(segments, s.Name)
			} else {
				segments = append(segments, s.String())
			}
		}
		all = append(all, segments)
	}
	return all
}

// below gives the fact with its path and its mark one field further down.
func (f jsonFact) below(name string) jsonFact {
	f.path = f.path.Field(name)
	if f.value().Get(name) != nil {
		f.mark += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
	}
	return f
}
