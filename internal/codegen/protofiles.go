package codegen

import (
	"go/token"
	"path"
	"slices"
	"strings"

	"google.golang.org/protobuf/cmd/protoc-gen-go/internal_gengo"
	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/evcontract/evcontract/internal/protobuf"
)

// protoFiles is the Protobuf half of a workspace as the official generator sees
// it. Files without a go_package get one below the generated package; the others
// are their team's own, and only referred to.
type protoFiles struct {
	plugin *protogen.Plugin
	own    []string // files that message types are generated for
	files  map[string]*protogen.File
	names  map[protogen.GoImportPath]string
}

// protos runs the official generator's reader over every closure.
func (g *generator) protos() error {
	request := &pluginpb.CodeGeneratorRequest{}
	seen := map[string]bool{}
	for _, e := range g.set.Events {
		schema, ok := e.Schema.(*protobuf.Schema)
		if !ok || !generates(g.set, e) {
			continue
		}
		for _, f := range schema.FileProtos() {
			if seen[f.GetName()] {
				continue
			}
			seen[f.GetName()] = true
			request.ProtoFile = append(request.ProtoFile, f)
			if f.GetOptions().GetGoPackage() == "" {
				if g.options.Import == "" {
					g.findings.impossible(e.Name.Value.String(), e.SchemaRef.Pos, "Run generate inside a Go module, or write option go_package in the .proto file.", "%s has no go_package, and the import path of the generated package is not known: generate inside a Go module, or name a go_package", f.GetName())
				}
				g.adopt(f)
				request.FileToGenerate = append(request.FileToGenerate, f.GetName())
			}
		}
	}
	if len(request.ProtoFile) == 0 || g.findings.failed() {
		return nil
	}
	request.Parameter = proto.String("module=" + g.options.Import)
	plugin, err := protogen.Options{}.New(request)
	if err != nil {
		return err
	}
	plugin.SupportedFeatures = internal_gengo.SupportedFeatures
	plugin.SupportedEditionsMinimum = internal_gengo.SupportedEditionsMinimum
	plugin.SupportedEditionsMaximum = internal_gengo.SupportedEditionsMaximum
	g.proto = &protoFiles{plugin: plugin, own: request.FileToGenerate, files: plugin.FilesByPath, names: map[protogen.GoImportPath]string{}}
	g.proto.nameImports()
	return nil
}

// adopt gives a file the Go package in which its messages are generated.
func (g *generator) adopt(f *descriptorpb.FileDescriptorProto) {
	dir := path.Dir(f.GetName())
	if dir == "." {
		dir = strings.ReplaceAll(f.GetPackage(), ".", "/")
	}
	if dir == "" {
		dir = "messages"
	}
	parts := strings.Split(dir, "/")
	name := strings.Join(parts[max(0, len(parts)-2):], "")
	if f.Options == nil {
		f.Options = &descriptorpb.FileOptions{}
	}
	f.Options.GoPackage = proto.String(g.options.Import + "/" + dir + ";" + packageName(name))
}

// packageName leaves of a name what a Go package may be called.
func packageName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
	if name == "" || name == "main" || token.IsKeyword(name) || name[0] <= '9' {
		return "pb" + name
	}
	return name
}

// nameImports gives every Go package of the closure a name of its own.
func (p *protoFiles) nameImports() {
	used := names{}
	for name := range standard {
		used[name] = true
	}
	for _, name := range []string{"event", "proto", "protojson", "protoreflect", "timestamppb"} {
		used[name] = true
	}
	p.names["google.golang.org/protobuf/types/known/timestamppb"] = "timestamppb"
	for _, f := range p.plugin.Files {
		if p.names[f.GoImportPath] == "" {
			p.names[f.GoImportPath] = used.take(string(f.GoPackageName))
		}
	}
}

// ident writes a Go name of another package.
func (p *protoFiles) ident(id protogen.GoIdent) string {
	return p.names[id.GoImportPath] + "." + id.GoName
}

// imports are all packages that generated code may name beside the standard
// library's, by their names.
func (p *protoFiles) imports() map[string]string {
	list := map[string]string{
		"proto":        "google.golang.org/protobuf/proto",
		"protojson":    "google.golang.org/protobuf/encoding/protojson",
		"protoreflect": "google.golang.org/protobuf/reflect/protoreflect",
	}
	for path, name := range p.names {
		list[name] = string(path)
	}
	return list
}

// message finds what the generator makes of a message.
func (p *protoFiles) message(d protoreflect.MessageDescriptor) *protogen.Message {
	var find func(list []*protogen.Message) *protogen.Message
	find = func(list []*protogen.Message) *protogen.Message {
		for _, m := range list {
			if m.Desc.FullName() == d.FullName() {
				return m
			}
			if below := find(m.Messages); below != nil {
				return below
			}
		}
		return nil
	}
	return find(p.files[d.ParentFile().Path()].Messages)
}

// generate runs the official generator over the files that have no Go package
// of their own.
func (p *protoFiles) generate(files map[string][]byte) error {
	for _, name := range slices.Sorted(slices.Values(p.own)) {
		internal_gengo.GenerateFile(p.plugin, p.files[name])
	}
	response := p.plugin.Response()
	if response.Error != nil {
		return protoError(response.GetError())
	}
	for _, f := range response.File {
		files[f.GetName()] = []byte(mark + f.GetContent())
	}
	return nil
}

// protoError is what the official generator cannot do.
type protoError string

func (e protoError) Error() string { return string(e) }
