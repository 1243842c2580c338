package jsonschema

import (
	"strings"

	"github.com/evcontract/evcontract/internal/source"
)

// draft is a set of drafts; a schema has exactly one.
type draft uint8

const (
	draft4 draft = 1 << iota
	draft6
	draft7
	draft2019
	draft2020

	since4    = draft4 | since6
	since6    = draft6 | since7
	since7    = draft7 | since2019
	since2019 = draft2019 | draft2020
	until7    = draft4 | draft6 | draft7
	until2019 = until7 | draft2019
)

const defaultDraft = draft2020

// drafts are the drafts that are read, and what $schema says of each.
var drafts = []struct {
	draft draft
	name  string
	uri   string // without its scheme
}{
	{draft4, "4", "json-schema.org/draft-04/schema"},
	{draft6, "6", "json-schema.org/draft-06/schema"},
	{draft7, "7", "json-schema.org/draft-07/schema"},
	{draft2019, "2019-09", "json-schema.org/draft/2019-09/schema"},
	{draft2020, "2020-12", "json-schema.org/draft/2020-12/schema"},
}

// dialects are the metaschemas of others that add words to a draft, and no
// meaning that a validator knows.
var dialects = map[string]draft{
	"iglucentral.com/schemas/com.snowplowanalytics.self-desc/schema/jsonschema/1-0-0": draft4,

	"json-schema.org/schema": draft2020, // "the latest"
}

func (d draft) String() string {
	var names []string
	for _, known := range drafts {
		if d&known.draft != 0 {
			names = append(names, known.name)
		}
	}
	return strings.Join(names, ", ")
}

// draftOf is the draft that a $schema names, 0 where it is none of ours.
func draftOf(uri string) draft {
	uri = bareURI(uri)
	for _, known := range drafts {
		if known.uri == uri {
			return known.draft
		}
	}
	return dialects[uri]
}

// isMetaschema reports whether a URI names a schema that every validator has
// built in, so that nobody need copy it.
func isMetaschema(uri string) bool {
	uri = bareURI(uri)
	return draftOf(uri) != 0 ||
		strings.HasPrefix(uri, "json-schema.org/draft/2019-09/meta/") ||
		strings.HasPrefix(uri, "json-schema.org/draft/2020-12/meta/")
}

// bareURI leaves out the scheme, and a fragment that is empty.
func bareURI(uri string) string {
	uri = strings.TrimPrefix(uri, "http://")
	uri = strings.TrimPrefix(uri, "https://")
	return strings.TrimSuffix(uri, "#")
}

// declared is the draft that a schema declares for itself, else the fallback.
func declared(n *source.Node, fallback draft) draft {
	if d := draftOf(text(n.Get("$schema"))); d != 0 {
		return d
	}
	return fallback
}

// text is the value of a string, "" for everything else.
func text(n *source.Node) string {
	if n == nil || n.Kind != source.String {
		return ""
	}
	return n.Text
}
