package compat

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/evcontract/evcontract/internal/compat/contain"
	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// readJSONSchema asks the containment engine whether every event of the writer's
// schema is one of the reader's, and turns what it finds into breaks.
func readJSONSchema(q Question) Result {
	reader, ok := q.Reader.Schema.(*jsonschema.Schema)
	writer, ok2 := q.Writer.Schema.(*jsonschema.Schema)
	if !ok || !ok2 {
		return unknown("one of the two schemas is no JSON Schema")
	}
	for _, side := range []struct {
		name   string
		schema *jsonschema.Schema
	}{{"reader", reader}, {"writer", writer}} {
		if hole, is := side.schema.Hole(); is {
			r := unknown(fmt.Sprintf("the %s's schema cannot be used as a whole: %s: %s", side.name, hole.Pos, hole.Message))
			r.Fix = fixOfHole(hole.Fix)
			return r
		}
	}
	if reader.Same(writer) {
		return Result{Answer: rule.Holds}
	}
	return jsonRead{q, reader, writer}.read()
}

// fixOfHole is what to do about a schema that cannot be used: the old one is not
// to be changed any more.
func fixOfHole(fix string) string {
	return strings.ToUpper(fix[:1]) + fix[1:] + "; of a revision that is out already, accept the risk with a waiver that has an owner and an end."
}

// jsonRead is one question about two JSON Schemas.
type jsonRead struct {
	Question
	reader, writer *jsonschema.Schema
}

func (j jsonRead) read() Result {
	answer := contain.Ask(contain.Question{Writer: j.writer.Compiled(), Reader: j.reader.Compiled(), Assume: jsonAssumptions(j.As), Seeds: j.seeds()})
	r := Result{Answer: rule.Holds, Reason: assumed(answer), More: answer.More}
	switch answer.Verdict {
	case contain.Unknown:
		return unknown(j.reason(answer.Reason))
	case contain.Refuted:
		r.Answer = rule.Refuted
		for _, b := range answer.Breaks {
			if f, proved := j.fact(b); proved {
				r.Breaks = append(r.Breaks, j.broken(f))
			}
		}
		if len(r.Breaks) == 0 {
			return unknown("a difference was found, and no event that shows it: " + placesOf(answer.Breaks))
		}
	}
	r.Breaks = append(r.Breaks, j.unsent(r.Breaks)...)
	for _, b := range r.Breaks {
		if b.Severity == rule.Error {
			r.Answer = rule.Refuted
		}
	}
	return r
}

// seeds are the contract's own examples: a witness that begins with one looks
// like an event that the team knows.
func (j jsonRead) seeds() [][]byte {
	var all [][]byte
	for _, e := range []*contract.Event{j.Writer, j.Reader} {
		if e.Samples != nil {
			all = append(all, e.Samples()...)
		}
	}
	return all
}

// maxElse is how long an event may be that stands in the middle of a note.
const maxElse = 200

// assumed says under which assumptions an answer holds, and what would be
// refused without them; the report says that it holds.
func assumed(a contain.Answer) string {
	var all []string
	for i, n := range a.Notes {
		n = strings.TrimPrefix(n, "holds because ")
		if i < len(a.Without) && len(a.Without[i]) > 0 && len(a.Without[i]) <= maxElse {
			n += "; else " + string(a.Without[i]) + " would be refused"
		}
		all = append(all, n)
	}
	return strings.Join(all, "; ")
}

// reason says why nobody can tell, with the place in a file.
func (j jsonRead) reason(why contain.Reason) string {
	if why.Keyword == "" || why.At.Document == "" {
		return why.String()
	}
	for _, s := range []*jsonschema.Schema{j.reader, j.writer} {
		switch at, ok := s.At(why.At.Document, why.At.Pointer); {
		case ok && why.Budget != "":
			return fmt.Sprintf("%s at %s takes more than the budget of %s", why.Keyword, s.PosAt(at.File, at.Pointer), why.Budget)
		case ok:
			return fmt.Sprintf("%s at %s is beyond what can be decided", why.Keyword, s.PosAt(at.File, at.Pointer))
		}
	}
	return why.String()
}

func placesOf(breaks []contain.Break) string {
	var list []string
	for _, b := range breaks {
		list = append(list, b.Keyword+" at "+b.Reader.String())
	}
	return strings.Join(list, ", ")
}

// jsonAssumptions says the question's assumptions in the engine's words. What
// nobody said is the default of a reader who says nothing.
func jsonAssumptions(as Assumptions) contain.Assumptions {
	return contain.Assumptions{
		ClosedWriter:  as.Writers != contract.OpenWriters,
		IgnoreUnknown: as.UnknownFields != contract.Reject,
		IgnoreEnums:   as.UnknownEnums == contract.Ignore,
		Fields:        jsonSegments(as.Fields),
	}
}

// fact takes over one break of the engine, if the validators of both sides
// really say of its event what the engine says.
func (j jsonRead) fact(b contain.Break) (jsonFact, bool) {
	event, errs := source.ParseJSON("witness", b.Witness)
	if event == nil || len(errs) > 0 || j.writer.Validate(b.Witness) != nil {
		return jsonFact{}, false
	}
	refused := j.reader.Validate(b.Witness)
	var why *jsonschema.Refusal
	if !errors.As(refused, &why) {
		return jsonFact{}, false
	}
	f := jsonFact{event: event, mark: b.Instance, path: jsonPath(b.Path), keyword: b.Keyword}
	f.declares = func(p contract.Path) bool { return j.reader.Sends(p, true) }
	f.reader, f.holder = keywordAt(j.reader, b.Reader, b.Keyword)
	f.writer, _ = j.writer.At(b.Writer.Document, b.Writer.Pointer)
	f.sees = f.seen(why)
	f.keyword = f.cause(b.Reader.Pointer)
	return f, true
}

// cause is the keyword that a person would name: a forbidden property is refused
// by false, and a name by propertyNames, whatever that says of it.
func (f jsonFact) cause(pointer string) string {
	switch n := f.reader.Node; {
	case slices.Contains(strings.Split(pointer, "/"), "propertyNames"):
		return "propertyNames"
	case n != nil && n.Kind == source.Bool && slices.Contains([]string{"properties", "patternProperties"}, f.keyword):
		return "false"
	}
	return f.keyword
}

// seen is the validator's sentence. Where it names another refusal of the same
// event first, what the engine found is said in its manner.
func (f jsonFact) seen(why *jsonschema.Refusal) string {
	if why.Part == f.mark && why.Keyword == f.keyword {
		return why.Error()
	}
	part := f.mark
	if part == "" {
		part = "the event"
	}
	if v := f.value(); f.keyword == "required" && v != nil && v.Kind == source.Map {
		return part + ": missing properties: '" + f.field(v) + "'"
	}
	return part + ": refused by " + f.keyword
}

// keywordAt is what the engine points to, and the subschema that it is part of.
func keywordAt(s *jsonschema.Schema, l contain.Location, keyword string) (at jsonschema.Ref, holder *source.Node) {
	if end := strings.Index(l.Pointer, "/"+keyword+"/"); end >= 0 && strings.HasPrefix(keyword, "depend") {
		l.Pointer = l.Pointer[:end+1+len(keyword)] // not one name of it
	}
	at, _ = s.At(l.Document, l.Pointer)
	holder = at.Node
	if around, ok := strings.CutSuffix(l.Pointer, "/"+keyword); ok {
		outer, _ := s.At(l.Document, around)
		holder = outer.Node
	}
	return at, holder
}
