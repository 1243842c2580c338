package contain

// Reader is a schema as someone reads it who assumes things: relaxReader says
// what that changes. It is immutable and safe for concurrent use.
type Reader struct{ root *node }

// ReadUnder gives the schema as it is read under assumptions. That a writer is
// closed is nothing of a reader's.
func (s *Schema) ReadUnder(a Assumptions) Reader { return Reader{relaxReader(s.root, a)} }

// Takes reports whether the reader takes an instance. It is not sure where the
// schema says what cannot be evaluated, or where the instance is not JSON.
func (r Reader) Takes(instance []byte) (takes, sure bool) {
	v, err := decode(instance)
	if err != nil {
		return false, false
	}
	t := eval(r.root, v)
	return t == yes, t != unsure
}
