package jsonschema

import (
	"cmp"
	"io/fs"
	"net/url"
	"slices"
	"strings"

	"github.com/evcontract/evcontract/internal/source"
)

// entry is the subschema of a document that a manifest names. Beside what $ref
// understands it takes the bare name of a definition.
func (c *closure) entry(d *document, fragment string) (Ref, *source.Error) {
	top := Ref{File: d.file, Node: d.root}
	r, ok := c.fragment(top, c.of(top).base, fragment)
	for _, holder := range []string{"$defs", "definitions"} {
		if !ok && fragment != "" && fragment[0] != '/' {
			r = top.get(holder)
			r = r.sub(fragment, r.Node.Get(fragment))
			ok = r.Node != nil
		}
	}
	switch {
	case !ok:
		return Ref{}, source.Errorf(source.Pos{File: d.file}, "#%s: %s", fragment, c.missing(top, fragment))
	case r.Node.Kind != source.Map && r.Node.Kind != source.Bool:
		return Ref{}, source.Errorf(r.Node.Pos, "#%s is no JSON Schema but %s", fragment, r.Node.Kind)
	}
	c.register(r, *c.of(r))
	return r, nil
}

// visit reads everything that the root reaches.
func (c *closure) visit(root Ref) {
	c.queue = append(c.queue, root)
	for len(c.queue) > 0 {
		r := c.queue[0]
		c.queue = c.queue[1:]
		if !c.visited[r.place()] {
			c.visited[r.place()] = true
			c.reached = append(c.reached, r)
			c.visitOne(r)
		}
	}
}

func (c *closure) visitOne(r Ref) {
	ctx := c.of(r)
	c.inspect(r, ctx.draft)
	for _, key := range refKeywords {
		at := r.get(key)
		if text(at.Node) == "" || !speaks(r.Node, key, ctx.draft) {
			continue
		}
		if target, ok := c.resolve(at, ctx); ok {
			c.links[at.place()] = target
			c.queue = append(c.queue, target)
		}
	}
	children(r, ctx.draft, func(name string, child Ref) {
		if !keywords[name].names {
			c.queue = append(c.queue, child)
		}
	})
}

// resolve finds what a $ref points to, and says so where it can't.
func (c *closure) resolve(at Ref, ctx *context) (Ref, bool) {
	u, err := ctx.base.Parse(at.Node.Text)
	if err != nil {
		c.problem(RefDangling, at.Node.Pos, "write a file's path, a URI, or #/$defs/Name", "$ref %q is no reference", at.Node.Text)
		return Ref{}, false
	}
	fragment := u.Fragment
	u.Fragment, u.RawFragment = "", ""
	if isMetaschema(u.String()) {
		return Ref{}, false
	}
	resource, ok := c.resource(u, at)
	if !ok {
		return Ref{}, false
	}
	target, ok := c.fragment(resource, u, fragment)
	if !ok {
		c.problem(RefDangling, at.Node.Pos, "correct the reference, or add what it names", "$ref %q points to nothing: %s", at.Node.Text, c.missing(resource, fragment))
		return Ref{}, false
	}
	if target.Node.Kind != source.Map && target.Node.Kind != source.Bool {
		c.problem(RefDangling, at.Node.Pos, "point it to a schema", "$ref %q points to %s, which is no schema", at.Node.Text, target.Node.Kind)
		return Ref{}, false
	}
	c.register(target, *c.of(target))
	return target, true
}

// resource finds a schema by its URI without a fragment: what has that $id, or
// else a file of the tree.
func (c *closure) resource(u *url.URL, at Ref) (Ref, bool) {
	if r, ok := c.resources[u.String()]; ok {
		return r, true
	}
	file := c.find(u, at)
	if c.broken[file] {
		return Ref{}, false
	}
	if file == "" {
		c.unreachable(u, at)
		return Ref{}, false
	}
	d, errs := c.open(file)
	if d == nil {
		c.broken[file] = true
		for _, e := range errs {
			c.problem(RefDangling, e.Pos, "correct the file", "%s, and %s refers to it", e.Msg, at.Node.Pos)
		}
		return Ref{}, false
	}
	c.uris[u.String()] = file
	return Ref{File: file, Node: d.root}, true
}

// find is the file that a URI means: the one at its path, the one beside the
// file that refers to it, or the one that claims the URI as its $id.
func (c *closure) find(u *url.URL, at Ref) string {
	if file := cleanFile(u); u.Scheme == treeScheme && c.exists(file) {
		return file
	}
	if beside, err := fileURI(at.File).Parse(at.Node.Text); err == nil && beside.Scheme == treeScheme && beside.Path != "/"+at.File {
		if file := cleanFile(beside); c.exists(file) {
			return file
		}
	}
	uri := strings.TrimSuffix(u.String(), "#")
	return cmp.Or(c.ids()[uri], c.vendored[uri])
}

func (c *closure) exists(file string) bool {
	if !fs.ValidPath(file) {
		return false
	}
	info, err := fs.Stat(c.tree.FS, file)
	return err == nil && info.Mode().IsRegular()
}

// unreachable says that a URI leads to no file of the tree.
func (c *closure) unreachable(u *url.URL, at Ref) {
	if u.Scheme == treeScheme {
		c.problem(RefDangling, at.Node.Pos, "correct the path, or add the file", "$ref %q points to nothing: no file %s", at.Node.Text, cleanFile(u))
		return
	}
	fix := "copy the schema into the workspace, keep its $id, and the reference finds it there"
	if u.Scheme == "https" || u.Scheme == "http" {
		fix = "run evcontract vendor " + u.String() + ": it copies the schema into the workspace, and the reference finds it there"
	}
	c.problem(RefRemote, at.Node.Pos, fix,
		"$ref %q leads out of the workspace, and nothing is fetched: what it says is unknown", at.Node.Text)
}

// fragment finds what a URI's fragment names inside a resource.
func (c *closure) fragment(resource Ref, base *url.URL, fragment string) (Ref, bool) {
	switch {
	case fragment == "" || fragment == "/" && resource.Node.Get("") == nil:
		return resource, true
	case fragment[0] == '/':
		n := resource.Node.Find(fragment)
		return Ref{File: resource.File, Pointer: resource.Pointer + fragment, Node: n}, n != nil
	}
	for _, uri := range []string{base.String(), c.of(resource).base.String()} {
		if r, ok := c.anchors[uri+"#"+fragment]; ok {
			return r, true
		}
	}
	return Ref{}, false
}

// missing says where the way of a fragment ends and what there is instead.
func (c *closure) missing(resource Ref, fragment string) string {
	where := shown(c.of(resource).base.String())
	if fragment == "" || fragment[0] != '/' {
		return "no anchor " + fragment + " in " + where + c.hint(fragment, c.anchorNames(resource))
	}
	at, way := resource.Node, ""
	for step := range strings.SplitSeq(fragment[1:], "/") {
		next := at.Find("/" + step)
		if next == nil {
			return "no " + step + " at #" + way + " in " + where + c.hint(step, keys(at))
		}
		at, way = next, way+"/"+step
	}
	return ""
}

func (c *closure) anchorNames(resource Ref) []string {
	var names []string
	prefix := c.of(resource).base.String() + "#"
	for name := range c.anchors {
		if after, ok := strings.CutPrefix(name, prefix); ok {
			names = append(names, after)
		}
	}
	slices.Sort(names)
	return names
}

// hint names the nearest of what there is, or all if it is little.
func (c *closure) hint(word string, names []string) string {
	if near := source.Suggest(word, names); near != "" {
		return "; did you mean " + near + "?"
	}
	switch {
	case len(names) == 0:
		return ""
	case len(names) > 12:
		names = append(slices.Clone(names[:12]), "…")
	}
	return "; there is " + strings.Join(names, ", ")
}

func keys(n *source.Node) []string {
	var names []string
	for _, m := range n.Members {
		names = append(names, m.Key)
	}
	return names
}
