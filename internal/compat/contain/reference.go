package contain

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// follow checks that a $ref leads somewhere, and prepares what is there.
func (p *preparer) follow(r pendingRef) error {
	fail := func(k ErrorKind, u, format string, args ...any) error {
		return &Error{Kind: k, At: Location{r.doc.path, r.at}, Keyword: "$ref", URL: u, Message: fmt.Sprintf(format, args...)}
	}
	abs, err := resolve(r.base, r.ref)
	if err != nil {
		return fail(DanglingRef, r.ref, "the reference %q is not a URL", r.ref)
	}
	u, fragment, _ := strings.Cut(abs, "#")
	if isMetaSchema(u) {
		return nil
	}
	t := p.targets[u]
	if t == nil {
		if _, err := p.load(u); err != nil {
			var own *Error
			if errors.As(err, &own) {
				return own
			}
			if strings.HasPrefix(u, "http") {
				return fail(RemoteRef, u, "the reference leads to %s, which is not in the workspace", u)
			}
			return fail(DanglingRef, u, "the reference %q leads to no document", r.ref)
		}
		t = p.targets[u]
	}
	fragment = unescapePath(fragment)
	if fragment == "" || fragment == "/" {
		return nil
	}
	if !strings.HasPrefix(fragment, "/") {
		if _, ok := t.anchors[fragment]; !ok {
			return fail(DanglingRef, abs, "the reference %q leads to no anchor", r.ref)
		}
		return nil
	}
	v, ok := dig(t.value, fragment)
	if !ok {
		return fail(DanglingRef, abs, "the reference %q leads to nothing", r.ref)
	}
	return p.walk(t.doc, v, t.pointer+fragment, u)
}

func isMetaSchema(u string) bool {
	return strings.HasPrefix(u, "http://json-schema.org/") || strings.HasPrefix(u, "https://json-schema.org/")
}

func dig(v any, pointer string) (any, bool) {
	for _, t := range strings.Split(pointer[1:], "/") {
		t = unescapeToken(t)
		switch c := v.(type) {
		case map[string]any:
			e, ok := c[t]
			if !ok {
				return nil, false
			}
			v = e
		case []any:
			i, err := strconv.Atoi(t)
			if err != nil || i < 0 || i >= len(c) {
				return nil, false
			}
			v = c[i]
		default:
			return nil, false
		}
	}
	return v, true
}

func resolve(base, ref string) (string, error) {
	if strings.HasPrefix(ref, "urn:") {
		return ref, nil
	}
	if strings.HasPrefix(base, "urn:") && strings.HasPrefix(ref, "#") {
		return base + ref, nil
	}
	b, err := url.Parse(base)
	if err != nil {
		return "", err
	}
	r, err := url.Parse(ref)
	if err != nil {
		return "", err
	}
	return b.ResolveReference(r).String(), nil
}
