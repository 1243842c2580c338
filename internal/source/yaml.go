package source

import (
	"bytes"
	"errors"
	"io"

	"go.yaml.in/yaml/v3"
)

// ParseYAML reads one YAML document by the core schema of YAML 1.2: no, on and
// yes are strings, 0o17 is a number, dates are strings. What JSON cannot say is
// refused: several documents, tags of one's own, merge keys, keys that are no
// scalars, .inf and .nan. Aliases are written out, up to a limit. The node is
// nil when the text cannot be understood; when the only errors are keys written
// twice it is there, and the first of the two counts.
func ParseYAML(file string, data []byte) (*Node, []*Error) {
	if err := checkText(file, data, MaxYAML); err != nil {
		return nil, []*Error{err}
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	doc, err := composeYAML(file, data)
	if err != nil {
		return nil, []*Error{err}
	}
	c := converter{file: file}
	root := c.node(doc.Content[0])
	if c.broken {
		return nil, c.errs
	}
	return root, c.errs
}

// composeYAML gives the only document of a text.
func composeYAML(file string, data []byte) (*yaml.Node, *Error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	err := decodeYAML(dec, &doc)
	switch {
	case errors.Is(err, io.EOF):
		return nil, Errorf(Pos{File: file}, "the file is empty")
	case err != nil:
		return nil, yamlError(file, data, err)
	}
	switch err := decodeYAML(dec, &second); {
	case errors.Is(err, io.EOF):
		return &doc, nil
	case err != nil:
		return nil, yamlError(file, data, err)
	}
	at := Pos{File: file, Line: second.Line, Column: second.Column}
	return nil, Errorf(at, "a second document begins: keep one document in a file")
}

// decodeYAML keeps a defect of the parser from ending the program: some of its
// states on broken input are reported by a panic.
func decodeYAML(dec *yaml.Decoder, into *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("yaml: the document cannot be understood")
		}
	}()
	return dec.Decode(into)
}

// converter turns the parser's nodes into ours.
type converter struct {
	file    string
	errs    []*Error
	broken  bool // an error other than a key written twice
	depth   int
	values  int
	aliased int                 // values that aliases stand for
	open    map[*yaml.Node]bool // anchors that are being written out
	stopped bool
}

func (c *converter) pos(n *yaml.Node) Pos { return Pos{File: c.file, Line: n.Line, Column: n.Column} }

// wrong notes an error; inside an alias it was noted at the anchor already.
func (c *converter) wrong(at Pos, format string, args ...any) {
	c.broken = true
	if len(c.open) == 0 {
		c.note(Errorf(at, format, args...))
	}
}

func (c *converter) note(err *Error) {
	if len(c.errs) < maxErrors {
		c.errs = append(c.errs, err)
	}
}

// stop notes an error after which nothing more is converted.
func (c *converter) stop(at Pos, format string, args ...any) {
	if !c.stopped {
		c.broken, c.stopped = true, true
		c.note(Errorf(at, format, args...))
	}
}

// node converts a value. It never gives nil.
func (c *converter) node(y *yaml.Node) *Node {
	n := &Node{Pos: c.pos(y)}
	c.depth++
	defer func() { c.depth-- }()
	c.values++
	if len(c.open) > 0 {
		c.aliased++
	}
	switch {
	case c.stopped:
	case c.values > MaxValues:
		c.stop(n.Pos, "more than %d values in one document: split the file", MaxValues)
	case c.aliased > maxAliased:
		c.stop(n.Pos, "aliases stand for more than %d values: write less with them", maxAliased)
	case c.depth > MaxDepth:
		c.stop(n.Pos, "more than %d lists and maps inside each other", MaxDepth)
	default:
		c.fill(n, y)
	}
	return n
}

func (c *converter) fill(n *Node, y *yaml.Node) {
	switch y.Kind {
	case yaml.AliasNode:
		c.alias(n, y.Alias)
	case yaml.MappingNode:
		n.Kind = Map
		c.tag(y, "!!map")
		c.members(n, y)
	case yaml.SequenceNode:
		n.Kind = List
		c.tag(y, "!!seq")
		n.Items = make([]*Node, 0, len(y.Content))
		for _, item := range y.Content {
			n.Items = append(n.Items, c.node(item))
		}
	default:
		c.scalar(n, y)
	}
}

// tag refuses every written tag but the one that says what stands there anyway.
func (c *converter) tag(y *yaml.Node, own string) {
	if y.Style&yaml.TaggedStyle != 0 && y.Tag != own {
		c.wrong(c.pos(y), "the tag %s does not fit here: remove it", y.Tag)
	}
}

// alias writes an anchor's value out: the value has the alias's place, what is
// in it has the places where it was written.
func (c *converter) alias(n *Node, anchor *yaml.Node) {
	if c.open[anchor] {
		c.stop(n.Pos, "the alias *%s stands inside its own anchor", anchor.Anchor)
		return
	}
	if c.open == nil {
		c.open = map[*yaml.Node]bool{}
	}
	c.open[anchor] = true
	defer delete(c.open, anchor)
	value := c.node(anchor)
	n.Kind, n.Text, n.Items, n.Members = value.Kind, value.Text, value.Items, value.Members
}

func (c *converter) members(n *Node, y *yaml.Node) {
	n.Members = make([]Member, 0, len(y.Content)/2)
	seen := make(map[string]Pos, len(y.Content)/2)
	for i := 0; i+1 < len(y.Content); i += 2 {
		m := Member{Pos: c.pos(y.Content[i]), Value: c.node(y.Content[i+1])}
		var ok bool
		if m.Key, ok = c.key(y.Content[i]); !ok {
			continue
		}
		if first, twice := seen[m.Key]; !twice {
			seen[m.Key] = m.Pos
			n.Members = append(n.Members, m)
		} else if len(c.open) == 0 {
			c.note(twiceError(m, first))
		}
	}
}

// key gives the text of a key: numbers and booleans stand for their letters, as
// the response codes of an OpenAPI document do.
func (c *converter) key(y *yaml.Node) (string, bool) {
	at := c.pos(y)
	if y.Kind == yaml.AliasNode {
		y = y.Alias
	}
	switch {
	case y.Kind != yaml.ScalarNode:
		c.wrong(at, "a key that is a list or a map: write a word")
	case y.Tag == "!!merge" && isPlain(y):
		c.wrong(at, "merge keys (<<) are not read: write the keys out")
	case isPlain(y) && nulls[y.Value]:
		c.wrong(at, "a key without a name: write a word, or put %q in quotes", y.Value)
	default:
		c.tag(y, "!!str")
		return y.Value, true
	}
	return "", false
}
