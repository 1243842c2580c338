package contain

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Draft is an edition of JSON Schema. The zero value means 2020-12.
type Draft uint8

// The drafts that Compile reads.
const (
	DraftDefault Draft = iota
	Draft4
	Draft6
	Draft7
	Draft2019
	Draft2020
)

var drafts = map[Draft]*jsonschema.Draft{
	DraftDefault: jsonschema.Draft2020, Draft4: jsonschema.Draft4, Draft6: jsonschema.Draft6,
	Draft7: jsonschema.Draft7, Draft2019: jsonschema.Draft2019, Draft2020: jsonschema.Draft2020,
}

// Source says where a root schema comes from.
type Source struct {
	// Path is the root document, slash-separated and relative to the workspace;
	// it may end in a #fragment, a JSON pointer or an anchor.
	Path string
	// Load returns the JSON text of a document by path or absolute URL. It is
	// asked for the root and for the target document of every $ref.
	Load func(path string) ([]byte, error)
	// Draft applies to documents without a $schema that is known.
	Draft Draft
	// AssertFormats makes format and content* refuse. Otherwise they are
	// annotations in every draft, for the prover and the validator alike.
	AssertFormats bool
}

// Location is a place in a schema document: its path and a JSON pointer.
type Location struct{ Document, Pointer string }

func (l Location) String() string { return l.Document + "#" + l.Pointer }

// ErrorKind says what is wrong with a schema document.
type ErrorKind uint8

// The kinds of Error.
const (
	BadSchema   ErrorKind = iota // the meta-schema or the validator refuses it
	BadDocument                  // not JSON, or a number out of range
	BadPattern                   // a pattern that cannot be compiled or not be checked
	RemoteRef                    // a $ref to a URL that nobody vendored
	DanglingRef                  // a $ref to nothing
	DuplicateID                  // two schemas with one $id
)

// Error is the offence that stops Compile.
type Error struct {
	Kind    ErrorKind
	At      Location
	Keyword string
	URL     string // the target, for RemoteRef and DanglingRef
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.At, e.Message) }

// Schema is a compiled root schema. It is immutable and safe for concurrent use.
type Schema struct {
	root     *node
	parts    map[string]*node // every subschema, by the validator's location
	hints    map[string]hint  // the same, where they say something to people
	closed   func() *node     // root under the assumption of closed writers, made once
	compiled *jsonschema.Schema
	files    map[string]string // resource URL to document path
	written  map[string]string // rewritten pattern to the user's text
}

// Compile reads a schema and everything it refers to. Its errors are of type *Error.
func Compile(src Source) (s *Schema, err error) {
	defer func() {
		if r := recover(); r != nil {
			s, err = nil, &Error{Kind: BadSchema, At: Location{Document: src.Path}, Message: fmt.Sprintf("the validator gave up: %v", r)}
		}
	}()
	path, fragment, _ := strings.Cut(src.Path, "#")
	p := newPreparer(src)
	root, err := p.prepareAll(path, fragment)
	if err != nil {
		return nil, err
	}
	compiled, err := p.compiler().Compile(root + "#" + fragment)
	switch {
	case err != nil && p.astray != nil:
		return nil, p.astray
	case err != nil:
		return nil, p.explain(path, err)
	}
	s = &Schema{compiled: compiled, files: p.files, written: p.written}
	l := newLowering(p, src.AssertFormats)
	s.root = l.schema(compiled)
	l.cutLoops()
	s.parts, s.hints = l.parts(), l.hints()
	s.closed = sync.OnceValue(func() *node { return closeWriter(s.root) })
	return s, nil
}

// compiler is the validator's compiler over the prepared documents, without network.
func (p *preparer) compiler() *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.Draft = drafts[p.src.Draft]
	c.AssertFormat, c.AssertContent = p.src.AssertFormats, p.src.AssertFormats
	c.LoadURL = func(u string) (io.ReadCloser, error) {
		if d := p.docs[u]; d != nil {
			return io.NopCloser(bytes.NewReader(encode(d.root))), nil
		}
		return nil, &Error{Kind: RemoteRef, URL: u, Message: fmt.Sprintf("%s is not in the workspace", u)}
	}
	if !p.src.AssertFormats {
		silence(c)
	}
	c.RegisterExtension("evcontract", nil, marker{p})
	return c
}

// silence turns formats and content keywords into annotations. The validator
// would assert them up to draft 7, and later too when $schema is absent.
func silence(c *jsonschema.Compiler) {
	for name := range jsonschema.Formats {
		c.Formats[name] = nil
	}
	for name := range jsonschema.Decoders {
		c.Decoders[name] = nil
	}
	for name := range jsonschema.MediaTypes {
		c.MediaTypes[name] = nil
	}
}

// explain gives a validator's compile error its place.
func (p *preparer) explain(path string, err error) error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	e := &Error{Kind: BadSchema, At: Location{Document: path}, Message: strings.TrimPrefix(err.Error(), "jsonschema: ")}
	var schemaErr *jsonschema.SchemaError
	if errors.As(err, &schemaErr) {
		e.Message = strings.TrimPrefix(schemaErr.Err.Error(), "jsonschema: ")
	}
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) {
		leaf := leafOf(invalid)
		e.At.Pointer, e.Message = unescapePath(leaf.InstanceLocation), leaf.Message
		e.At.Document = p.offender(path)
		e.Keyword = lastToken(e.At.Pointer)
	}
	if strings.Contains(e.Message, "same canonical-uri") {
		e.Kind = DuplicateID
	}
	return e
}

// offender is the document that its meta-schema refuses.
func (p *preparer) offender(path string) string {
	for _, u := range sortedKeys(p.docs) {
		d := p.docs[u]
		meta, err := jsonschema.NewCompiler().Compile(drafts[d.draft].URL())
		if err == nil && meta.Validate(d.root) != nil {
			return d.path
		}
	}
	return path
}

// locate turns the validator's absolute location into a document and a pointer,
// with patterns as the user wrote them.
func (s *Schema) locate(absolute string) Location {
	u, fragment, _ := strings.Cut(absolute, "#")
	path, ok := s.files[u]
	if !ok {
		path = u
	}
	tokens := strings.Split(unescapePath(fragment), "/")
	for i := 1; i < len(tokens); i++ {
		if tokens[i-1] == "patternProperties" {
			if text, ok := s.written[unescapeToken(tokens[i])]; ok {
				tokens[i] = escapeToken(text)
			}
		}
	}
	return Location{Document: path, Pointer: strings.Join(tokens, "/")}
}

func unescapeToken(t string) string {
	return strings.ReplaceAll(strings.ReplaceAll(t, "~1", "/"), "~0", "~")
}

func unescapePath(p string) string {
	if u, err := url.PathUnescape(p); err == nil {
		return u
	}
	return p
}

func lastToken(pointer string) string {
	return pointer[strings.LastIndexByte(pointer, '/')+1:]
}
