package compat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/protobuf"
)

// documentOracle is a third opinion, on ProtoJSON with well-known types and what
// an Any carries: the library decodes as the reader, encodes what it holds, and
// the two documents are compared. What travels is judged by what stands in it,
// so none of the project's ideas of a message is asked.
type documentOracle struct {
	as             Assumptions
	reader, writer *protobuf.Schema
}

// opine judges one document.
func (o documentOracle) opine(data []byte) (opinion, error) {
	sent, err := document(data)
	if err != nil {
		return opinion{}, err
	}
	object, ok := sent.(map[string]any)
	if !ok {
		return opinion{}, fmt.Errorf("%s is no event", data)
	}
	seen := dynamicpb.NewMessage(o.reader.Descriptor())
	if err := o.decode(data, object, seen); err != nil {
		return opinion{refused: err.Error()}, nil
	}
	back, err := protojson.MarshalOptions{Resolver: o.reader.Types()}.Marshal(seen)
	if err != nil {
		return opinion{}, fmt.Errorf("what the reader holds cannot be written: %w", err)
	}
	got, err := document(back)
	if err != nil {
		return opinion{}, err
	}
	return opinion{differs: o.objects("", object, o.writer.Descriptor(), got.(map[string]any), o.reader.Descriptor())}, nil
}

func document(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	return v, d.Decode(&v)
}

// decode reads as the reader does. The library either refuses both fields and
// enum values that it doesn't know or ignores both; a reader that treats them
// apart is given a document without those that it ignores.
func (o documentOracle) decode(data []byte, object map[string]any, into *dynamicpb.Message) error {
	fields, enums := o.as.UnknownFields != contract.Reject, o.as.UnknownEnums == contract.Ignore
	options := protojson.UnmarshalOptions{Resolver: o.reader.Types(), DiscardUnknown: fields && enums}
	if fields != enums {
		pruned, err := json.Marshal(o.prune(object, o.reader.Descriptor()))
		if err != nil {
			return err
		}
		data = pruned
	}
	return options.Unmarshal(data, into)
}

func (o documentOracle) prune(object map[string]any, md protoreflect.MessageDescriptor) map[string]any {
	kept := map[string]any{}
	for key, v := range object {
		fd := documentField(o.reader, md, key)
		if fd == nil {
			if o.as.UnknownFields == contract.Reject {
				kept[key] = v
			}
			continue
		}
		if v, keep := o.pruneValue(v, slotOf(fd)); keep {
			kept[key] = v
		}
	}
	return kept
}

func (o documentOracle) pruneValue(v any, s slot) (any, bool) {
	switch v := v.(type) {
	case []any:
		if s.what != "list" {
			return v, true
		}
		kept := []any{}
		for _, e := range v {
			if e, keep := o.pruneValue(e, *s.of); keep {
				kept = append(kept, e)
			}
		}
		return kept, true
	case map[string]any:
		switch s.what {
		case "map":
			kept := map[string]any{}
			for k, e := range v {
				var keep bool
				if kept[k], keep = o.pruneValue(e, *s.of); !keep { // the key is read all the same
					kept[k] = string(s.of.enum.Values().Get(0).Name())
				}
			}
			return kept, true
		case "message":
			return o.prune(v, s.message), true
		case "Any":
			return o.pruneAny(v), true
		}
	case string:
		return v, !o.ignored(v, s)
	}
	return v, true
}

func (o documentOracle) pruneAny(v map[string]any) map[string]any {
	content, s := carriedIn(o.reader, v)
	if s.what == "" {
		if _, typed := v["@type"]; !typed && o.as.UnknownFields != contract.Reject {
			return map[string]any{}
		}
		return v
	}
	pruned, _ := o.pruneValue(content, s)
	if s.what != "message" {
		return map[string]any{"@type": v["@type"], "value": pruned}
	}
	object := maps.Clone(pruned.(map[string]any))
	object["@type"] = v["@type"]
	return object
}

// carriedIn is what an Any carries, and as what it stands there; no slot where
// the schema doesn't have the type.
func carriedIn(s *protobuf.Schema, object map[string]any) (any, slot) {
	url, _ := object["@type"].(string)
	t, err := s.Types().FindMessageByURL(url)
	if url == "" || err != nil {
		return nil, slot{}
	}
	as := messageSlot(t.Descriptor())
	if as.what != "message" {
		return object["value"], as
	}
	rest := maps.Clone(object)
	delete(rest, "@type")
	return rest, as
}

// documentField is the field that a key names: by its JSON name, or by its own,
// or in brackets an extension.
func documentField(s *protobuf.Schema, md protoreflect.MessageDescriptor, key string) protoreflect.FieldDescriptor {
	if name, is := strings.CutPrefix(key, "["); is {
		x, err := s.Types().FindExtensionByName(protoreflect.FullName(strings.TrimSuffix(name, "]")))
		if err != nil || x.TypeDescriptor().ContainingMessage().FullName() != md.FullName() {
			return nil
		}
		return x.TypeDescriptor()
	}
	return jsonField(md, key)
}

// slot is what may stand in one place of a document.
type slot struct {
	what     string // a kind of scalar, enum, null, text, value, list, map, message, Any
	name     string // of a text
	message  protoreflect.MessageDescriptor
	enum     protoreflect.EnumDescriptor
	of       *slot // of a list or a map
	anything bool  // a map that is a Struct
	presence bool  // absence is no zero
	required bool
	boxed    bool // a wrapper
	zero     any
}

func slotOf(fd protoreflect.FieldDescriptor) slot {
	switch {
	case fd.IsMap():
		of := singleSlot(fd.MapValue())
		return slot{what: "map", of: &of}
	case fd.IsList():
		of := singleSlot(fd)
		return slot{what: "list", of: &of}
	}
	s := singleSlot(fd)
	s.presence, s.required = fd.HasPresence(), fd.Cardinality() == protoreflect.Required
	return s
}

func singleSlot(fd protoreflect.FieldDescriptor) slot {
	switch {
	case fd.Message() != nil:
		return messageSlot(fd.Message())
	case fd.Enum() != nil && fd.Enum().FullName() == "google.protobuf.NullValue":
		return slot{what: "null", enum: fd.Enum()}
	case fd.Enum() != nil:
		s := slot{what: "enum", enum: fd.Enum()}
		if !fd.IsList() {
			s.zero = string(fd.Enum().Values().ByNumber(fd.Default().Enum()).Name())
		}
		return s
	}
	s := slot{what: fd.Kind().String(), zero: json.Number("0")}
	switch fd.Kind() {
	case protoreflect.BoolKind:
		s.zero = false
	case protoreflect.StringKind, protoreflect.BytesKind:
		s.zero = ""
	}
	return s
}

func messageSlot(md protoreflect.MessageDescriptor) slot {
	value := slot{what: "value"}
	switch name := string(md.FullName()); name {
	case "google.protobuf.Timestamp", "google.protobuf.Duration", "google.protobuf.FieldMask":
		return slot{what: "text", name: name}
	case "google.protobuf.Struct":
		return slot{what: "map", of: &value, anything: true}
	case "google.protobuf.ListValue":
		return slot{what: "list", of: &value}
	case "google.protobuf.Value":
		return value
	case "google.protobuf.Any":
		return slot{what: "Any"}
	default:
		if strings.HasPrefix(name, "google.protobuf.") && strings.HasSuffix(name, "Value") {
			s := singleSlot(md.Fields().ByNumber(1))
			s.boxed = true
			return s
		}
		return slot{what: "message", message: md}
	}
}

// objects finds a key that was sent and not seen, or seen otherwise. One that the
// reader has no field for is none of its, unless it has the field under another
// name.
func (o documentOracle) objects(at string, sent map[string]any, writer protoreflect.MessageDescriptor, seen map[string]any, reader protoreflect.MessageDescriptor) string {
	for _, key := range slices.Sorted(maps.Keys(sent)) {
		from, to := documentField(o.writer, writer, key), documentField(o.reader, reader, key)
		if to == nil {
			if same := fieldOf(o.reader.Types(), reader, from.Number()); same != nil && !o.named(writer, same) {
				return at + "/" + key + " is lost under another name"
			}
			continue
		}
		name := to.JSONName()
		if to.IsExtension() {
			name = "[" + string(to.FullName()) + "]"
		}
		got, has := seen[name]
		if d := o.places(at+"/"+key, sent[key], slotOf(from), got, has, slotOf(to)); d != "" {
			return d
		}
	}
	return ""
}

// named reports whether any field of the writer goes by the name of the reader's.
func (o documentOracle) named(writer protoreflect.MessageDescriptor, to protoreflect.FieldDescriptor) bool {
	if to.IsExtension() {
		x, err := o.writer.Types().FindExtensionByName(to.FullName())
		return err == nil && x.TypeDescriptor().ContainingMessage().FullName() == writer.FullName()
	}
	for i := range writer.Fields().Len() {
		if jsonField(to.ContainingMessage(), writer.Fields().Get(i).JSONName()) == to {
			return true
		}
	}
	return false
}

// places compares what two fields hold.
func (o documentOracle) places(at string, sent any, w slot, seen any, has bool, r slot) string {
	switch {
	case o.ignored(sent, r) && r.required:
		return at + " is required"
	case o.ignored(sent, r):
		return ""
	case has:
		return o.slots(at, sent, w, seen, r)
	case sent == nil && !r.presence && r.what != "list" && r.what != "map": // a field that was left out
		return ""
	case r.what == "null" && !r.presence && (isZeroNumber(sent) || isText(sent, "NULL_VALUE")):
		return ""
	case isEmpty(sent) && (r.what == "list" || r.what == "map"):
		return ""
	case r.what == "list" && o.allIgnored(sent, *r.of), r.what == "map" && o.allIgnored(sent, *r.of):
		return ""
	case r.zero != nil && !r.presence && !r.boxed && r.what != "list":
		return o.slots(at, sent, w, r.zero, r)
	}
	return fmt.Sprintf("%s: %v is lost", at, sent)
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// ignored reports whether a reader of enums put a value aside, as it was asked to.
func (o documentOracle) ignored(sent any, r slot) bool {
	if r.enum == nil || o.as.UnknownEnums != contract.Ignore {
		return false
	}
	if text, is := sent.(string); is {
		return r.enum.Values().ByName(protoreflect.Name(text)) == nil
	}
	n, is := enumNumberOf(sent)
	return is && r.enum.IsClosed() && r.enum.Values().ByNumber(n) == nil
}

func (o documentOracle) allIgnored(sent any, r slot) bool {
	switch v := sent.(type) {
	case []any:
		return !slices.ContainsFunc(v, func(e any) bool { return !o.ignored(e, r) })
	case map[string]any:
		return !slices.ContainsFunc(slices.Collect(maps.Values(v)), func(e any) bool { return !o.ignored(e, r) })
	}
	return false
}
