package protobuf

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// plain reads a file of proto2 or proto3 that keeps to the everyday part of the
// language, and describes it; names are still as they are written. It stops at
// whatever else there is, right or wrong.
type plain struct {
	tokens
	text     string // the same as data
	file     *descriptorpb.FileDescriptorProto
	proto3   bool
	declared map[string]meaning // what the file declares for others to name, by full name
	refs     []typeRef
	options  []*customised
	failed   bool
	buffer   []byte
	slab     slab
}

func newPlain(name string, data []byte) *plain {
	return &plain{
		tokens: tokens{data: data}, text: string(data), declared: map[string]meaning{},
		file: &descriptorpb.FileDescriptorProto{Name: proto.String(name)},
	}
}

// parse reports whether all of the file was understood.
func (p *plain) parse() bool {
	if !utf8.Valid(p.data) || bytes.IndexByte(p.data, 0) >= 0 {
		return false
	}
	if p.next(); p.is("syntax") {
		p.next()
		p.sign("=")
		switch p.literal() {
		case "proto3":
			p.proto3, p.file.Syntax = true, proto.String("proto3")
		case "proto2":
		default:
			p.fail()
		}
		p.sign(";")
	}
	said := false
	for p.kind != endToken {
		said = said || !p.is(";")
		p.statement()
	}
	return said && !p.failed
}

// fail ends the reading.
func (p *plain) fail() {
	p.failed, p.at, p.kind = true, len(p.data), endToken
}

// sign goes over a sign that must stand here.
func (p *plain) sign(text string) {
	if p.kind != signToken || !p.is(text) {
		p.fail()
		return
	}
	p.next()
}

// has goes over a word or a sign if it stands here.
func (p *plain) has(text string) bool {
	if !p.is(text) {
		return false
	}
	p.next()
	return true
}

func (p *plain) token() string { return p.text[p.begin:p.end] }

// name reads a simple name.
func (p *plain) name() string {
	if p.kind != wordToken || isDigit(p.data[p.begin]) {
		p.fail()
		return ""
	}
	name := p.token()
	p.next()
	return name
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// dotted reads a name of several parts. A first part may have been read.
func (p *plain) dotted(first string) string {
	name := first
	if name == "" {
		name = p.name()
	}
	for p.is(".") {
		p.next()
		name += "." + p.name()
	}
	return name
}

// typeName reads a name that may begin with a dot.
func (p *plain) typeName() string {
	if p.has(".") {
		return "." + p.dotted("")
	}
	return p.dotted("")
}

// literal reads a string, or several that stand one after the other.
func (p *plain) literal() string {
	if p.kind != stringToken {
		p.fail()
		return ""
	}
	text := ""
	for p.kind == stringToken {
		text += p.unescaped(p.token())
		p.next()
	}
	return text
}

var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'a': '\a', 'b': '\b', 'f': '\f', 'v': '\v', '\\': '\\', '\'': '\'', '"': '"', '?': '?'}

// unescaped gives a string its meaning; escapes that write bytes or characters by
// their number are not plain.
func (p *plain) unescaped(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\\' && i+1 < len(text) {
			i++
			if c = escapes[text[i]]; c == 0 {
				p.fail()
				return ""
			}
		}
		b.WriteByte(c)
	}
	return b.String()
}

// number reads a decimal number that is not negative.
func (p *plain) number(most uint64) int64 {
	n, ok := decimal(p.token(), most)
	if p.kind != wordToken || !ok {
		p.fail()
		return 0
	}
	p.next()
	return int64(n)
}

func decimal(text string, most uint64) (uint64, bool) {
	if len(text) > 1 && text[0] == '0' || text == "" || !isDigit(text[0]) {
		return 0, false // octal, hexadecimal, or none
	}
	n, err := strconv.ParseUint(text, 10, 63)
	return n, err == nil && n <= most
}

// statement reads one of the file's own.
func (p *plain) statement() {
	switch {
	case p.has(";"):
	case p.has("import"):
		p.importOf()
	case p.has("package"):
		if p.file.Package != nil || len(p.file.MessageType)+len(p.file.EnumType)+len(p.file.Service) > 0 {
			p.fail() // names before it were taken for another package's
			return
		}
		name := p.dotted("")
		if len(name) > maxPackage {
			p.fail()
		}
		p.file.Package = proto.String(strings.Clone(name))
		p.sign(";")
	case p.has("option"):
		if p.file.Options == nil {
			p.file.Options = &descriptorpb.FileOptions{}
		}
		p.option(p.file.Options, "", nil)
		p.sign(";")
	case p.has("message"):
		p.file.MessageType = append(p.file.MessageType, p.message(p.file.GetPackage(), 1))
	case p.has("enum"):
		p.file.EnumType = append(p.file.EnumType, p.enum(p.file.GetPackage(), true))
	case p.has("service"):
		p.file.Service = append(p.file.Service, p.service())
	default:
		p.fail()
	}
}

const (
	maxPackage = 256 // bytes
	maxInside  = 24  // messages inside each other
)

func (p *plain) importOf() {
	public := p.has("public")
	name := p.literal()
	p.sign(";")
	if name == "" || strings.Contains(name, `\`) || slices.Contains(p.file.Dependency, name) {
		p.fail()
	}
	if public {
		p.file.PublicDependency = append(p.file.PublicDependency, int32(len(p.file.Dependency)))
	}
	p.file.Dependency = append(p.file.Dependency, strings.Clone(name))
}

// declare notes a name that others may use, and gives it in full.
func (p *plain) declare(scope, name string, what meaning) string {
	full := name
	if scope != "" {
		full = scope + "." + name
	}
	if p.declared[full] != nothingNamed {
		p.fail()
	}
	p.declared[full] = what
	return full
}

func (p *plain) service() *descriptorpb.ServiceDescriptorProto {
	s := &descriptorpb.ServiceDescriptorProto{Name: proto.String(p.name())}
	full := p.declare(p.file.GetPackage(), s.GetName(), aService)
	methods := len(p.refs)
	for p.sign("{"); !p.is("}") && !p.failed; {
		switch {
		case p.has(";"):
		case p.has("option"):
			if s.Options == nil {
				s.Options = &descriptorpb.ServiceOptions{}
			}
			p.option(s.Options, full, nil)
			p.sign(";")
		case p.has("rpc"):
			s.Method = append(s.Method, p.method(full))
		default:
			p.fail()
		}
	}
	p.sign("}")
	for _, r := range p.refs[methods:] {
		if slices.ContainsFunc(s.Method, func(m *descriptorpb.MethodDescriptorProto) bool { return m.GetName() == r.name }) {
			p.fail() // the method is found, not the message
		}
	}
	return s
}

func (p *plain) method(service string) *descriptorpb.MethodDescriptorProto {
	m := &descriptorpb.MethodDescriptorProto{Name: proto.String(p.name())}
	party := func() (*string, *bool) {
		p.sign("(")
		var name string
		var stream *bool
		switch {
		case !p.has("stream"):
			name = p.typeName()
		case p.is(")"):
			name = "stream"
		case p.is("."): // the first part of a name, or not
			p.fail()
		default:
			name, stream = p.typeName(), proto.Bool(true)
		}
		p.sign(")")
		to := new(string)
		p.refs = append(p.refs, typeRef{name: name, scope: service, to: to})
		return to, stream
	}
	m.InputType, m.ClientStreaming = party()
	if !p.has("returns") {
		p.fail()
	}
	m.OutputType, m.ServerStreaming = party()
	if p.has(";") {
		return m
	}
	m.Options = &descriptorpb.MethodOptions{}
	for p.sign("{"); !p.is("}") && !p.failed; {
		switch {
		case p.has(";"):
		case p.has("option"):
			p.option(m.Options, service, nil)
			p.sign(";")
		default:
			p.fail()
		}
	}
	p.sign("}")
	return m
}
