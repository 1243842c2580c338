package jsonschema

import "github.com/evcontract/evcontract/internal/source"

// holds says where a keyword's value has schemas in it.
type holds uint8

const (
	noSchema holds = iota
	oneSchema
	listOfSchemas
	mapOfSchemas
	schemaOrList // items before 2020-12
	mapOfEither  // dependencies: schemas, or lists of names
)

// keyword is one line of the table below.
type keyword struct {
	in      draft // the drafts that know it
	holds   holds
	inPlace bool // its schemas judge the same value, not a part of it
	note    bool // says nothing to a validator
	names   bool // identifies or contains schemas; what it names takes part, it itself does not
}

// keywords is every keyword of every draft that is read.
var keywords = map[string]keyword{
	"$schema":          {in: since4, names: true},
	"id":               {in: draft4, names: true},
	"$id":              {in: since6, names: true},
	"$anchor":          {in: since2019, names: true},
	"$ref":             {in: since4},
	"$recursiveRef":    {in: draft2019},
	"$recursiveAnchor": {in: draft2019},
	"$dynamicRef":      {in: draft2020},
	"$dynamicAnchor":   {in: draft2020},
	"$vocabulary":      {in: since2019},
	"$defs":            {in: since4, holds: mapOfSchemas, names: true}, // used in every draft, whatever it says
	"definitions":      {in: since4, holds: mapOfSchemas, names: true},

	"type":             {in: since4},
	"enum":             {in: since4},
	"const":            {in: since6},
	"multipleOf":       {in: since4},
	"maximum":          {in: since4},
	"exclusiveMaximum": {in: since4},
	"minimum":          {in: since4},
	"exclusiveMinimum": {in: since4},
	"maxLength":        {in: since4},
	"minLength":        {in: since4},
	"pattern":          {in: since4},
	"format":           {in: since4},
	"contentEncoding":  {in: since7},
	"contentMediaType": {in: since7},
	"contentSchema":    {in: since2019, holds: oneSchema},

	"items":            {in: since4, holds: schemaOrList},
	"prefixItems":      {in: draft2020, holds: listOfSchemas},
	"additionalItems":  {in: until2019, holds: oneSchema},
	"unevaluatedItems": {in: since2019, holds: oneSchema},
	"contains":         {in: since6, holds: oneSchema},
	"maxContains":      {in: since2019},
	"minContains":      {in: since2019},
	"maxItems":         {in: since4},
	"minItems":         {in: since4},
	"uniqueItems":      {in: since4},

	"properties":            {in: since4, holds: mapOfSchemas},
	"patternProperties":     {in: since4, holds: mapOfSchemas},
	"additionalProperties":  {in: since4, holds: oneSchema},
	"unevaluatedProperties": {in: since2019, holds: oneSchema},
	"propertyNames":         {in: since6, holds: oneSchema},
	"required":              {in: since4},
	"dependencies":          {in: since4, holds: mapOfEither, inPlace: true}, // later drafts discourage it and validators read it
	"dependentRequired":     {in: since2019},
	"dependentSchemas":      {in: since2019, holds: mapOfSchemas, inPlace: true},
	"maxProperties":         {in: since4},
	"minProperties":         {in: since4},

	"allOf": {in: since4, holds: listOfSchemas, inPlace: true},
	"anyOf": {in: since4, holds: listOfSchemas, inPlace: true},
	"oneOf": {in: since4, holds: listOfSchemas, inPlace: true},
	"not":   {in: since4, holds: oneSchema, inPlace: true},
	"if":    {in: since7, holds: oneSchema, inPlace: true},
	"then":  {in: since7, holds: oneSchema, inPlace: true},
	"else":  {in: since7, holds: oneSchema, inPlace: true},

	"title":       {in: since4, note: true},
	"description": {in: since4, note: true},
	"default":     {in: since4, note: true},
	"examples":    {in: since4, note: true},
	"example":     {in: since4, note: true}, // of no draft, and everywhere
	"$comment":    {in: since4, note: true},
	"deprecated":  {in: since4, note: true},
	"readOnly":    {in: since4, note: true},
	"writeOnly":   {in: since4, note: true},
}

// refKeywords are the keywords that point to another schema.
var refKeywords = []string{"$ref", "$dynamicRef", "$recursiveRef"}

// onlyRef reports whether a schema is its $ref and nothing else: until draft 7
// what stands beside $ref is not looked at.
func onlyRef(n *source.Node, d draft) bool {
	return d&until7 != 0 && text(n.Get("$ref")) != ""
}

// speaks reports whether a keyword of this schema counts in this draft.
func speaks(n *source.Node, name string, d draft) bool {
	if onlyRef(n, d) && name != "$ref" && name != "$defs" && name != "definitions" {
		return false
	}
	k, known := keywords[name]
	return known && k.in&d != 0
}

// children calls f for every schema directly inside this one, in the order in
// which they stand, with the keyword that holds it.
func children(r Ref, d draft, f func(name string, child Ref)) {
	for _, m := range r.Node.Members {
		if !speaks(r.Node, m.Key, d) {
			continue
		}
		at := r.sub(m.Key, m.Value)
		for _, child := range schemasOf(at, keywords[m.Key].holds) {
			f(m.Key, child)
		}
	}
}

// schemasOf lists the schemas in a keyword's value.
func schemasOf(value Ref, h holds) []Ref {
	switch {
	case h == noSchema:
		return nil
	case h == oneSchema, h == schemaOrList && value.Node.Kind != source.List:
		return []Ref{value}
	}
	var list []Ref
	for i, item := range value.Node.Items {
		list = append(list, value.sub(itoa(i), item))
	}
	for _, m := range value.Node.Members {
		if h != mapOfEither || m.Value.Kind != source.List {
			list = append(list, value.sub(m.Key, m.Value))
		}
	}
	return list
}
