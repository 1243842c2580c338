package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// tracer asks what a value was made from: what is fresh at every call, and which
// parameters. It follows variables, whatever their order of assignment, fields of
// structs, functions of the package and what facts say of others. What it cannot
// follow, it takes to be stable.
type tracer struct {
	*knowledge
	seen   map[visit]bool
	active map[*types.Func]bool
	steps  int // that are left

	source string    // what is fresh, and how it got here; empty where nothing is
	at     token.Pos // of the first fresh value
	params []flow
}

type visit struct {
	value  ast.Expr
	path   string
	result int
}

const traceSteps = 2000

func (k *knowledge) trace(f *function, e ast.Expr, path []string) *tracer {
	t := &tracer{knowledge: k, seen: map[visit]bool{}, active: map[*types.Func]bool{}, steps: traceSteps}
	t.expr(f, e, path, 0)
	return t
}

func (t *tracer) fresh(what string, at token.Pos) {
	if t.source == "" {
		t.source, t.at = what, at
	}
}

func (t *tracer) param(p flow) {
	for _, have := range t.params {
		if have.Param == p.Param && slices.Equal(have.Path, p.Path) {
			return
		}
	}
	t.params = append(t.params, p)
}

func (t *tracer) each(f *function, list []ast.Expr) {
	for _, e := range list {
		t.expr(f, e, nil, 0)
	}
}

// expr follows a part of an expression's value; result counts where the
// expression is a call with several results.
func (t *tracer) expr(f *function, e ast.Expr, path []string, result int) {
	v := visit{e, strings.Join(path, "."), result}
	if t.steps--; t.steps < 0 || t.seen[v] {
		return
	}
	t.seen[v] = true
	switch x := e.(type) {
	case *ast.ParenExpr:
		t.expr(f, x.X, path, result)
	case *ast.StarExpr:
		t.expr(f, x.X, path, 0)
	case *ast.UnaryExpr:
		t.expr(f, x.X, path, 0)
	case *ast.TypeAssertExpr:
		t.expr(f, x.X, path, 0)
	case *ast.IndexExpr:
		t.expr(f, x.X, nil, 0)
	case *ast.SliceExpr:
		t.expr(f, x.X, nil, 0)
	case *ast.BinaryExpr:
		if !isComparison(x.Op) {
			t.expr(f, x.X, nil, 0)
			t.expr(f, x.Y, nil, 0)
		}
	case *ast.Ident:
		t.variable(f, t.info.ObjectOf(x), x.Pos(), path)
	case *ast.SelectorExpr:
		if _, field := t.info.Selections[x]; field {
			t.expr(f, x.X, append([]string{x.Sel.Name}, path...), 0)
		} else {
			t.variable(f, t.info.Uses[x.Sel], x.Pos(), path)
		}
	case *ast.CompositeLit:
		t.literal(f, x, path)
	case *ast.CallExpr:
		t.call(f, x, path, result)
	}
}

func isComparison(op token.Token) bool {
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ, token.LAND, token.LOR:
		return true
	}
	return false
}

// variable follows what a variable was given anywhere. A part is asked for: what
// the whole, the part itself or a part of the part was given counts.
func (t *tracer) variable(f *function, obj types.Object, at token.Pos, path []string) {
	v, ok := obj.(*types.Var)
	if !ok {
		return
	}
	if v.Pkg() != nil && v.Name() == "Reader" && v.Pkg().Path() == "crypto/rand" {
		t.fresh("a random value, rand.Reader", at)
		return
	}
	given := t.globals[obj]
	if f != nil && !isGlobal(v) {
		if i, isParam := f.params[obj]; isParam {
			t.param(flow{i, path})
		}
		given = t.assignmentsOf(f)[obj]
	}
	for _, a := range given {
		switch {
		case isPrefix(a.path, path):
			t.expr(f, a.value, path[len(a.path):], a.result)
		case isPrefix(path, a.path):
			t.expr(f, a.value, nil, a.result)
		}
	}
}

func isGlobal(v *types.Var) bool { return v.Pkg() != nil && v.Parent() == v.Pkg().Scope() }

func isPrefix(short, long []string) bool {
	return len(short) <= len(long) && slices.Equal(short, long[:len(short)])
}

func (t *tracer) literal(f *function, x *ast.CompositeLit, path []string) {
	for _, element := range x.Elts {
		pair, named := element.(*ast.KeyValueExpr)
		if !named {
			t.expr(f, element, nil, 0)
			continue
		}
		name, isName := pair.Key.(*ast.Ident)
		_, isField := t.info.Uses[nameOrNil(name, isName)].(*types.Var)
		switch {
		case !isField || len(path) == 0:
			t.expr(f, pair.Value, nil, 0)
		case name.Name == path[0]:
			t.expr(f, pair.Value, path[1:], 0)
		}
	}
}

func nameOrNil(id *ast.Ident, ok bool) *ast.Ident {
	if !ok {
		return nil
	}
	return id
}

func (t *tracer) call(f *function, call *ast.CallExpr, path []string, result int) {
	fun := t.info.Types[call.Fun]
	if fun.IsType() || fun.IsBuiltin() {
		t.each(f, call.Args)
		return
	}
	g := t.callee(call)
	if g == nil {
		t.calledLiteral(f, call, path, result)
		return
	}
	if what := freshness(g); what != "" {
		if result == 0 {
			t.fresh(what, call.Pos())
		}
		return
	}
	switch {
	case t.byObject[g] != nil:
		t.enter(f, call, g, path, result)
	case takesTx(g):
		t.each(f, call.Args)
	case pure.has(g):
		t.each(f, call.Args)
		if sel, ok := t.called(call).(*ast.SelectorExpr); ok && g.Signature().Recv() != nil {
			t.expr(f, sel.X, nil, 0)
		}
	case t.derived[g] != nil && result == 0:
		d := t.derived[g]
		if d.Source != "" {
			t.fresh(d.Source+" in "+nameOf(g), call.Pos())
		}
		t.arguments(f, call, d.Params)
	}
}

// calledLiteral follows a call of a function that stands in a variable:
// newID := func() string { … }.
func (t *tracer) calledLiteral(f *function, call *ast.CallExpr, path []string, result int) {
	lit, _ := ast.Unparen(call.Fun).(*ast.FuncLit)
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
		given := t.globals[t.info.Uses[id]]
		if f != nil && len(given) == 0 {
			given = t.assignmentsOf(f)[t.info.Uses[id]]
		}
		if len(given) != 1 {
			return
		}
		lit, _ = ast.Unparen(given[0].value).(*ast.FuncLit)
	}
	if lit != nil {
		for _, e := range t.returned(lit.Type, lit.Body, result) {
			t.expr(f, e, path, 0)
		}
	}
}

// enter follows a call into a function of the package.
func (t *tracer) enter(f *function, call *ast.CallExpr, g *types.Func, path []string, result int) {
	if t.active[g] || len(t.active) > 8 {
		return
	}
	t.active[g] = true
	defer delete(t.active, g)
	inner := &tracer{knowledge: t.knowledge, seen: map[visit]bool{}, active: t.active, steps: t.steps}
	callee := t.byObject[g]
	for _, e := range t.returned(callee.decl.Type, callee.decl.Body, result) {
		inner.expr(callee, e, path, 0)
	}
	t.steps = inner.steps
	if inner.source != "" {
		t.fresh(inner.source+" in "+g.Name(), call.Pos())
	}
	t.arguments(f, call, inner.params)
}

// arguments follows the values that a call gives to parameters.
func (t *tracer) arguments(f *function, call *ast.CallExpr, params []flow) {
	for _, p := range params {
		for _, e := range t.argumentsFor(call, p.Param) {
			t.expr(f, e, p.Path, 0)
		}
	}
}

// argumentsFor are the expressions that a parameter gets its value from, several
// where it is the variadic one.
func (k *knowledge) argumentsFor(call *ast.CallExpr, param int) []ast.Expr {
	if param < 0 {
		if sel, ok := k.called(call).(*ast.SelectorExpr); ok {
			return []ast.Expr{sel.X}
		}
		return nil
	}
	if param < len(call.Args) {
		return call.Args[param : param+1]
	}
	return nil
}

// returned lists what a function returns at a place, and not what literals in it do.
func (t *tracer) returned(sig *ast.FuncType, body *ast.BlockStmt, result int) []ast.Expr {
	var list []ast.Expr
	var names []ast.Expr
	if sig.Results != nil {
		for _, field := range sig.Results.List {
			for _, name := range field.Names {
				names = append(names, name)
			}
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			switch {
			case result < len(n.Results):
				list = append(list, n.Results[result])
			case len(n.Results) == 1:
				list = append(list, n.Results[0]) // return f(): the first result stands for all
			case len(n.Results) == 0 && result < len(names):
				list = append(list, names[result])
			}
		}
		return true
	})
	return list
}
