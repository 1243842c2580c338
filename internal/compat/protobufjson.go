package compat

import (
	"fmt"
	"math"
	"math/big"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

// jsonFields judges two fields of one name: what shape of JSON the writer sends
// against what shape the reader takes.
func (w *protoWalk) jsonFields(_ *matched, p fieldPair) {
	from, to := jsonShapeOf(p.writer), jsonShapeOf(p.reader)
	switch {
	case isNull(p.sent) && !takesNull(p.writer, p.reader):
		w.jsonNull(p)
	case to == anyShape:
	case from == anyShape:
		w.jsonAnything(p, p.reader)
	case from == listShape && to == listShape:
		w.jsonElements(p)
	case from == listShape || to == listShape:
		w.refuse(p, "shape-refused", anyValues(p.writer), "a list is no single value, and the reader refuses the event")
	case from == mapShape && to == mapShape:
		w.jsonMaps(p)
	case from == mapShape && to == objectShape:
		w.jsonMapAsObject(p)
	case from == objectShape && to == mapShape:
		w.jsonObjectAsMap(p)
	case from == objectShape && to == objectShape:
		w.jsonObjects(p)
	default:
		w.jsonValue(p)
	}
}

// jsonElements judges two lists. A ListValue holds anything.
func (w *protoWalk) jsonElements(p fieldPair) {
	switch {
	case !p.reader.IsList():
	case p.writer.IsList():
		w.jsonSingle(p)
	case jsonValueShape(p.read) != anyShape:
		w.jsonAnything(p, p.read)
	}
}

// jsonSingle judges an element against an element, or a map's value against
// another's: neither is a list or a map of its own.
func (w *protoWalk) jsonSingle(p fieldPair) {
	from, to := jsonValueShape(p.sent), jsonValueShape(p.read)
	switch {
	case to == anyShape:
	case from == anyShape:
		w.jsonAnything(p, p.read)
	case from == objectShape && to == objectShape:
		w.jsonObjects(p)
	case from == mapShape && to == objectShape:
		w.jsonMapAsObject(p)
	case from == objectShape && to == mapShape: // a Struct is any object
	case from == scalarShape || to == scalarShape:
		w.jsonValue(p)
	case from != to:
		w.refuse(p, "type-refused", anyValues(p.writer), "the reader refuses the event")
	}
}

// jsonAnything judges a Value, which may be anything, against what takes only
// one kind of thing.
func (w *protoWalk) jsonAnything(p fieldPair, reader protoreflect.FieldDescriptor) {
	text := jsonFormOf(reader) == boolForm
	w.refuse(p, "type-refused", func(m protoreflect.Message) { fillAnything(m, p.writer, text) }, "it may hold anything, and the reader refuses what is of another type")
}

// fillAnything sets a Value, Struct or ListValue to hold true, or a text.
func fillAnything(m protoreflect.Message, f protoreflect.FieldDescriptor, text bool) {
	inner := enter(m, f)
	fields := inner.Descriptor().Fields()
	switch inner.Descriptor().FullName() {
	case "google.protobuf.Struct":
		inner = enter(inner, fields.ByNumber(1))
	case "google.protobuf.ListValue":
		inner = enter(inner, fields.ByNumber(1))
	}
	value := inner.Descriptor().Fields()
	if text {
		inner.Set(value.ByName("string_value"), protoreflect.ValueOfString("x"))
		return
	}
	inner.Set(value.ByName("bool_value"), protoreflect.ValueOfBool(true))
}

// jsonMaps judges two maps; a Struct is one of any values.
func (w *protoWalk) jsonMaps(p fieldPair) {
	switch {
	case !p.reader.IsMap(): // a Struct takes every key and every value
	case !p.writer.IsMap():
		value := p.reader.MapValue()
		if form := jsonFormOf(p.reader.MapKey()); form != stringForm {
			w.refuse(p, "type-refused", anyValues(p.writer), "the reader refuses a key that is no "+typeName(p.reader.MapKey()))
			return
		}
		if jsonValueShape(value) != anyShape {
			w.jsonAnything(p, value)
		}
	default:
		w.jsonKey(p.mapKey())
		w.jsonSingle(p.mapValue())
	}
}

// jsonKey judges the keys of two maps: all are text in JSON.
func (w *protoWalk) jsonKey(p fieldPair) {
	from, to := p.sent.Kind(), p.read.Kind()
	switch {
	case to == protoreflect.StringKind || from == to:
	case from == protoreflect.StringKind || from == protoreflect.BoolKind || to == protoreflect.BoolKind:
		w.refuse(p, "type-refused", p.set(someValue(p.sent)), "the reader refuses a key that is no "+typeName(p.read))
	default:
		if n := beyond(p.sent, p.read); n != nil {
			w.refuse(p, "value-refused", p.set(intValue(from, n)), fmt.Sprintf("the reader refuses the key %s", n))
		}
	}
}

// jsonMapAsObject judges keys that the reader takes for names of fields.
func (w *protoWalk) jsonMapAsObject(p fieldPair) {
	fill := strangeEntry(p)
	if w.as.UnknownFields == contract.Reject {
		w.refuse(p, "field-refused", fill, "the reader takes keys for fields, and refuses those that it doesn't know")
		return
	}
	if p.read.Message().RequiredNumbers().Len() > 0 {
		w.refuse(p, "field-missing", fill, "the reader takes keys for fields, and misses one that it requires")
		return
	}
	w.refuse(p, "element-lost", fill, "the reader takes keys for fields, and ignores those that it doesn't know")
}

// strangeEntry sets a map, or a Struct, to one entry under a key that is the name
// of no field of the reader's message.
func strangeEntry(p fieldPair) func(protoreflect.Message) {
	known := p.read.Message().Fields()
	strange := func(key protoreflect.MapKey) bool {
		return known.ByJSONName(key.String()) == nil && known.ByTextName(key.String()) == nil
	}
	return func(m protoreflect.Message) {
		f := p.writer
		if !f.IsMap() || p.value { // a Struct
			m = enter(m, f)
			f = m.Descriptor().Fields().ByNumber(1)
		}
		key := someKey(f.MapKey())
		for n := 6; n < 100 && !strange(key); n++ {
			key = otherKey(f.MapKey(), n)
		}
		entryOf(f, key)(m)
		if value := m.Get(f).Map().Get(key); f.MapValue().Message() != nil {
			fillRequired(value.Message())
			fillSome(value.Message())
		}
	}
}

func otherKey(f protoreflect.FieldDescriptor, n int) protoreflect.MapKey {
	switch f.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(fmt.Sprintf("x%d", n)).MapKey()
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(n%2 == 1).MapKey()
	}
	return intValue(f.Kind(), big.NewInt(int64(n))).MapKey()
}

// jsonObjectAsMap judges fields that the reader takes for keys.
func (w *protoWalk) jsonObjectAsMap(p fieldPair) {
	if !p.reader.IsMap() || p.sent.Message().Fields().Len() == 0 {
		return // a Struct is any object
	}
	w.refuse(p, "value-garbled", anyValues(p.writer), "the reader takes names of fields for keys")
	w.claims[len(w.claims)-1].junk = true
}

func (w *protoWalk) jsonObjects(p fieldPair) {
	f, r := p.sent.Message(), p.read.Message()
	switch {
	case f.FullName() == anyName && r.FullName() == anyName:
		w.anys(p)
	case r.FullName() == anyName && f.Fields().Len() > 0:
		w.jsonUntyped(p)
	case f.FullName() == anyName && w.as.UnknownFields == contract.Reject:
		w.refuse(p, "field-refused", anyValues(p.writer), "the reader doesn't know the field @type and refuses the event")
	case f.FullName() == anyName:
		w.refuse(p, "field-lost", anyValues(p.writer), fmt.Sprintf("the reader does not see which type is sent, and takes whatever it holds for %s", r.Name()))
		w.claims[len(w.claims)-1].junk = true
	default:
		w.below(p, r, f)
	}
}

// jsonUntyped judges a message that is read as an Any and names no type.
func (w *protoWalk) jsonUntyped(p fieldPair) {
	if w.as.UnknownFields == contract.Reject {
		w.refuse(p, "type-refused", anyValues(p.writer), "the reader refuses an Any that doesn't name its type")
		return
	}
	w.refuse(p, "field-lost", anyValues(p.writer), "without the name of a type it is an empty Any to a reader that ignores unknown fields, or refused")
}

// jsonValue judges one scalar against another; what the table doesn't name is
// refused whatever its value.
func (w *protoWalk) jsonValue(p fieldPair) {
	from, to := jsonFormOf(p.sent), jsonFormOf(p.read)
	if judge, ok := jsonPairs[[2]jsonForm{from, to}]; ok {
		p.boxed = unwrap(p.sent) != p.sent
		p.sent, p.read = unwrap(p.sent), unwrap(p.read)
		judge(w, p)
		return
	}
	w.refuse(p, "type-refused", anyValues(p.writer), "the reader refuses a value of another type")
}

// jsonPairs are the pairs of forms of which some value is read.
var jsonPairs = map[[2]jsonForm]func(*protoWalk, fieldPair){
	{intForm, intForm}: (*protoWalk).jsonRange, {intForm, longForm}: (*protoWalk).jsonRange,
	{longForm, intForm}: (*protoWalk).jsonRange, {longForm, longForm}: (*protoWalk).jsonRange,
	{intForm, floatForm}: (*protoWalk).jsonPrecision, {intForm, doubleForm}: (*protoWalk).jsonPrecision,
	{longForm, floatForm}: (*protoWalk).jsonPrecision, {longForm, doubleForm}: (*protoWalk).jsonPrecision,
	{intForm, enumForm}:    (*protoWalk).jsonNumberAsEnum,
	{longForm, stringForm}: sameText, {longForm, bytesForm}: (*protoWalk).jsonText,
	{floatForm, intForm}: (*protoWalk).jsonBroken, {floatForm, longForm}: (*protoWalk).jsonBroken,
	{doubleForm, intForm}: (*protoWalk).jsonBroken, {doubleForm, longForm}: (*protoWalk).jsonBroken,
	{floatForm, floatForm}: sameText, {floatForm, doubleForm}: sameText, {doubleForm, doubleForm}: sameText,
	{doubleForm, floatForm}: (*protoWalk).jsonNarrow,
	{boolForm, boolForm}:    sameText,
	{enumForm, enumForm}:    (*protoWalk).enums,
	{enumForm, stringForm}:  (*protoWalk).jsonText, {enumForm, bytesForm}: (*protoWalk).jsonText,
	{longForm, enumForm}: (*protoWalk).jsonTextAsEnum, {stringForm, enumForm}: (*protoWalk).jsonTextAsEnum,
	{bytesForm, enumForm}: (*protoWalk).jsonTextAsEnum, {timestampForm, enumForm}: (*protoWalk).jsonTextAsEnum,
	{durationForm, enumForm}: (*protoWalk).jsonTextAsEnum, {maskForm, enumForm}: (*protoWalk).jsonTextAsEnum,
	{stringForm, stringForm}: sameText, {bytesForm, bytesForm}: sameText,
	{stringForm, bytesForm}: (*protoWalk).jsonText, {bytesForm, stringForm}: (*protoWalk).jsonText,
	{timestampForm, timestampForm}: sameText, {timestampForm, stringForm}: sameText,
	{durationForm, durationForm}: sameText, {durationForm, stringForm}: sameText,
	{maskForm, maskForm}: sameText, {maskForm, stringForm}: sameText,
	{durationForm, bytesForm}: (*protoWalk).jsonTextAsBytes, {maskForm, bytesForm}: (*protoWalk).jsonTextAsBytes,
	{stringForm, maskForm}: (*protoWalk).jsonTextAsMask, {enumForm, maskForm}: (*protoWalk).jsonText,
}

func sameText(*protoWalk, fieldPair) {}

// jsonRange judges two integers: JSON never cuts a number, it is refused.
func (w *protoWalk) jsonRange(p fieldPair) {
	if n := beyond(p.sent, p.read); n != nil {
		w.refuse(p, "value-refused", p.set(intValue(p.sent.Kind(), n)), fmt.Sprintf("the reader cannot hold %s and refuses the event", n))
	}
}

// jsonPrecision judges an integer that is read as a floating number.
func (w *protoWalk) jsonPrecision(p fieldPair) {
	exact := uint(24)
	if p.read.Kind() == protoreflect.DoubleKind {
		exact = 53
	}
	odd := new(big.Int).Add(new(big.Int).Lsh(bigOne, exact), bigOne)
	limits := boundsOf(p.sent)
	for _, n := range append([]*big.Int{odd, new(big.Int).Neg(odd)}, limits.edges()...) {
		if seen := neighbour(n, exact); limits.allow(n) && seen.Cmp(n) != 0 {
			w.refuse(p, "value-garbled", p.set(intValue(p.sent.Kind(), n)), fmt.Sprintf("the reader takes %s for its neighbour %s", n, seen))
			return
		}
	}
}

// neighbour is the floating number of so many bits that stands for an integer.
func neighbour(n *big.Int, bits uint) *big.Int {
	held, _ := new(big.Float).SetPrec(bits).SetInt(n).Int(nil)
	return held
}

func (w *protoWalk) jsonNumberAsEnum(p fieldPair) {
	if n := beyond(p.sent, p.read); n != nil {
		w.refuse(p, "value-refused", p.set(intValue(p.sent.Kind(), n)), fmt.Sprintf("no enum has the number %s, and the reader refuses the event", n))
		return
	}
	w.unnamed(p, undeclared(p.sent, p.read.Enum()))
}

// jsonTextAsEnum judges text that the reader takes for the name of a value.
func (w *protoWalk) jsonTextAsEnum(p fieldPair) {
	what := w.unknownName(p)
	fill := anyValues(p.writer)
	if p.boxed || p.sent.Message() == nil {
		fill = p.set(someValue(p.sent))
	}
	w.add(p, claim{probe: p.probe(fill), Break: Break{
		Rule: what.rule, Severity: what.severity, Path: p.valuePath(),
		Message: fmt.Sprintf("%s is sent as %s, whose text the reader takes for the name of a value of %s: %s", p.valuePath(), typeName(p.writer), p.read.Enum().Name(), what.consequence),
	}})
}

// jsonBroken judges a floating number that is read as an integer.
func (w *protoWalk) jsonBroken(p fieldPair) {
	limits, kind := floatBoundsOf(p.sent), integers[p.read.Kind()]
	if v, found := limits.find(func(v float64) bool { return v != math.Trunc(v) }); found {
		w.refuse(p, "value-refused", p.set(floatValue(p.sent.Kind(), v)), "the reader refuses a number that is not whole")
		return
	}
	whole := func(v float64) *big.Int {
		n, _ := big.NewFloat(v).Int(nil)
		return n
	}
	if v, found := limits.find(func(v float64) bool { return !kind.holds(whole(v)) }); found {
		w.refuse(p, "value-refused", p.set(floatValue(p.sent.Kind(), v)), fmt.Sprintf("the reader cannot hold %s and refuses the event", whole(v)))
	}
}

// jsonNarrow judges a double that is read as a float.
func (w *protoWalk) jsonNarrow(p fieldPair) {
	limits := floatBoundsOf(p.sent)
	if v, found := limits.find(func(v float64) bool { return math.IsInf(float64(float32(v)), 0) }); found {
		w.refuse(p, "value-refused", p.set(floatValue(p.sent.Kind(), v)), fmt.Sprintf("the reader cannot hold %g and refuses the event", v))
		return
	}
	if v, found := limits.find(func(v float64) bool { return float64(float32(v)) != v }); found {
		w.refuse(p, "value-garbled", p.set(floatValue(p.sent.Kind(), v)), fmt.Sprintf("the reader takes %g for its neighbour %g", v, float64(float32(v))))
	}
}

// jsonTextAsBytes judges a message's text that may happen to be base64: 5s is.
func (w *protoWalk) jsonTextAsBytes(p fieldPair) {
	w.refuse(p, "value-garbled", anyValues(p.writer), "the reader takes the text of one for base64")
	w.claims[len(w.claims)-1].junk = true
}

// jsonTextAsMask judges text that the reader takes for the names of fields.
func (w *protoWalk) jsonTextAsMask(p fieldPair) {
	w.refuse(p, "value-refused", p.set(protoreflect.ValueOfString("?")), "the reader refuses text that is no list of fields")
}

// jsonText judges text that the reader takes for text of another kind: the name
// of an enum's value, base64.
func (w *protoWalk) jsonText(p fieldPair) {
	value := someValue(p.sent)
	if p.sent.Kind() == protoreflect.StringKind {
		value = protoreflect.ValueOfString("text")
	}
	w.add(p, claim{junk: true, probe: p.probe(p.set(value)), Break: Break{
		Rule: "value-garbled", Severity: rule.Error,
		Message: fmt.Sprintf("%s is sent as %s and read as %s: the reader takes the text of one for the other", p.path, typeName(p.writer), typeName(p.reader)),
	}})
}
