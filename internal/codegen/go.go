package codegen

import (
	"cmp"
	"fmt"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/protobuf"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// Options is what generated code needs to know of the world around it.
type Options struct {
	Module  string // import path of the module that has package event; from the binary's own build information
	Package string // name of the generated package
	Version string // of the tool; doc.go names it where it is a release, so that no build of a developer makes files stale
	Import  string // import path of the generated package; needed where Protobuf messages without a go_package are generated below it
}

// Go generates one package for everything that a set declares. The files are
// named relative to the package's folder. Findings are warnings for places that
// fell back to an untyped value, and errors for what cannot be generated: then
// there are no files.
func Go(set *contract.Set, o Options) (map[string][]byte, []rule.Finding, error) {
	g := &generator{set: set, options: o, names: names{"refuse": true, "reads": true, "each": true}, files: names{"doc": true, "proto": true}, findings: &findings{seen: map[string]bool{}}}
	g.choose()
	if err := g.model(); err != nil {
		return nil, nil, err
	}
	if g.findings.failed() {
		return nil, g.findings.list, nil
	}
	files, err := g.print()
	if g.findings.failed() { // a judge met a keyword that it cannot check
		files = nil
	}
	for name, data := range files {
		files[name] = stamp(data)
	}
	return files, g.findings.list, err
}

// generator holds what is decided for a whole package before it is printed.
type generator struct {
	set       *contract.Set
	options   Options
	names     names // of the package
	files     names
	findings  *findings
	events    []*eventCode
	consumers []*consumerCode
	proto     *protoFiles // nil where no event is Protobuf
	choice    goTypes
}

// choose reads which types the workspace wants.
func (g *generator) choose() {
	c := g.set.Workspace.Generate.Go
	if c == nil {
		return
	}
	g.choice.optional = c.Optional.Value == contract.StructOptional
	g.choice.exact = c.Integer.Value == contract.ExactInteger
	g.choice.bytes = c.Base64.Value == contract.BytesBase64
	g.choice.unknown = c.Unknown.Value == contract.KeepUnknown
	g.openWriters(c.Unknown)
	if c.Decimal.Value == "" {
		return
	}
	dot := strings.LastIndexByte(c.Decimal.Value, '.')
	if dot < 0 || !importPath.MatchString(c.Decimal.Value[:dot]) || !token.IsExported(c.Decimal.Value[dot+1:]) || !token.IsIdentifier(c.Decimal.Value[dot+1:]) {
		g.findings.impossible("", c.Decimal.Pos, "Write the type's import path and name, as in github.com/shopspring/decimal.Decimal.", "generate.go.decimal: %q is no Go type: want an import path and a type, like github.com/shopspring/decimal.Decimal", c.Decimal.Value)
		return
	}
	g.choice.path = c.Decimal.Value[:dot]
	g.choice.decimal = importName(g.choice.path) + c.Decimal.Value[dot:]
}

// openWriters complains of producers that would write what no contract names,
// where all that is checked rests on that they don't.
func (g *generator) openWriters(unknown source.At[contract.Unknown]) {
	if !g.choice.unknown || g.set.Workspace.Writers.Value == contract.OpenWriters {
		return
	}
	for _, e := range g.set.Events {
		if _, json := e.Schema.(*jsonschema.Schema); json && generates(g.set, e) && !e.Vendored {
			g.findings.impossible("", unknown.Pos, "Say writers: open in evcontract.yaml, or leave out unknown: keep.", "generate.go.unknown: keep lets the producer of %s write members that its contract doesn't name: say writers: open, so that check knows", e.Name.Value)
			return
		}
	}
}

// importPath matches what the go command takes for one.
var importPath = regexp.MustCompile(`^[\w~-][\w.~+-]*(/[\w~-][\w.~+-]*)*$`)

// importName is what generated code calls a package of a workspace's choice: the
// last part of its path that is no major version.
func importName(of string) string {
	base := path.Base(of)
	if majorPath.MatchString(base) {
		base = path.Base(path.Dir(of))
	}
	if name := packageName(base); standard[name] == "" && name != "event" {
		return name
	}
	return packageName(base) + "types"
}

var majorPath = regexp.MustCompile(`^v[0-9]+$`)

// imports are the packages of others that generated code may name.
func (g *generator) imports() map[string]string {
	all := map[string]string{}
	if g.proto != nil {
		maps.Copy(all, g.proto.imports())
	}
	if g.choice.path != "" {
		all[importName(g.choice.path)] = g.choice.path
	}
	return all
}

// generates reports whether Go is made of an event. One that another repository
// writes is published there: there is nothing to make for it but what consumers
// here read it with.
func generates(set *contract.Set, e *contract.Event) bool {
	return e.Schema != nil && !e.Synthetic && e.Status.Value != contract.Retired && (!e.Vendored || len(set.Readers(e.Name.Value)) > 0)
}

func (g *generator) model() error {
	if err := g.protos(); err != nil || g.findings.failed() {
		return err
	}
	events := slices.Clone(g.set.Events)
	slices.SortStableFunc(events, func(a, b *contract.Event) int { return compareNames(a.Name.Value, b.Name.Value) })
	for _, e := range events {
		if !generates(g.set, e) {
			continue
		}
		switch schema := e.Schema.(type) {
		case *jsonschema.Schema:
			g.events = append(g.events, g.newEvent(e, schema))
		case *protobuf.Schema:
			g.events = append(g.events, g.newProtoEvent(e, schema))
		default:
			return fmt.Errorf("%s: no Go can be generated from a schema of format %s", e.Name.Value, e.Schema.Format())
		}
	}
	if g.findings.failed() {
		return nil
	}
	consumers := slices.Clone(g.set.Consumers)
	slices.SortStableFunc(consumers, func(a, b *contract.Consumer) int { return cmp.Compare(a.Name.Value, b.Name.Value) })
	for _, c := range consumers {
		g.consumers = append(g.consumers, g.newConsumer(c))
	}
	return nil
}

func compareNames(a, b contract.Name) int {
	return cmp.Or(cmp.Compare(a.Base, b.Base), cmp.Compare(a.Major, b.Major))
}

// fileName gives a file's name without .go. The go command reads meaning into
// some endings, which a name must not have by accident.
func (g *generator) fileName(name, kind string) string {
	base := fileName(name)
	last := base[strings.LastIndexByte(base, '_')+1:]
	if meaningful[last] || base == "doc" {
		base += "_" + kind
	}
	return g.files.take(base)
}

// meaningful are the endings of a file's name that keep a file out of a build.
var meaningful = words(`test aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9
	solaris wasip1 windows zos unix 386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64 mips64le
	mips64p32 mips64p32le ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm json`)

// print writes the files of the package.
func (g *generator) print() (map[string][]byte, error) {
	printed := map[string]*file{"proto.go": g.refuser()}
	for _, e := range g.events {
		printed[e.file+".go"], printed[e.file+"_json.go"] = g.printEvent(e)
	}
	for _, c := range g.consumers {
		printed[c.file+".go"], printed[c.file+"_json.go"] = g.printConsumer(c)
	}
	files := map[string][]byte{}
	if g.proto != nil {
		if err := g.proto.generate(files); err != nil {
			return nil, err
		}
	}
	for name, f := range printed {
		if f == nil || f.Len() == 0 {
			continue
		}
		data, err := f.finish(g.options)
		if err != nil {
			return nil, err
		}
		files[name] = data
	}
	data, err := g.docFile(&file{})
	files["doc.go"] = data
	return files, err
}

// release matches the versions that were tagged.
var release = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+$`)

func (g *generator) docFile(f *file) ([]byte, error) {
	data, err := f.finish(g.options)
	if err != nil {
		return nil, err
	}
	var p printer
	p.comment(fmt.Sprintf("Package %s publishes and consumes the events that this workspace declares.", g.options.Package))
	if release.MatchString(g.options.Version) {
		p.line("//")
		p.comment("It was generated by evcontract " + g.options.Version + ".")
	}
	text := strings.Replace(string(data), "package ", p.String()+"package ", 1)
	return []byte(text), nil
}

func (g *generator) printEvent(e *eventCode) (api, inner *file) {
	source := path.Clean(e.contract.Pos.File) + ", revision " + e.contract.Revision()
	api, inner = &file{source: source, imports: g.imports()}, &file{source: source, imports: g.imports()}
	if e.proto != nil {
		protoProducer{producer{&api.printer, e}}.print()
		return api, nil
	}
	producer{&api.printer, e}.print()
	builders := []*builder{e.payload, e.scan}
	if e.contract.Vendored {
		builders = builders[1:]
	}
	for _, b := range builders {
		d := decoder{printer: &inner.printer, builder: b}
		if b == e.scan {
			for _, t := range b.types {
				inner.line("")
				inner.printStruct(t)
			}
		}
		d.printDecoders()
		d.printJudges()
		inner.printPatterns(b.patterns)
	}
	if !e.contract.Vendored {
		encoder{printer: &inner.printer, builder: e.payload}.printEncoders()
	}
	return api, inner
}

func (g *generator) printConsumer(c *consumerCode) (api, inner *file) {
	source := path.Clean(c.contract.Pos.File) + ", revision " + c.revision
	api, inner = &file{source: source, imports: g.imports()}, &file{source: source, imports: g.imports()}
	consumerPrinter{&api.printer, c}.print()
	for _, r := range c.reads {
		if r.view != nil {
			continue
		}
		inner.printUnkept(r.build.types)
		d := decoder{printer: &inner.printer, builder: r.build}
		d.printDecoders()
		d.printJudges()
		inner.printPatterns(r.build.patterns)
	}
	return api, inner
}
