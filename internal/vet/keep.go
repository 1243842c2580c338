package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// keeper looks for where a function keeps one of its parameters for longer than
// it runs.
type keeper struct {
	*knowledge
	f      *function // the function, with its own parameters
	body   *ast.BlockStmt
	kept   int // the parameter
	active map[*types.Func]bool
}

// keeping is a place where a parameter is kept.
type keeping struct {
	at  ast.Node
	how string
}

func (k *knowledge) newKeeper(f *function, body *ast.BlockStmt, sig *types.Signature, kept int) *keeper {
	params := map[types.Object]int{}
	for i := range sig.Params().Len() {
		params[sig.Params().At(i)] = i
	}
	if sig.Recv() != nil {
		params[sig.Recv()] = -1
	}
	own := &function{object: f.object, decl: f.decl, body: body, params: params}
	return &keeper{k, own, body, kept, map[*types.Func]bool{f.object: true}}
}

// find lists the places, in the order of the code.
func (k *keeper) find() []keeping {
	if k.kept < 0 {
		return nil
	}
	var found []keeping
	add := func(at ast.Node, how string) { found = append(found, keeping{at, how}) }
	ast.Inspect(k.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			if sig, ok := k.info.TypeOf(n).(*types.Signature); ok && handles(sig) {
				return false
			}
		case *ast.AssignStmt:
			spread(n.Lhs, n.Rhs, func(to, value ast.Expr, _ int) {
				if k.outlives(to) && k.holds(value) {
					add(n, "stores "+words(value)+" in "+words(to))
				}
			})
		case *ast.SendStmt:
			if k.holds(n.Value) {
				add(n, "sends "+words(n.Value)+" to "+words(n.Chan))
			}
		case *ast.GoStmt:
			if k.usedBy(n.Call) && !k.waited(n) {
				add(n, "uses it in a goroutine that nothing waits for")
			}
		case *ast.CallExpr:
			k.call(n, add)
		}
		return true
	})
	return found
}

// call finds what a call keeps: a collection of the standard library, a function
// that runs later, a function of the package.
func (k *keeper) call(call *ast.CallExpr, add func(ast.Node, string)) {
	sel, isMethod := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	g := k.callee(call)
	switch {
	case g == nil:
	case g.Name() == "AfterFunc":
		if k.usedBy(call) {
			add(call, "uses it in a function that runs later, "+nameOf(g))
		}
	case g.Name() == "Go" && isMethod:
		if k.usedBy(call) && !k.waited(call) {
			add(call, "uses it in a goroutine that nothing waits for")
		}
	case isMethod && g.Pkg() != nil && collections[g.Pkg().Path()]:
		for _, e := range call.Args {
			if k.holds(e) && k.outlives(sel.X) {
				add(call, "stores "+words(e)+" in "+words(sel.X))
			}
		}
	case k.byObject[g] != nil && !k.active[g]:
		k.into(call, g, add)
	}
}

var collections = map[string]bool{"sync": true, "sync/atomic": true, "container/list": true}

// into looks whether a function of the package keeps what it is given.
func (k *keeper) into(call *ast.CallExpr, g *types.Func, add func(ast.Node, string)) {
	callee := k.byObject[g]
	for i, e := range call.Args {
		if i >= g.Signature().Params().Len() || !k.holds(e) || handles(g.Signature()) {
			continue
		}
		inner := k.newKeeper(callee, callee.decl.Body, g.Signature(), i)
		for f := range k.active {
			inner.active[f] = true
		}
		if found := inner.find(); len(found) > 0 {
			add(call, "hands it to "+g.Name()+", which "+found[0].how+" ("+k.place(found[0].at.Pos())+")")
		}
	}
}

// holds reports whether an expression's value is the parameter, or was made from it.
func (k *keeper) holds(e ast.Expr) bool {
	for _, p := range k.trace(k.f, e, nil).params {
		if p.Param == k.kept {
			return true
		}
	}
	return false
}

// outlives reports whether a variable, or what it is a part of, is there after
// the function returned.
func (k *keeper) outlives(e ast.Expr) bool {
	obj, path := k.root(e)
	v, ok := obj.(*types.Var)
	if !ok {
		return false
	}
	if i, isParam := k.f.params[obj]; isParam {
		return i != k.kept && len(path) > 0 && refers(v.Type())
	}
	if v.Pos() < k.body.Pos() || v.Pos() > k.body.End() {
		return true
	}
	if _, isName := ast.Unparen(e).(*ast.Ident); isName || !refers(v.Type()) {
		return false
	}
	for _, p := range k.trace(k.f, rootName(e), nil).params { // s := h.state; s.tx = tx
		if p.Param != k.kept {
			return true
		}
	}
	return false
}

func rootName(e ast.Expr) ast.Expr {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		default:
			return x
		}
	}
}

func refers(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Slice, *types.Interface:
		return true
	}
	return false
}

// usedBy reports whether the arguments of a call, or literals among them, use the
// parameter: also through an event, whose effects are recorded with it.
func (k *keeper) usedBy(call *ast.CallExpr) bool {
	used := false
	ast.Inspect(call, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if _, ok := k.info.Uses[n].(*types.Var); ok && !isFieldUse(k.info, n) && k.holds(n) {
				used = true
			}
		case *ast.CallExpr:
			if g := k.callee(n); g != nil && g.Signature().Recv() != nil && isView(g.Signature().Recv().Type()) && asksEffect(g) {
				used = true
			}
		}
		return !used
	})
	return used
}

func isFieldUse(info *types.Info, id *ast.Ident) bool {
	v, ok := info.Uses[id].(*types.Var)
	return ok && v.IsField()
}

// waited reports whether the function waits for something after a statement, or
// when it returns: a Wait, a receive, a select.
func (k *keeper) waited(after ast.Node) bool {
	waits := false
	deferred := 0
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		if n == after || waits {
			return false
		}
		if d, ok := n.(*ast.DeferStmt); ok {
			deferred++
			ast.Inspect(d.Call, visit)
			deferred--
			return false
		}
		if n != nil && (deferred > 0 || n.Pos() > after.End()) && waitsFor(k.info, n) {
			waits = true
		}
		return true
	}
	ast.Inspect(k.body, visit)
	return waits
}

func waitsFor(info *types.Info, n ast.Node) bool {
	switch n := n.(type) {
	case *ast.UnaryExpr:
		return n.Op == token.ARROW
	case *ast.SelectStmt:
		return true
	case *ast.RangeStmt:
		_, ok := info.TypeOf(n.X).Underlying().(*types.Chan)
		return ok
	case *ast.CallExpr:
		sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
		return ok && strings.HasPrefix(sel.Sel.Name, "Wait")
	}
	return false
}
