package codegen

import (
	"fmt"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// Docs are the rules that Go speaks under.
var Docs = []rule.Doc{
	{
		ID: "generate-untyped", Kind: rule.Tool, Severity: rule.Warning,
		Title: "A place of the schema has no Go type of its own",
		Why:   "Generated code checks the value there and hands it over as json.RawMessage: the compiler cannot help with what is in it.",
		Fix:   "Give the place one type, or read it with encoding/json.",
	},
	{
		ID: "generate-unchecked", Kind: rule.Tool, Severity: rule.Error,
		Title: "Generated code cannot check a keyword of the schema",
		Why:   "The decoder would accept events that the contract refuses, without a word.",
		Fix:   "Say it with keywords that can be checked in one process: evcontract lists them in its documentation.",
	},
	{
		ID: "generate-impossible", Kind: rule.Tool, Severity: rule.Error,
		Title: "No producer or consumer can be generated",
		Why:   "An event without a business key that every event carries cannot be published once and handled once.",
		Fix:   "Name the identity in the manifest by required, single values.",
	},
	{
		ID: "generate-unbounded", Kind: rule.Tool, Severity: rule.Warning,
		Title: "An integer without bounds is read as int64",
		Why:   "JSON Schema lets it be of any size. An event with one that doesn't fit 64 bits is valid, and generated code refuses it.",
		Fix:   "Bound it with minimum and maximum, or write generate: {go: {integer: exact}} for json.Number.",
	},
	{
		ID: "generate-encoded", Kind: rule.Tool, Severity: rule.Warning,
		Title: "Text that stands for bytes is read as []byte",
		Why:   "A format and a contentEncoding are annotations: an event whose text is no base64 is valid, and generated code refuses it.",
		Fix:   "Give the text a pattern, or leave out generate: {go: {base64: bytes}} for event.Base64, which keeps any text.",
	},
}

// findings collects what cannot be generated as it stands, each place once.
type findings struct {
	list []rule.Finding
	seen map[string]bool
}

func (f *findings) add(doc int, event string, path contract.Path, pos source.Pos, message string) {
	d := Docs[doc]
	at := event
	if len(path) > 0 {
		at += "/" + path.String()
	}
	key := d.ID + at + pos.String() + message
	if f.seen[key] {
		return
	}
	f.seen[key] = true
	f.list = append(f.list, rule.Finding{
		Rule: d.ID, Severity: d.Severity, Path: at, Message: message, Fix: d.Fix, New: pos,
		Fingerprint: rule.Fingerprint(d.ID, at, message),
	})
}

func (f *findings) untyped(event string, path contract.Path, s *shape) {
	why := "the value may be of several kinds"
	switch {
	case possible(s) == 0:
		why = "no value is allowed here"
	case possible(s)&^nullKind == listKind && s.places == nil, possible(s)&^nullKind == objectKind:
		why = "the value may hold itself, with no object between that has a type"
	case possible(s) == nullKind:
		why = "only null is allowed here"
	case s.loose:
		why = "what the value may be depends on its name, or on other members"
	case s.places != nil:
		why = "the list's elements have a type by their place, and only some of it are read"
	}
	f.add(0, event, path, s.pos, why+": it is checked, and handed over as json.RawMessage")
}

func (f *findings) unbounded(event string, path contract.Path, s *shape) {
	f.add(3, event, path, s.pos, "an integer without bounds: it is int64, and one that doesn't fit is refused")
}

func (f *findings) encoded(event string, path contract.Path, s *shape) {
	f.add(4, event, path, s.pos, "text that stands for bytes: it is []byte, and text that is no base64 is refused")
}

func (f *findings) unchecked(event string, path contract.Path, k keyword) {
	message := k.name + " cannot be checked by generated code: no decoder is generated that would ignore it"
	if k.why != "" {
		message += " (" + k.why + ")"
	}
	f.add(1, event, path, k.pos, message)
}

// impossible says why nothing is generated; an empty fix is that of the rule.
func (f *findings) impossible(event string, pos source.Pos, fix, format string, args ...any) {
	before := len(f.list)
	f.add(2, event, nil, pos, fmt.Sprintf(format, args...))
	if fix != "" && len(f.list) > before {
		f.list[before].Fix = fix
	}
}

func (f *findings) failed() bool {
	for i := range f.list {
		if f.list[i].Severity == rule.Error {
			return true
		}
	}
	return false
}
