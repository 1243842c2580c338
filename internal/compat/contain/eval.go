package contain

import (
	"encoding/json"
	"unicode/utf8"
)

// truth is the value of a node on an instance.
type truth uint8

const (
	no truth = iota
	yes
	unsure
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

func (t truth) flip() truth {
	switch t {
	case yes:
		return no
	case no:
		return yes
	}
	return unsure
}

func all(kids []*node, v any) truth {
	out := yes
	for _, k := range kids {
		switch eval(k, v) {
		case no:
			return no
		case unsure:
			out = unsure
		}
	}
	return out
}

func eval(n *node, v any) truth {
	t := typeOf(v)
	if n.touch&t == 0 {
		return yes
	}
	if n.may&t == 0 {
		return no
	}
	switch n.kind {
	case kTrue:
		return yes
	case kFalse:
		return no
	case kAnd:
		return all(n.kids, v)
	case kOr:
		return anyOf(n.kids, v)
	case kNot:
		return eval(n.kids[0], v).flip()
	case kOneOf:
		return exactlyOne(n.kids, v)
	case kIf:
		return conditional(n.kids, v)
	case kRef:
		return eval(n.kids[0], v)
	case kTypes:
		return truthOf(n.types&t != 0)
	case kEnum:
		return truthOf(n.values.has(v))
	case kOpaque:
		if s, ok := v.(string); ok && n.opaque.holds != nil {
			return n.opaque.holds(s)
		}
		return unsure
	}
	switch v := v.(type) {
	case json.Number:
		return truthOf(evalNumber(n, v))
	case string:
		return truthOf(evalString(n, v))
	case []any:
		return evalArray(n, v)
	case map[string]any:
		return evalObject(n, v)
	}
	return yes
}

func anyOf(kids []*node, v any) truth {
	out := no
	for _, k := range kids {
		switch eval(k, v) {
		case yes:
			return yes
		case unsure:
			out = unsure
		}
	}
	return out
}

func exactlyOne(kids []*node, v any) truth {
	sure, maybe := 0, 0
	for _, k := range kids {
		switch eval(k, v) {
		case yes:
			sure++
		case unsure:
			maybe++
		}
	}
	switch {
	case sure > 1 || sure+maybe == 0:
		return no
	case maybe > 0:
		return unsure
	}
	return truthOf(sure == 1)
}

func conditional(kids []*node, v any) truth {
	switch eval(kids[0], v) {
	case yes:
		return eval(kids[1], v)
	case no:
		return eval(kids[2], v)
	}
	a, b := eval(kids[1], v), eval(kids[2], v)
	if a == b {
		return a
	}
	return unsure
}

func evalNumber(n *node, v json.Number) bool {
	r := ratOf(v)
	switch n.kind {
	case kLower:
		c := r.Cmp(n.rat)
		return c > 0 || c == 0 && !n.excl
	case kUpper:
		c := r.Cmp(n.rat)
		return c < 0 || c == 0 && !n.excl
	}
	return isMultiple(r, n.rat)
}

func evalString(n *node, v string) bool {
	switch n.kind {
	case kMinLen:
		return int64(utf8.RuneCountInString(v)) >= n.n
	case kMaxLen:
		return int64(utf8.RuneCountInString(v)) <= n.n
	}
	return n.pats[0].re.MatchString(v)
}

func evalArray(n *node, v []any) truth {
	size := int64(len(v))
	switch n.kind {
	case kMinItems:
		return truthOf(size >= n.n)
	case kMaxItems:
		return truthOf(size <= n.n)
	case kUnique:
		return truthOf(len(newValueSet(v).keys) == len(v))
	case kItem:
		if n.n >= size {
			return yes
		}
		return eval(n.kids[0], v[n.n])
	case kRest:
		return evalEach(n.kids[0], v[min(n.n, size):])
	}
	return evalCount(n, v)
}

func evalEach(n *node, list []any) truth {
	out := yes
	for _, e := range list {
		switch eval(n, e) {
		case no:
			return no
		case unsure:
			out = unsure
		}
	}
	return out
}

func evalCount(n *node, v []any) truth {
	var sure, maybe int64
	for _, e := range v {
		switch eval(n.kids[0], e) {
		case yes:
			sure++
		case unsure:
			maybe++
		}
	}
	low, high := sure >= n.n, sure+maybe >= n.n
	if n.kind == kHasMax {
		low, high = sure+maybe <= n.n, sure <= n.n
	}
	if low {
		return yes
	}
	if high {
		return unsure
	}
	return no
}

func evalObject(n *node, v map[string]any) truth {
	switch n.kind {
	case kMinProps:
		return truthOf(int64(len(v)) >= n.n)
	case kMaxProps:
		return truthOf(int64(len(v)) <= n.n)
	case kReq:
		_, ok := v[n.name]
		return truthOf(ok)
	case kProp:
		if e, ok := v[n.name]; ok {
			return eval(n.kids[0], e)
		}
		return yes
	}
	out := yes
	for k, e := range v {
		var t truth
		switch {
		case n.kind == kNames:
			t = eval(n.kids[0], k)
		case n.appliesTo(k):
			t = eval(n.kids[0], e)
		default:
			continue
		}
		if t == no {
			return no
		}
		if t == unsure {
			out = unsure
		}
	}
	return out
}

// appliesTo says whether a kProp, kPat or kAdd constrains the value of key k.
func (n *node) appliesTo(k string) bool {
	switch n.kind {
	case kProp:
		return n.name == k
	case kPat:
		return n.pats[0].re.MatchString(k)
	case kAdd:
		for _, name := range n.names {
			if name == k {
				return false
			}
		}
		return !matchesAny(n.pats, k)
	}
	return false
}
