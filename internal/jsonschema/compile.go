package jsonschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	engine "github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/evcontract/evcontract/internal/source"
)

type compiled struct{ s *engine.Schema }

// compile makes the validator, unless the schema has a hole.
func (s *Schema) compile(o Options) {
	if _, hole := s.Hole(); hole {
		return
	}
	k := engine.NewCompiler()
	k.LoadURL = func(uri string) (io.ReadCloser, error) {
		d := s.closure.document(strings.TrimPrefix(uri, "tree:///"))
		if d == nil {
			return nil, fmt.Errorf("%s is not in the tree", uri)
		}
		return io.NopCloser(bytes.NewReader(d.root.JSON())), nil
	}
	c, err := k.Compile(fileURI(s.root.File).String() + "#" + s.root.Pointer)
	if err != nil {
		s.closure.problem(Invalid, source.Pos{File: s.root.File}, "correct the schema: nothing can be validated by it", "%v", err)
		return
	}
	s.compiled = &compiled{c}
}

// Validate decides whether a JSON document is a valid event.
func (s *Schema) Validate(document []byte) error {
	if s.compiled == nil {
		hole, _ := s.Hole()
		return errors.New("nothing can be validated: " + hole.Pos.String() + ": " + hole.Message)
	}
	d := json.NewDecoder(strings.NewReader(string(document)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return err
	}
	return s.refusal(s.compiled.s.Validate(v))
}
