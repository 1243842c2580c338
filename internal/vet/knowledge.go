package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
)

// knowledge is what the rules ask about a package. It is gathered once, and what
// another package may need of it travels as facts.
type knowledge struct {
	fset  *token.FileSet
	files []*ast.File
	info  *types.Info
	pkg   *types.Package

	functions []*function
	byObject  map[*types.Func]*function
	globals   map[types.Object][]assignment // what package-level variables begin as
	locals    map[types.Object][]assignment // what those of functions are given

	network map[*types.Func]string   // how a function reaches the network; of this package and of others
	derived map[*types.Func]*derives // what the first result is made from; of other packages
	sinks   map[*types.Func][]flow   // which parameters a key is made from; of both

	freshKeys []freshKey

	allowOnce sync.Once
	allows    map[fileLine][]string
}

// function is a declared function, or the value of a package-level variable.
type function struct {
	object  *types.Func // nil for a variable
	decl    *ast.FuncDecl
	body    ast.Node
	params  map[types.Object]int // the receiver is -1
	assigns map[types.Object][]assignment
}

// reaches is the fact that a function makes a network call.
type reaches struct{ Way string }

// derives is the fact of what a function's first result is made from.
type derives struct {
	Source string // what is fresh at every call; may be empty
	Params []flow
}

// keyed is the fact that a key is made from some of a function's parameters.
type keyed struct{ Params []flow }

// flow is a parameter, or a part of it.
type flow struct {
	Param int // -1: the receiver
	Path  []string
}

func (*reaches) AFact() {}
func (*derives) AFact() {}
func (*keyed) AFact()   {}

func (f *reaches) String() string { return "reaches " + f.Way }
func (f *derives) String() string { return "derives " + f.Source }
func (f *keyed) String() string   { return "keyed" }

func knowledgeAnalyzer() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       "evcontract",
		Doc:        "gathers what the other analyzers ask: what reaches the network, and what values are made from",
		FactTypes:  []analysis.Fact{new(reaches), new(derives), new(keyed)},
		ResultType: reflect.TypeFor[*knowledge](),
		Run:        func(p *analysis.Pass) (any, error) { return gather(p), nil },
	}
}

func gather(p *analysis.Pass) *knowledge {
	k := &knowledge{
		fset: p.Fset, files: p.Files, info: p.TypesInfo, pkg: p.Pkg,
		byObject: map[*types.Func]*function{}, globals: map[types.Object][]assignment{}, locals: map[types.Object][]assignment{},
		network: map[*types.Func]string{}, derived: map[*types.Func]*derives{}, sinks: map[*types.Func][]flow{},
	}
	if p.Module == nil && !strings.Contains(strings.SplitN(p.Pkg.Path(), "/", 2)[0], ".") {
		return k // the standard library: what matters of it is known by name
	}
	k.importFacts(p)
	k.index()
	k.findNetwork()
	k.findKeys()
	k.exportFacts(p)
	return k
}

// importFacts takes over what is known of the functions that the package names.
func (k *knowledge) importFacts(p *analysis.Pass) {
	seen := map[*types.Func]bool{}
	for _, obj := range k.info.Uses {
		f, ok := obj.(*types.Func)
		if !ok || f.Pkg() == nil || f.Pkg() == k.pkg || seen[f.Origin()] {
			continue
		}
		f = f.Origin()
		seen[f] = true
		var r reaches
		if p.ImportObjectFact(f, &r) {
			k.network[f] = r.Way
		}
		var d derives
		if p.ImportObjectFact(f, &d) {
			k.derived[f] = &d
		}
		var s keyed
		if p.ImportObjectFact(f, &s) {
			k.sinks[f] = s.Params
		}
	}
}

func (k *knowledge) exportFacts(p *analysis.Pass) {
	for _, f := range k.functions {
		if f.object == nil {
			continue
		}
		if way := k.network[f.object]; way != "" && !speaksToDatabase(k.pkg.Path()) {
			p.ExportObjectFact(f.object, &reaches{way})
		}
		if s := k.sinks[f.object]; s != nil {
			p.ExportObjectFact(f.object, &keyed{s})
		}
		if d := k.deriving(f); d != nil {
			p.ExportObjectFact(f.object, d)
		}
	}
}

// index lists the functions of the package.
func (k *knowledge) index() {
	for _, file := range k.files {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if obj, ok := k.info.Defs[d.Name].(*types.Func); ok && d.Body != nil {
					f := &function{object: obj, decl: d, body: d.Body, params: k.paramsOf(obj)}
					k.functions = append(k.functions, f)
					k.byObject[obj] = f
					k.assignmentsIn(d.Body, k.locals)
				}
			case *ast.GenDecl:
				if d.Tok == token.VAR {
					k.functions = append(k.functions, &function{body: d})
					k.assignmentsIn(d, k.globals)
				}
			}
		}
	}
}

func (k *knowledge) paramsOf(f *types.Func) map[types.Object]int {
	params := map[types.Object]int{}
	sig := f.Signature()
	for i := range sig.Params().Len() {
		params[sig.Params().At(i)] = i
	}
	if sig.Recv() != nil {
		params[sig.Recv()] = -1
	}
	return params
}

// callee is the function that a call surely calls, nil where nobody can tell.
func (k *knowledge) callee(call *ast.CallExpr) *types.Func {
	f, _ := k.functionValue(k.called(call))
	return f
}

// called is the expression that names what a call calls: of a variable that is
// given one value only, that value. newID := uuid.NewString
func (k *knowledge) called(call *ast.CallExpr) ast.Expr {
	fun := plainFunction(call.Fun)
	id, ok := fun.(*ast.Ident)
	if !ok {
		return fun
	}
	if v, ok := k.info.Uses[id].(*types.Var); ok && v.Kind() != types.ParamVar { // a parameter has its caller's value, too
		if from := slices.Concat(k.globals[v], k.locals[v]); len(from) == 1 && from[0].value != nil && len(from[0].path) == 0 {
			return plainFunction(from[0].value)
		}
	}
	return fun
}

// plainFunction leaves out parentheses and the types of a generic function.
func plainFunction(e ast.Expr) ast.Expr {
	e = ast.Unparen(e)
	switch x := e.(type) {
	case *ast.IndexExpr:
		return ast.Unparen(x.X)
	case *ast.IndexListExpr:
		return ast.Unparen(x.X)
	}
	return e
}

// functionValue is the declared function that an expression names.
func (k *knowledge) functionValue(e ast.Expr) (*types.Func, bool) {
	var id *ast.Ident
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return nil, false
	}
	f, ok := k.info.Uses[id].(*types.Func)
	if !ok {
		return nil, false
	}
	return f.Origin(), true
}

// nameOf is a function as a message shows it: http.Get, Client.Do.
func nameOf(f *types.Func) string {
	if recv := f.Signature().Recv(); recv != nil {
		t := recv.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil {
			return named.Obj().Pkg().Name() + "." + named.Obj().Name() + "." + f.Name()
		}
		return f.Name()
	}
	if f.Pkg() == nil {
		return f.Name()
	}
	return f.Pkg().Name() + "." + f.Name()
}
