package contain

import (
	"encoding/json"
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// ecmaKeyword carries a pattern that RE2 cannot express to the marker extension.
const ecmaKeyword = "\x00pattern"

// hugeCount replaces counts that the validator's int conversion would overflow;
// no instance can tell the difference.
const hugeCount = 1_000_000_000_000_000

var countKeywords = []string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains"}

// position says where subschemas are in a keyword's value.
type position uint8

const (
	posSelf position = 1 << iota
	posMap
	posList
)

// subschemas are the schema-valued keywords and the first draft that has them.
var subschemas = []struct {
	keyword string
	pos     position
	since   Draft
}{

	{"definitions", posMap, Draft4}, {"not", posSelf, Draft4}, {"allOf", posList, Draft4}, {"anyOf", posList, Draft4}, {"oneOf", posList, Draft4},
	{"properties", posMap, Draft4}, {"additionalProperties", posSelf, Draft4}, {"patternProperties", posMap, Draft4},
	{"items", posSelf | posList, Draft4}, {"additionalItems", posSelf, Draft4}, {"dependencies", posMap, Draft4},
	{"propertyNames", posSelf, Draft6}, {"contains", posSelf, Draft6},
	{"if", posSelf, Draft7}, {"then", posSelf, Draft7}, {"else", posSelf, Draft7},
	{"$defs", posMap, Draft2019}, {"dependentSchemas", posMap, Draft2019}, {"unevaluatedProperties", posSelf, Draft2019},
	{"unevaluatedItems", posSelf, Draft2019}, {"contentSchema", posSelf, Draft2019}, {"prefixItems", posList, Draft2020},
}

// document is one loaded schema document, rewritten for the validator.
type document struct {
	url, path string
	root      any
	draft     Draft
	walked    map[string]bool
	resources []string   // pointers of the schemas with an $id
	anchors   []anchored // dynamic ones; "" is the name of $recursiveAnchor
}

// target is what an absolute URL without fragment names.
type target struct {
	doc     *document
	pointer string
	value   any
	anchors map[string]target
}

type pendingRef struct {
	doc           *document
	at, base, ref string
}

// preparer loads documents and rewrites what the validator cannot read.
type preparer struct {
	src     Source
	docs    map[string]*document
	files   map[string]string
	targets map[string]*target
	written map[string]string // the user's text of a rewritten pattern
	pending []pendingRef
	bearers map[string]*jsonschema.Schema // of dynamic anchors, by document URL and pointer
	astray  error                         // the first reference that leads nowhere; it matters where the validator meets it
}

func newPreparer(src Source) *preparer {
	return &preparer{src: src, docs: map[string]*document{}, files: map[string]string{}, targets: map[string]*target{}, written: map[string]string{}, bearers: map[string]*jsonschema.Schema{}}
}

// prepareAll loads the root document and, transitively, what it refers to.
func (p *preparer) prepareAll(path, fragment string) (string, error) {
	root := (&url.URL{Scheme: "workspace", Path: "/" + strings.TrimPrefix(path, "/")}).String()
	d, err := p.load(root)
	var own *Error
	if errors.As(err, &own) {
		return "", own
	}
	if err != nil {
		return "", &Error{Kind: BadDocument, At: Location{Document: path}, Message: err.Error()}
	}
	if strings.HasPrefix(fragment, "/") {
		if err := p.follow(pendingRef{doc: d, base: root, ref: "#" + fragment}); err != nil {
			return "", err
		}
	}
	for len(p.pending) > 0 {
		r := p.pending[0]
		p.pending = p.pending[1:]
		if err := p.follow(r); err != nil && p.astray == nil {
			p.astray = err
		}
	}
	return root, nil
}

func (p *preparer) load(u string) (*document, error) {
	if p.src.Load == nil {
		return nil, errors.New("no loader")
	}
	path := u
	if rest, ok := strings.CutPrefix(u, "workspace:///"); ok {
		path = unescapePath(rest)
	}
	data, err := p.src.Load(path)
	if err != nil {
		return nil, err
	}
	root, err := decode(data)
	if err != nil {
		e := &Error{Kind: BadDocument, At: Location{Document: path}, Message: err.Error()}
		if n := (*numberError)(nil); errors.As(err, &n) {
			e.At.Pointer = n.pointer
		}
		return nil, e
	}
	d := &document{url: u, path: path, root: root, draft: p.src.Draft, walked: map[string]bool{}}
	if d.draft == DraftDefault {
		d.draft = Draft2020
	}
	p.docs[u], p.files[u] = d, path
	if m, ok := root.(map[string]any); ok {
		d.readDraft(m)
	}
	p.targets[u] = &target{doc: d, value: root, anchors: map[string]target{}}
	return d, p.walk(d, root, "", u)
}

// readDraft follows $schema, and drops one that the validator does not know.
func (d *document) readDraft(m map[string]any) {
	s, ok := m["$schema"].(string)
	if !ok {
		return
	}
	_, name, _ := strings.Cut(strings.TrimRight(s, "#"), "://")
	switch name {
	case "json-schema.org/draft-04/schema":
		d.draft = Draft4
	case "json-schema.org/draft-06/schema":
		d.draft = Draft6
	case "json-schema.org/draft-07/schema":
		d.draft = Draft7
	case "json-schema.org/draft/2019-09/schema":
		d.draft = Draft2019
	case "json-schema.org/draft/2020-12/schema", "json-schema.org/schema":
		d.draft = Draft2020
	default:
		delete(m, "$schema")
	}
}

func (d *document) idOf(m map[string]any) string {
	if _, ok := m["$ref"]; ok && d.draft <= Draft7 {
		return ""
	}
	name := "$id"
	if d.draft == Draft4 {
		name = "id"
	}
	id, _ := m[name].(string)
	return id
}

// walk rewrites one schema and its subschemas, and notes ids, anchors and refs.
func (p *preparer) walk(d *document, v any, pointer, base string) error {
	m, ok := v.(map[string]any)
	if !ok || d.walked[pointer] {
		return nil
	}
	d.walked[pointer] = true
	base = p.identify(d, m, pointer, base)
	if ref, ok := m["$ref"].(string); ok {
		p.pending = append(p.pending, pendingRef{d, pointer + "/$ref", base, ref})
	}
	if err := p.rewrite(d, m, pointer); err != nil {
		return err
	}
	return eachSubschema(d.draft, m, func(at string, sub any) error {
		return p.walk(d, sub, pointer+at, base)
	})
}

func (p *preparer) identify(d *document, m map[string]any, pointer, base string) string {
	id, anchor, _ := strings.Cut(d.idOf(m), "#")
	if id != "" {
		if u, err := resolve(base, id); err == nil {
			base = u
			p.files[u] = d.path
			if p.targets[u] == nil {
				p.targets[u] = &target{doc: d, pointer: pointer, value: m, anchors: map[string]target{}}
			}
		}
	}
	here := target{doc: d, pointer: pointer, value: m}
	names := []string{anchor}
	for _, k := range []string{"$anchor", "$dynamicAnchor"} {
		if a, ok := m[k].(string); ok {
			names = append(names, a)
		}
	}
	for _, a := range names {
		if a != "" && p.targets[base] != nil {
			p.targets[base].anchors[a] = here
		}
	}
	d.note(m, pointer, id != "")
	return base
}

// eachSubschema calls f for every subschema that the draft gives m.
func eachSubschema(draft Draft, m map[string]any, f func(at string, sub any) error) error {
	for _, s := range subschemas {
		v, ok := m[s.keyword]
		if !ok || draft < s.since {
			continue
		}
		at := "/" + s.keyword
		var err error
		switch v := v.(type) {
		case map[string]any:
			if s.pos&posSelf != 0 {
				err = f(at, v)
				break
			}
			for _, k := range sortedKeys(v) {
				err = errors.Join(err, f(at+"/"+escapeToken(k), v[k]))
			}
		case []any:
			for i, e := range v {
				if s.pos&posList != 0 {
					err = errors.Join(err, f(at+"/"+strconv.Itoa(i), e))
				}
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func escapeToken(t string) string {
	return strings.ReplaceAll(strings.ReplaceAll(t, "~", "~0"), "/", "~1")
}

// rewrite replaces patterns by their RE2 form and counts beyond the validator's
// range. Values that an enum repeats are dropped where the validator refuses what
// the draft only advises against.
func (p *preparer) rewrite(d *document, m map[string]any, pointer string) error {
	for _, k := range countKeywords {
		if n, ok := m[k].(json.Number); ok {
			if f, err := n.Float64(); err != nil || f > hugeCount {
				m[k] = json.Number(strconv.Itoa(hugeCount))
			}
		}
	}
	if list, ok := m["enum"].([]any); ok && (d.draft == Draft6 || d.draft == Draft7) {
		m["enum"] = newValueSet(list).list
	}
	if s, ok := m["pattern"].(string); ok {
		re, err := RE2(s)
		var unsupported *Unsupported
		switch {
		case errors.As(err, &unsupported) && newECMA(s) != nil:
			delete(m, "pattern")
			m[ecmaKeyword] = s
		case err != nil:
			return &Error{Kind: BadPattern, At: Location{d.path, pointer + "/pattern"}, Keyword: "pattern", Message: err.Error()}
		default:
			m["pattern"] = re
			p.written[re] = s
		}
	}
	props, ok := m["patternProperties"].(map[string]any)
	if !ok {
		return nil
	}
	out := make(map[string]any, len(props))
	for _, k := range sortedKeys(props) {
		re, err := RE2(k)
		if err != nil {
			return &Error{Kind: BadPattern, At: Location{d.path, pointer + "/patternProperties/" + escapeToken(k)}, Keyword: "patternProperties", Message: err.Error()}
		}
		out[re] = props[k]
		p.written[re] = k
	}
	m["patternProperties"] = out
	return nil
}
