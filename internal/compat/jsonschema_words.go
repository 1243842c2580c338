package compat

import (
	"fmt"
	"strings"

	"github.com/evcontract/evcontract/internal/source"
)

// jsonSentences says a fact in words, by its keyword: %[1]s is the field, %[2]s
// what may be there, %[3]s what the keyword demands.
var jsonSentences = map[string]string{
	"type":  "%[1]s may be %[2]s: the reader accepts only %[3]s",
	"enum":  "%[1]s may be %[2]s: the reader accepts only %[3]s",
	"const": "%[1]s may be %[2]s: the reader accepts only %[3]s",

	"minimum":          "%[1]s may be %[2]s: the reader accepts nothing below %[3]s",
	"maximum":          "%[1]s may be %[2]s: the reader accepts nothing above %[3]s",
	"exclusiveMinimum": "%[1]s may be %[2]s: the reader accepts only numbers above %[3]s",
	"exclusiveMaximum": "%[1]s may be %[2]s: the reader accepts only numbers below %[3]s",
	"multipleOf":       "%[1]s may be %[2]s: the reader accepts only multiples of %[3]s",
	"minLength":        "%[1]s may be %[2]s: the reader accepts no text of less than %[3]s characters",
	"maxLength":        "%[1]s may be %[2]s: the reader accepts no text of more than %[3]s characters",
	"pattern":          "%[1]s may be %[2]s: the reader accepts only text that matches %[3]s",
	"format":           "%[1]s may be %[2]s: the reader accepts only the format %[3]s",
	"contentEncoding":  "%[1]s may be %[2]s: the reader accepts only text encoded as %[3]s",
	"contentMediaType": "%[1]s may be %[2]s: the reader accepts only content of type %[3]s",

	"required":          "%[1]s may be missing: the reader requires it",
	"dependentRequired": "%[1]s may be missing beside a field that the reader requires it with",
	"dependencies":      "%[1]s may be missing beside a field that the reader requires it with",
	"minProperties":     "%[1]s may have fewer fields than the %[3]s that the reader requires",
	"maxProperties":     "%[1]s may have more fields than the %[3]s that the reader accepts",

	"additionalProperties":  "%[1]s may be sent: the reader refuses fields that it does not declare",
	"unevaluatedProperties": "%[1]s may be sent: the reader refuses fields that it does not declare",
	"propertyNames":         "%[1]s may be sent: the reader refuses the name",
	"false":                 "%[1]s may be sent: the reader allows nothing there",
	"not":                   "%[1]s may be %[2]s: the reader excludes it",

	"minItems":         "%[1]s may have fewer elements than the %[3]s that the reader requires",
	"maxItems":         "%[1]s may have more elements than the %[3]s that the reader accepts",
	"uniqueItems":      "%[1]s may have one element twice: the reader accepts only different ones",
	"items":            "%[1]s may have an element that the reader refuses",
	"prefixItems":      "%[1]s may have an element that the reader refuses",
	"additionalItems":  "%[1]s may have more elements than the reader accepts",
	"unevaluatedItems": "%[1]s may have more elements than the reader accepts",
	"contains":         "%[1]s may have no element of the kind that the reader looks for",
	"minContains":      "%[1]s may have fewer elements of a kind than the %[3]s that the reader requires",
	"maxContains":      "%[1]s may have more elements of a kind than the %[3]s that the reader accepts",

	"anyOf": "%[1]s may be %[2]s: none of the reader's alternatives takes it",
	"oneOf": "%[1]s may be %[2]s: not exactly one of the reader's alternatives takes it",
}

const jsonOtherwise = "%[1]s may be %[2]s: the reader refuses it (%[4]s)"

// message says a fact in one sentence: the subject, the fact, the consequence.
func (f jsonFact) message() string {
	sentence := jsonSentences[f.keyword]
	if sentence == "" || f.demand() == nil && strings.Contains(sentence, "%[3]s") {
		sentence = jsonOtherwise
	}
	return fmt.Sprintf(sentence, f.subject(), f.found(), f.wanted(), f.keyword)
}

func (f jsonFact) subject() string {
	if len(f.path) == 0 {
		return "the event"
	}
	return f.path.String()
}

// found is what the witness has at the mark. Where the type is wrong its kind is
// what matters; else its value, if it is short.
func (f jsonFact) found() string {
	v := f.value()
	switch {
	case v == nil:
		return "missing"
	case v.Kind == source.Null:
		return "null"
	case f.keyword == "type" && v.Kind != source.Number || len(v.JSON()) > maxShown:
		return jsonKinds[v.Kind]
	}
	return string(v.JSON())
}

// maxShown is how long a value may be that stands in the middle of a sentence.
const maxShown = 40

// maxDemand is how much of a keyword's value does.
const maxDemand = 80

var jsonKinds = map[source.Kind]string{
	source.Null: "null", source.Bool: "a boolean", source.Number: "a number",
	source.String: "a text", source.List: "a list", source.Map: "an object",
}

var jsonTypes = map[string]string{
	"null": "null", "boolean": "a boolean", "integer": "a whole number", "number": "a number",
	"string": "a text", "array": "a list", "object": "an object",
}

// wanted is what the keyword demands.
func (f jsonFact) wanted() string {
	n := f.demand()
	switch {
	case n == nil:
		return ""
	case f.keyword == "type":
		return oneOf(n, func(n *source.Node) string { return jsonTypes[n.Text] })
	case f.keyword == "enum":
		return oneOf(n, shortJSON)
	}
	return shortJSON(n)
}

// maxListed is how many values of an enumeration stand in a sentence.
const maxListed = 6

// oneOf lists values in words: a, b or c.
func oneOf(n *source.Node, say func(*source.Node) string) string {
	if n.Kind != source.List {
		return say(n)
	}
	var words []string
	for i, item := range n.Items {
		if i == maxListed {
			return strings.Join(words, ", ") + fmt.Sprintf(" and %d others", len(n.Items)-i)
		}
		words = append(words, say(item))
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func shortJSON(n *source.Node) string {
	text := []rune(string(n.JSON()))
	if len(text) <= maxDemand {
		return string(text)
	}
	return string(text[:maxDemand]) + "…"
}
