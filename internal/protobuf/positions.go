package protobuf

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// positions maps what a file declares, by its name below the package, to the
// byte where that name stands. It is made in one pass over the file's tokens:
// a parser would need twenty times as long, for a few places that are shown.
type positions map[string]int

// indexer reads declarations. It stops at what it doesn't understand; what was
// found until then is right all the same.
type indexer struct {
	tokens
	found positions
}

func positionsOf(data []byte) positions {
	x := indexer{tokens{data: data}, positions{}}
	for x.next() != endToken && x.kind != oddToken {
		if !x.declaration("") {
			break
		}
	}
	return x.found
}

// of finds a descriptor's name.
func (p positions) of(d protoreflect.Descriptor) (int, bool) {
	name := string(d.FullName())
	if pkg := d.ParentFile().Package(); pkg != "" {
		name = strings.TrimPrefix(name, string(pkg)+".")
	}
	at, ok := p[name]
	return at, ok
}

// keep remembers the last token as a name of a scope.
func (x *indexer) keep(scope string) string {
	name := scope + string(x.text())
	if _, known := x.found[name]; !known {
		x.found[name] = x.begin
	}
	return name
}

// declaration reads one statement of a file or of a message.
func (x *indexer) declaration(scope string) bool {
	switch {
	case x.is("export"), x.is("local"): // of edition 2024: the declaration comes next
		return true
	case x.is("message"):
		return x.block(scope, func(name string) bool { return x.body(func() bool { return x.member(name + ".") }) })
	case x.is("enum"):
		return x.block(scope, func(string) bool { return x.body(func() bool { return x.value(scope) }) })
	case x.is("extend"):
		for x.next() == wordToken || x.is(".") {
		}
		return x.is("{") && x.body(func() bool { return x.member(scope) })
	}
	return x.skipStatement(nil)
}

// block reads a name and what its braces hold.
func (x *indexer) block(scope string, inside func(name string) bool) bool {
	if x.next() != wordToken {
		return false
	}
	name := x.keep(scope)
	return x.next() == signToken && x.is("{") && inside(name)
}

// body reads statements up to the closing brace.
func (x *indexer) body(statement func() bool) bool {
	for x.next() != endToken && x.kind != oddToken {
		if x.is("}") {
			return true
		}
		if !statement() {
			return false
		}
	}
	return false
}

// member reads one statement of a message's body; the scope ends in a dot.
func (x *indexer) member(scope string) bool {
	switch {
	case x.is("message"), x.is("enum"), x.is("extend"), x.is("export"), x.is("local"):
		return x.declaration(scope)
	case x.is("oneof"):
		return x.block(scope, func(string) bool { return x.body(func() bool { return x.member(scope) }) })
	case x.is("option"), x.is("reserved"), x.is("extensions"), x.kind != wordToken && !x.is("."):
		return x.skipStatement(nil)
	}
	return x.field(scope)
}

// field reads up to the equals sign, before which the name stands.
func (x *indexer) field(scope string) bool {
	begin, end, group := x.begin, x.end, false
	for !x.is("=") {
		switch x.kind {
		case endToken, oddToken, stringToken:
			return false
		case wordToken:
			group = string(x.data[begin:end]) == "group"
			begin, end = x.begin, x.end
		case signToken:
			if x.is(";") || x.is("{") || x.is("}") {
				return false
			}
		}
		x.next()
	}
	x.begin, x.end = begin, end
	x.keep(scope)
	if !group {
		x.kind = wordToken
		return x.restOfField()
	}
	name := scope + string(x.data[begin:end])
	x.found[scope+strings.ToLower(string(x.data[begin:end]))] = begin
	for !x.is("{") { // number, options
		if kind := x.next(); kind == endToken || kind == oddToken || x.is(";") {
			return false
		}
		if x.is("[") && !x.brackets() {
			return false
		}
	}
	return x.body(func() bool { return x.member(name + ".") })
}

// restOfField reads from a field's number to its semicolon.
func (x *indexer) restOfField() bool {
	for kind := x.next(); ; kind = x.next() {
		switch {
		case kind == endToken, kind == oddToken:
			return false
		case x.is(";"):
			return true
		case x.is("["):
			if !x.brackets() {
				return false
			}
		}
	}
}

// brackets reads over options, which may hold anything that is bracketed.
func (x *indexer) brackets() bool {
	for depth := 1; depth > 0; {
		switch kind := x.next(); {
		case kind == endToken, kind == oddToken:
			return false
		case x.is("["), x.is("{"):
			depth++
		case x.is("]"), x.is("}"):
			depth--
		}
	}
	return true
}

// value reads one statement of an enum's body. A value's name belongs to the
// scope around its enum.
func (x *indexer) value(scope string) bool {
	if x.kind != wordToken || x.is("option") || x.is("reserved") {
		return x.skipStatement(nil)
	}
	x.keep(scope)
	return x.restOfField()
}
