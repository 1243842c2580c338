package vet

import (
	_ "embed"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/key-zero.txtar
var keyZeroExample string

var keyZero = &Rule{rule.Doc{
	ID: "key-zero", Kind: rule.Code, Severity: rule.Error,
	Title:   "A key is one that no constructor made",
	Why:     "The zero key names no fact. Publishing with it fails when the code runs, and the business transaction is rolled back.",
	Fix:     "Make the key with its generated constructor, from the values that name the fact.",
	Example: keyZeroExample,
}, checkKeyZero}

func checkKeyZero(p *pass) {
	for _, file := range p.judged() {
		var stack []ast.Node
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			stack = append(stack, n)
			if e, ok := n.(ast.Expr); ok && p.zeroLiteral(e) && !p.harmless(stack) {
				p.say(e, nil, "%s is the zero key: publishing with it fails", words(e))
			}
			return true
		})
	}
	p.unsetKeys()
}

// zeroLiteral reports whether an expression makes a key without its constructor:
// Key{} or new(Key).
func (p *pass) zeroLiteral(e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.CompositeLit:
		return isKey(p.info.TypeOf(x))
	case *ast.CallExpr:
		id, ok := ast.Unparen(x.Fun).(*ast.Ident)
		if !ok || len(x.Args) != 1 {
			return false
		}
		builtin, ok := p.info.Uses[id].(*types.Builtin)
		return ok && builtin.Name() == "new" && p.info.Types[x.Args[0]].IsType() && isKey(p.info.TypeOf(x.Args[0]))
	}
	return false
}

// harmless reports whether the last node of a stack only compares with the zero
// key, or returns it beside an error or a false.
func (p *pass) harmless(stack []ast.Node) bool {
	for i := len(stack) - 2; i >= 0; i-- {
		switch above := stack[i].(type) {
		case *ast.ParenExpr, *ast.UnaryExpr:
			continue
		case *ast.BinaryExpr:
			return isComparison(above.Op)
		case *ast.CaseClause:
			return true
		case *ast.ReturnStmt:
			return p.failing(above)
		}
		return false
	}
	return false
}

// failing reports whether a return says that its other results are void.
func (p *pass) failing(r *ast.ReturnStmt) bool {
	if len(r.Results) < 2 {
		return false
	}
	last := r.Results[len(r.Results)-1]
	tv := p.info.Types[last]
	if tv.IsNil() {
		return false
	}
	if tv.Value != nil {
		return tv.Value.ExactString() == "false"
	}
	return true
}

// unsetKeys finds variables that are handed on as a key and that nobody ever set.
func (p *pass) unsetKeys() {
	judged := p.judgedLines()
	for _, f := range p.functions {
		unset := p.declaredKeys(f)
		ast.Inspect(f.body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			for _, arg := range call.Args {
				id, ok := ast.Unparen(arg).(*ast.Ident)
				if ok && unset[p.info.Uses[id]] && judged(id.Pos()) {
					p.say(id, nil, "%s is the zero key: nothing sets it, and publishing with it fails", id.Name)
				}
			}
			return true
		})
	}
}

// declaredKeys are the key variables of a function that have no value and whose
// address nobody takes.
func (p *pass) declaredKeys(f *function) map[types.Object]bool {
	unset := map[types.Object]bool{}
	ast.Inspect(f.body, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) > 0 {
			return true
		}
		for _, name := range spec.Names {
			if v, ok := p.info.Defs[name].(*types.Var); ok && isKey(v.Type()) {
				unset[v] = true
			}
		}
		return true
	})
	if len(unset) == 0 {
		return nil
	}
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, to := range n.Lhs {
				obj, _ := p.root(to)
				delete(unset, obj)
			}
		case *ast.RangeStmt:
			for _, to := range []ast.Expr{n.Key, n.Value} {
				if to != nil {
					obj, _ := p.root(to)
					delete(unset, obj)
				}
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				obj, _ := p.root(n.X)
				delete(unset, obj)
			}
		}
		return true
	})
	return unset
}
