package codegen

import (
	"github.com/evcontract/evcontract/internal/compat/contain"
	"github.com/evcontract/evcontract/internal/source"
)

// keywordRule says in which drafts a keyword counts, and how it is read.
type keywordRule struct {
	since, until draft // until 0: to this day
	read         func(*reading)
}

// keywords are all that say something about a value. What is not here is an
// annotation, or a word that no draft knows.
var keywords = map[string]keywordRule{
	"description": {draft4, 0, func(r *reading) { r.shape.doc = r.node().Text }},
	"default":     {draft4, 0, func(r *reading) { r.shape.preset = r.node() }},
	"deprecated":  {draft4, 0, func(r *reading) { r.shape.deprecated = r.node().Text == "true" }},

	"$ref":          {draft4, 0, readRef},
	"$dynamicRef":   {draft2020, 0, readRef},
	"$recursiveRef": {draft2019, draft2019, readRef},

	"type":  {draft4, 0, readType},
	"enum":  {draft4, 0, func(r *reading) { r.shape.enum = r.node().Items }},
	"const": {draft6, 0, func(r *reading) { r.shape.equal = r.node() }},

	"minimum":          {draft4, 0, readMinimum},
	"maximum":          {draft4, 0, readMaximum},
	"exclusiveMinimum": {draft6, 0, func(r *reading) { r.shape.above = r.node().Text }},
	"exclusiveMaximum": {draft6, 0, func(r *reading) { r.shape.below = r.node().Text }},
	"multipleOf":       {draft4, 0, func(r *reading) { r.shape.step = r.node().Text }},

	"minLength": {draft4, 0, func(r *reading) { r.shape.shortest = r.count() }},
	"maxLength": {draft4, 0, func(r *reading) { r.shape.longest = r.count() }},
	"pattern":   {draft4, 0, readPattern},
	"format":    {draft4, 0, readFormat},

	"contentEncoding": {draft7, 0, func(r *reading) { r.shape.encoding = r.node().Text }},

	"items":            {draft4, 0, readItems},
	"prefixItems":      {draft2020, 0, func(r *reading) { r.shape.places = r.list() }},
	"additionalItems":  {draft4, draft2019, readAdditionalItems},
	"contains":         {draft6, 0, readContains},
	"minContains":      {draft2019, 0, func(r *reading) { r.shape.fewestIn = r.count() }},
	"maxContains":      {draft2019, 0, func(r *reading) { r.shape.mostIn = r.count() }},
	"minItems":         {draft4, 0, func(r *reading) { r.shape.fewest = r.count() }},
	"maxItems":         {draft4, 0, func(r *reading) { r.shape.most = r.count() }},
	"uniqueItems":      {draft4, 0, func(r *reading) { r.shape.unique = r.node().Text == "true" }},
	"unevaluatedItems": {draft2019, 0, func(r *reading) { r.shape.restItems = r.sub() }},

	"properties":            {draft4, 0, readProperties},
	"patternProperties":     {draft4, 0, readPatternProperties},
	"additionalProperties":  {draft4, 0, func(r *reading) { r.shape.extra = r.sub() }},
	"unevaluatedProperties": {draft2019, 0, func(r *reading) { r.shape.restMembers = r.sub() }},
	"propertyNames":         {draft6, 0, func(r *reading) { r.shape.names = r.sub() }},
	"required":              {draft4, 0, func(r *reading) { r.shape.required = r.strings() }},
	"minProperties":         {draft4, 0, func(r *reading) { r.shape.fewestOf = r.count() }},
	"maxProperties":         {draft4, 0, func(r *reading) { r.shape.mostOf = r.count() }},
	"dependencies":          {draft4, 0, readNeeds},
	"dependentRequired":     {draft2019, 0, readNeeds},
	"dependentSchemas":      {draft2019, 0, readNeeds},

	"allOf": {draft4, 0, func(r *reading) { r.shape.all = append(r.shape.all, r.list()...) }},
	"anyOf": {draft4, 0, func(r *reading) { r.shape.any = r.list() }},
	"oneOf": {draft4, 0, func(r *reading) { r.shape.one = r.list() }},
	"not":   {draft4, 0, func(r *reading) { r.shape.not = r.sub() }},
	"if":    {draft7, 0, func(r *reading) { r.shape.cond = r.sub() }},
	"then":  {draft7, 0, func(r *reading) { r.shape.then = r.sub() }},
	"else":  {draft7, 0, func(r *reading) { r.shape.otherwise = r.sub() }},
}

// readRef takes a reference. Beside other keywords it is one more thing that
// the value must satisfy.
func readRef(r *reading) {
	target, ok := r.schema.Follow(r.shape.at)
	if !ok || r.key != "$ref" && r.shape.target != nil {
		r.cannot()
		return
	}
	r.shape.target = r.reader.shape(target)
}

func readType(r *reading) {
	r.shape.kinds = kindOfType[r.node().Text]
	for _, name := range r.strings() {
		r.shape.kinds |= kindOfType[name]
	}
}

// readMinimum heeds draft 4, where exclusiveMinimum is a boolean beside it.
func readMinimum(r *reading) {
	if beside := r.shape.at.Node.Get("exclusiveMinimum"); r.draft == draft4 && beside != nil && beside.Text == "true" {
		r.shape.above = r.node().Text
		return
	}
	r.shape.low = r.node().Text
}

func readMaximum(r *reading) {
	if beside := r.shape.at.Node.Get("exclusiveMaximum"); r.draft == draft4 && beside != nil && beside.Text == "true" {
		r.shape.below = r.node().Text
		return
	}
	r.shape.high = r.node().Text
}

// readPattern refuses what Go's engine cannot run.
func readPattern(r *reading) {
	if r.runs(r.node().Text) {
		r.shape.pattern = r.node().Text
	}
}

// runs reports whether Go can match a pattern of ECMA-262, and complains if not.
func (r *reading) runs(pattern string) bool {
	_, err := contain.RE2(pattern)
	if err != nil {
		r.cannot()
		r.shape.unknown[len(r.shape.unknown)-1].why = err.Error()
	}
	return err == nil
}

// readFormat keeps a format, and whether it is more than an annotation. One that
// no validator knows stays an annotation.
func readFormat(r *reading) {
	r.shape.format = r.node().Text
	if !r.assert {
		return
	}
	switch checkable, known := formats[r.shape.format]; {
	case checkable:
		r.shape.assert = true
	case known:
		r.cannot()
	}
}

// formats are those that validators assert, and whether generated code can.
var formats = map[string]bool{
	"date-time": true, "date": true, "time": true, "uuid": true, "ipv4": true, "ipv6": true,
	"duration": true, "email": true, "hostname": true, "ip-address": true, "uri": true, "uri-reference": true,
	"uriref": true, "iri": true, "iri-reference": true,
	"uri-template": false, "json-pointer": false, "relative-json-pointer": false, "regex": false, "period": false,
}

func readItems(r *reading) {
	if r.draft < draft2020 && r.node().Kind == source.List {
		r.shape.places = r.list()
		return
	}
	r.shape.items = r.sub()
}

// readContains also notes that since 2020-12 it evaluates the elements it takes.
func readContains(r *reading) {
	r.shape.contains, r.shape.containsCounts = r.sub(), r.draft >= draft2020
}

// readAdditionalItems counts only where items is a tuple.
func readAdditionalItems(r *reading) {
	if items := r.shape.at.Node.Get("items"); items != nil && items.Kind == source.List {
		r.shape.items = r.sub()
	}
}

func readProperties(r *reading) {
	for _, m := range r.node().Members {
		r.shape.members = append(r.shape.members, &member{m.Key, r.sub(m.Key)})
	}
}

func readPatternProperties(r *reading) {
	for _, m := range r.node().Members {
		if !r.runs(m.Key) {
			return
		}
		r.shape.patterns = append(r.shape.patterns, patterned{m.Key, r.sub(m.Key)})
	}
}

// readNeeds reads dependencies and what became of it: a list of names, or a
// schema, for each member.
func readNeeds(r *reading) {
	for _, m := range r.node().Members {
		n := need{member: m.Key}
		if m.Value.Kind == source.List {
			for _, item := range m.Value.Items {
				n.names = append(n.names, item.Text)
			}
		} else {
			n.shape = r.sub(m.Key)
		}
		r.shape.needs = append(r.shape.needs, n)
	}
}
