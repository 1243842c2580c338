package protobuf

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Digest is a hash over what the closure says to a reader. Names of types,
// packages and files take part only where they travel: in the JSON of
// well-known types, in Any and in the names of extensions.
func (s *Schema) Digest() string { return s.digest().schema }

// Reserved identifies what the messages and enums of the closure reserve: it
// changes nothing that travels, but tells what a number or a name was before. It
// is "" where nothing is reserved.
func (s *Schema) Reserved() string { return s.digest().reserved }

type digests struct{ schema, reserved string }

// Digest is a hash over one message, or one enum, and what it reaches, as
// Schema.Digest takes it.
func Digest(d protoreflect.Descriptor) string {
	g := &digester{seen: map[protoreflect.FullName]int{}}
	g.descriptor(d)
	return g.sum()
}

func (s *Schema) computeDigest() digests {
	g := &digester{seen: map[protoreflect.FullName]int{}, schema: s}
	g.message(s.root)
	g.extensions()
	if g.any {
		g.named()
	}
	return digests{g.sum(), g.reserved.String()}
}

// digester writes the closure in the order in which a walk from the root meets
// it; types are numbered instead of named.
type digester struct {
	text     strings.Builder
	reserved strings.Builder
	seen     map[protoreflect.FullName]int
	open     []protoreflect.FullName // messages with extension ranges
	any      bool
	schema   *Schema // nil for a part of one
}

func (g *digester) sum() string {
	h := sha256.Sum256([]byte(g.text.String()))
	return hex.EncodeToString(h[:])
}

func (g *digester) add(format string, args ...any) { fmt.Fprintf(&g.text, format+"\n", args...) }

// words adds a line, as add does; most lines are made of words, and fmt is slow.
func (g *digester) words(parts ...string) {
	for _, p := range parts {
		g.text.WriteString(p)
	}
	g.text.WriteByte('\n')
}

// enter numbers a type, and reports whether it is new.
func (g *digester) enter(kind string, name protoreflect.FullName) bool {
	n, seen := g.seen[name]
	if !seen {
		n = len(g.seen)
		g.seen[name] = n
	}
	g.words(kind, " ", strconv.Itoa(n))
	return !seen
}

func (g *digester) descriptor(d protoreflect.Descriptor) {
	switch d := d.(type) {
	case protoreflect.MessageDescriptor:
		g.message(d)
	case protoreflect.EnumDescriptor:
		g.enum(d)
	case protoreflect.FieldDescriptor:
		g.field(d)
	}
}

func (g *digester) message(m protoreflect.MessageDescriptor) {
	if !g.enter("message", m.FullName()) {
		return
	}
	if strings.HasPrefix(string(m.FullName()), "google.protobuf.") {
		g.add("known %s", m.FullName())
	}
	g.any = g.any || m.FullName() == "google.protobuf.Any"
	if m.ExtensionRanges().Len() > 0 {
		g.open = append(g.open, m.FullName())
	}
	g.reserves(m.FullName(), m.ReservedRanges().Len(), func(i int) [2]int {
		r := m.ReservedRanges().Get(i)
		return [2]int{int(r[0]), int(r[1])}
	}, m.ReservedNames())
	for _, f := range byNumber(m.Fields()) {
		if g.schema == nil || !g.schema.otherArm(f) {
			g.field(f)
		}
	}
	g.words("end")
}

// reserves notes what a type reserves, under its number.
func (g *digester) reserves(name protoreflect.FullName, ranges int, at func(int) [2]int, names protoreflect.Names) {
	if ranges == 0 && names.Len() == 0 {
		return
	}
	fmt.Fprintf(&g.reserved, "%d:", g.seen[name])
	for i := range ranges {
		fmt.Fprintf(&g.reserved, "%v", at(i))
	}
	for i := range names.Len() {
		fmt.Fprintf(&g.reserved, " %s", names.Get(i))
	}
	g.reserved.WriteByte('\n')
}

func byNumber(fields protoreflect.FieldDescriptors) []protoreflect.FieldDescriptor {
	list := make([]protoreflect.FieldDescriptor, fields.Len())
	for i := range list {
		list[i] = fields.Get(i)
	}
	slices.SortFunc(list, func(a, b protoreflect.FieldDescriptor) int { return int(a.Number() - b.Number()) })
	return list
}

func (g *digester) field(f protoreflect.FieldDescriptor) {
	g.words("field ", strconv.Itoa(int(f.Number())), " ", string(f.Name()), " ", f.JSONName(), " ", f.Kind().String(), " ", f.Cardinality().String(),
		" presence=", strconv.FormatBool(f.HasPresence()), " utf8=", strconv.FormatBool(checksUTF8(f)))
	if o := inOneof(f); o != nil {
		g.words("oneof ", strconv.Itoa(o.Index()))
	}
	if f.HasDefault() {
		g.add("default %v", f.Default().Interface())
	}
	if o := f.Options(); o != nil {
		// Rules of validation are among the custom options.
		g.words("options ", hex.EncodeToString(optionBytes(o)))
	}
	g.typeOf(f)
}

func (g *digester) typeOf(f protoreflect.FieldDescriptor) {
	switch {
	case f.IsMap():
		g.words("map")
		g.field(f.MapKey())
		g.field(f.MapValue())
	case f.Message() != nil:
		g.message(f.Message())
	case f.Enum() != nil:
		g.enum(f.Enum())
	}
}

func (g *digester) enum(e protoreflect.EnumDescriptor) {
	if !g.enter("enum", e.FullName()) {
		return
	}
	if e.FullName() == "google.protobuf.NullValue" {
		g.add("known %s", e.FullName())
	}
	g.reserves(e.FullName(), e.ReservedRanges().Len(), func(i int) [2]int {
		r := e.ReservedRanges().Get(i)
		return [2]int{int(r[0]), int(r[1])}
	}, e.ReservedNames())
	g.add("closed=%t", e.IsClosed())
	for i := range e.Values().Len() {
		v := e.Values().Get(i)
		g.words("value ", strconv.Itoa(int(v.Number())), " ", string(v.Name()))
	}
}

// extensions adds those of every message that was met, as JSON names them.
func (g *digester) extensions() {
	for i := 0; i < len(g.open); i++ {
		var lines []protoreflect.FieldDescriptor
		g.schema.types().RangeExtensionsByMessage(g.open[i], func(x protoreflect.ExtensionType) bool {
			lines = append(lines, x.TypeDescriptor())
			return true
		})
		slices.SortFunc(lines, func(a, b protoreflect.FieldDescriptor) int { return int(a.Number() - b.Number()) })
		for _, x := range lines {
			g.add("extends %d %s", i, x.FullName())
			g.field(x)
		}
	}
}

// named adds every message of the closure under its full name: an Any may hold it.
func (g *digester) named() {
	var all []protoreflect.MessageDescriptor
	for _, fd := range closure(g.schema.file) {
		if _, ours := g.schema.loader.inTree(fd.Path()); ours {
			all = appendMessages(all, fd.Messages())
		}
	}
	slices.SortFunc(all, func(a, b protoreflect.MessageDescriptor) int {
		return strings.Compare(string(a.FullName()), string(b.FullName()))
	})
	for _, m := range all {
		g.add("name %s", m.FullName())
		g.message(m)
	}
}

func appendMessages(to []protoreflect.MessageDescriptor, messages protoreflect.MessageDescriptors) []protoreflect.MessageDescriptor {
	for i := range messages.Len() {
		m := messages.Get(i)
		if !m.IsMapEntry() {
			to = appendMessages(append(to, m), m.Messages())
		}
	}
	return to
}

// checksUTF8 reports whether parsers refuse a string that is not UTF-8.
func checksUTF8(f protoreflect.FieldDescriptor) bool {
	e, ok := f.(interface{ EnforceUTF8() bool })
	return ok && f.Kind() == protoreflect.StringKind && e.EnforceUTF8()
}

// firstCustom is the lowest number of an option that is not Protobuf's own.
const firstCustom protowire.Number = 1000

// optionBytes are the custom options of a field, as bytes. Whether their
// declarations were found doesn't matter.
func optionBytes(o proto.Message) []byte {
	if !hasCustom(o.ProtoReflect()) {
		return nil
	}
	data, err := proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(o)
	if err != nil {
		return nil
	}
	var custom []byte
	for len(data) > 0 {
		number, _, n := protowire.ConsumeField(data)
		if n < 0 {
			break
		}
		if number >= firstCustom {
			custom = append(custom, data[:n]...)
		}
		data = data[n:]
	}
	return custom
}

// hasCustom reports whether there is any custom option, without writing all.
func hasCustom(m protoreflect.Message) bool {
	found := len(m.GetUnknown()) > 0
	m.Range(func(f protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		found = found || f.Number() >= firstCustom
		return !found
	})
	return found
}
