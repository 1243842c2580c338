package contain

// resortSamples is how many instances are made up for an undecided question.
const resortSamples = 30

// lastResort is for what the search left undecided: a writer with finitely many
// values is decided by the validator alone, and examples and made-up instances
// may still refute. They never prove.
func (k *asker) lastResort() (holds bool) {
	values, finite := finiteValues(k.writer)
	for _, v := range values {
		k.try(v)
	}
	if finite && len(k.found) == 0 && k.plain() {
		return k.takesAll(values)
	}
	for _, v := range k.seeds {
		k.try(v)
	}
	if len(k.found) > 0 {
		return false
	}
	for _, s := range Generate(k.q.Writer, 1, resortSamples) {
		if v, err := decode(s.Instance); err == nil && s.Refusal == nil {
			k.try(v)
		}
	}
	return false
}

func (k *asker) try(v any) {
	if !k.verify(v) {
		return
	}
	bad, _ := k.q.Reader.check(v)
	leaf := likely(leafOf(bad))
	n := &node{kind: kRef, place: place{schema: leaf.AbsoluteKeywordLocation}}
	k.report(n, site{}, found(v))
}

// takesAll says that the validators agreed on every value without giving up.
func (k *asker) takesAll(values []any) bool {
	for _, v := range values {
		bad, err := k.q.Writer.check(v)
		if err != nil {
			return false
		}
		if bad != nil {
			continue
		}
		if refused, err := k.q.Reader.check(v); refused != nil || err != nil {
			return false
		}
	}
	return true
}

// finiteValues lists all values that can satisfy a node, if enums say so.
func finiteValues(n *node) ([]any, bool) {
	switch n.kind {
	case kFalse:
		return nil, true
	case kEnum:
		return n.values.list, true
	case kAnd:
		for _, k := range n.kids {
			if list, ok := finiteValues(k); ok {
				return list, true
			}
		}
	case kOr, kOneOf:
		var out []any
		for _, k := range n.kids {
			list, ok := finiteValues(k)
			if !ok {
				return nil, false
			}
			out = append(out, list...)
		}
		return out, true
	}
	return nil, false
}
