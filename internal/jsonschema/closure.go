package jsonschema

import (
	"net/url"
	"path"
	"strings"

	"github.com/evcontract/evcontract/internal/source"
)

// closure is every document that a schema reaches, and what they name.
type closure struct {
	tree      *source.Tree
	ids       func() map[string]string // of the whole tree
	vendored  map[string]string        // URL to file
	origins   map[string]string        // file to URL, of what was vendored
	documents map[string]*document     // by file
	order     []string                 // of documents, as they were reached
	uris      map[string]string        // URI, as a $ref resolves to it, to file
	broken    map[string]bool          // files that could not be read, and were complained about

	resources map[string]Ref   // by URI: roots of documents, and of what has an $id
	anchors   map[string]Ref   // by URI#name
	dynamic   map[string][]Ref // by name: $dynamicAnchor; "": $recursiveAnchor
	schemas   map[place]*context
	links     map[place]Ref // of a $ref, by the place of the keyword

	queue    []Ref
	visited  map[place]bool
	reached  []Ref // what was visited, in that order
	problems []Problem
}

// document is one file.
type document struct {
	file  string
	root  *source.Node
	draft draft
	uri   *url.URL // where it was found; its $id may say otherwise
}

// context is what a subschema inherits from those around it.
type context struct {
	draft draft
	base  *url.URL
}

func newClosure(tree *source.Tree, ids func() map[string]string, vendored map[string]string) *closure {
	origins := map[string]string{}
	for url, file := range vendored {
		origins[file] = url
	}
	return &closure{
		tree:      tree,
		ids:       ids,
		vendored:  vendored,
		origins:   origins,
		documents: map[string]*document{},
		uris:      map[string]string{},
		broken:    map[string]bool{},
		resources: map[string]Ref{},
		anchors:   map[string]Ref{},
		dynamic:   map[string][]Ref{},
		schemas:   map[place]*context{},
		links:     map[place]Ref{},
		visited:   map[place]bool{},
	}
}

// treeScheme is the scheme of the URIs that files of the tree have for us.
const treeScheme = "tree"

func fileURI(file string) *url.URL { return &url.URL{Scheme: treeScheme, Path: "/" + file} }

// document gives a file that was read, by its name or a URI that led to it.
func (c *closure) document(name string) *document {
	for _, file := range []string{name, c.uris[name], c.uris[fileURI(name).String()]} {
		if d := c.documents[file]; d != nil {
			return d
		}
	}
	return nil
}

// named gives a document by the name that a validator has for it: the file, a
// URI that led to it, or the $id of a schema inside a file.
func (c *closure) named(name string) (Ref, bool) {
	if d := c.document(name); d != nil {
		return Ref{File: d.file, Node: d.root}, true
	}
	for _, uri := range []string{name, fileURI(name).String()} {
		if r, ok := c.resources[uri]; ok {
			return r, true
		}
	}
	return Ref{}, false
}

// open reads a file, once.
func (c *closure) open(file string) (*document, []*source.Error) {
	if d := c.documents[file]; d != nil {
		return d, nil
	}
	data, err := c.tree.ReadFile(file)
	if err != nil {
		return nil, []*source.Error{source.Errorf(source.Pos{File: file}, "%s", strings.TrimPrefix(err.Error(), file+": "))}
	}
	root, errs := source.Parse(file, data)
	switch {
	case root == nil:
		return nil, errs
	case root.Kind != source.Map && root.Kind != source.Bool:
		return nil, []*source.Error{source.Errorf(root.Pos, "is no JSON Schema: want an object with keywords such as type and properties, found %s", root.Kind)}
	}
	for _, e := range errs {
		c.problem(KeyDuplicate, e.Pos, "keep one of the two", "%s", e.Msg)
	}
	return c.add(file, root), nil
}

// add takes a document into the closure and registers what it names.
func (c *closure) add(file string, root *source.Node) *document {
	d := &document{file: file, root: root, uri: c.retrieval(file)}
	d.draft = c.draftOf(d)
	c.documents[file] = d
	c.order = append(c.order, file)
	top := Ref{File: file, Node: root}
	c.resources[fileURI(file).String()], c.resources[d.uri.String()] = top, top
	c.register(top, context{d.draft, d.uri})
	c.queue = append(c.queue, top) // a validator compiles the root of every document that it touches
	return d
}

// retrieval is the URI that a file was got from: that of the file itself, or the
// URL that it was vendored from, to which its own references are relative.
func (c *closure) retrieval(file string) *url.URL {
	if origin, err := url.Parse(c.origins[file]); err == nil && origin.Host != "" {
		return origin
	}
	return fileURI(file)
}

// draftOf is the draft of a document; one that doesn't say has the draft of the
// first, and if that doesn't say, the latest.
func (c *closure) draftOf(d *document) draft {
	fallback := defaultDraft
	if len(c.order) > 0 {
		fallback = c.documents[c.order[0]].draft
	}
	says := d.root.Get("$schema")
	switch {
	case says == nil && d.root.Kind == source.Map:
		c.problem(SchemaMissing, d.root.Pos, `add "$schema": "`+"https://json-schema.org/draft/2020-12/schema"+`"`,
			"$schema is missing: validators differ in the draft that they take the schema for (here %s)", fallback)
	case says != nil && draftOf(text(says)) == 0:
		c.problem(DraftUnknown, says.Pos, "name draft 4, 6, 7, 2019-09 or 2020-12, as in https://json-schema.org/draft/2020-12/schema",
			"$schema %s names no draft that is known: the schema is read as draft %s, and others may read it differently", says.JSON(), fallback)
	}
	return declared(d.root, fallback)
}

// of is the context of a subschema; of one that stands where no schema is
// expected, the context of the nearest one around it.
func (c *closure) of(r Ref) *context {
	for at := r.place(); ; at.pointer = parent(at.pointer) {
		if ctx := c.schemas[at]; ctx != nil {
			return ctx
		}
		if at.pointer == "" {
			return &context{draft: defaultDraft, base: fileURI(r.File)}
		}
	}
}

// register notes a subschema and all those inside it: their context, and the
// names by which they can be referred to.
func (c *closure) register(r Ref, ctx context) {
	if c.schemas[r.place()] != nil {
		return
	}
	if r.Node.Kind == source.Map && !onlyRef(r.Node, ctx.draft) {
		c.identify(r, &ctx)
	}
	c.schemas[r.place()] = &ctx
	children(r, ctx.draft, func(_ string, child Ref) { c.register(child, ctx) })
}

// identify reads $id and the anchors of a subschema.
func (c *closure) identify(r Ref, ctx *context) {
	key := "$id"
	if ctx.draft == draft4 {
		key = "id"
	}
	if id := r.get(key); text(id.Node) != "" {
		c.identifyAs(r, id.Node, ctx)
	}
	for _, key := range []string{"$anchor", "$dynamicAnchor"} {
		if name := text(r.Node.Get(key)); name != "" && speaks(r.Node, key, ctx.draft) {
			c.claim(c.anchors, ctx.base.String()+"#"+name, r, key)
			if key == "$dynamicAnchor" {
				c.dynamic[name] = append(c.dynamic[name], r)
			}
		}
	}
	if n := r.Node.Get("$recursiveAnchor"); n != nil && n.Text == "true" && speaks(r.Node, "$recursiveAnchor", ctx.draft) {
		c.dynamic[""] = append(c.dynamic[""], r)
	}
}

// identifyAs gives a subschema its base URI; a fragment in $id is an anchor, as
// it was until draft 7.
func (c *closure) identifyAs(r Ref, id *source.Node, ctx *context) {
	u, err := ctx.base.Parse(id.Text)
	if err != nil {
		c.problem(Invalid, id.Pos, "write a URI", "$id %q is no URI", id.Text)
		return
	}
	name := u.Fragment
	u.Fragment = ""
	if u.String() != ctx.base.String() {
		ctx.base = u
		c.claim(c.resources, u.String(), r, "$id")
	}
	if name != "" && ctx.draft&until7 != 0 {
		c.claim(c.anchors, u.String()+"#"+name, r, "$id")
	}
}

// claim enters a subschema under a name that must be its own.
func (c *closure) claim(names map[string]Ref, name string, r Ref, keyword string) {
	other, taken := names[name]
	if taken && other.place() != r.place() {
		c.problem(IDDuplicate, r.Node.Get(idKeyword(r.Node, keyword)).Pos, "give each schema a name of its own",
			"%s %q is already the name of %s: a $ref to it may mean either", keyword, shown(name), c.pos(other))
		return
	}
	names[name] = r
}

func idKeyword(n *source.Node, keyword string) string {
	if n.Get(keyword) == nil {
		return "id"
	}
	return keyword
}

// shown is a URI as a message has it: without the scheme of our own.
func shown(uri string) string { return strings.TrimPrefix(uri, treeScheme+":///") }

func (c *closure) pos(r Ref) source.Pos {
	if d := c.documents[r.File]; d != nil {
		return d.root.KeyPos(r.Pointer)
	}
	return source.Pos{File: r.File}
}

// cleanFile is the file that a URI of ours names.
func cleanFile(u *url.URL) string { return path.Clean(strings.TrimPrefix(u.Path, "/")) }
