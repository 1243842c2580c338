package vet

import (
	_ "embed"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/publish-unchecked.txtar
var publishUncheckedExample string

var publishUnchecked = &Rule{rule.Doc{
	ID: "publish-unchecked", Kind: rule.Code, Severity: rule.Error,
	Title:   "Nobody looks at the error of a publication",
	Why:     "The error says that the event, or the effect, was not recorded. Whoever ignores it commits the business change without its event, and no consumer ever hears of it.",
	Fix:     "Return the error from the transaction's function, so that the business change is rolled back too.",
	Example: publishUncheckedExample,
}, checkPublishUnchecked}

func checkPublishUnchecked(p *pass) {
	for _, file := range p.judged() {
		var stack []ast.Node
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			stack = append(stack, n)
			switch n := n.(type) {
			case *ast.ExprStmt:
				p.dropped(n.X, stack)
			case *ast.GoStmt:
				p.dropped(n.Call, nil)
			case *ast.DeferStmt:
				p.dropped(n.Call, nil)
			case *ast.AssignStmt:
				p.assigned(n, stack)
			}
			return true
		})
	}
}

// dropped reports a call whose results go nowhere.
func (p *pass) dropped(e ast.Expr, stack []ast.Node) {
	call, f := p.publication(e)
	if f == nil {
		return
	}
	p.say(call, p.returning(call, f, stack), "the error of %s is dropped: %s", nameOf(f), unrecorded(f))
}

// publication is the call that an expression is, if its error says that nothing
// was recorded.
func (p *pass) publication(e ast.Expr) (*ast.CallExpr, *types.Func) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return nil, nil
	}
	f := p.callee(call)
	if f == nil || !publishes(f) {
		return nil, nil
	}
	return call, f
}

func unrecorded(f *types.Func) string {
	if asksEffect(f) || f.Name() == "Intend" {
		return "the call may never be made"
	}
	return "the event may never be sent"
}

// assigned reports an error that is assigned to nothing, or to a variable that
// nobody reads before it gets its next value.
func (p *pass) assigned(n *ast.AssignStmt, stack []ast.Node) {
	if len(n.Rhs) != 1 {
		return
	}
	call, f := p.publication(n.Rhs[0])
	if f == nil || len(n.Lhs) != f.Signature().Results().Len() {
		return
	}
	id, ok := n.Lhs[len(n.Lhs)-1].(*ast.Ident)
	if !ok {
		return
	}
	if id.Name == "_" {
		p.say(call, nil, "the error of %s is dropped: %s", nameOf(f), unrecorded(f))
		return
	}
	if p.info.Defs[id] != nil && p.onlyBlanked(n, id, stack) {
		p.say(call, nil, "the error of %s is dropped: %s", nameOf(f), unrecorded(f))
		return
	}
	if next := p.overwritten(n, id, stack); next != token.NoPos {
		p.say(call, nil, "the error of %s is overwritten at %s before anybody reads it: %s", nameOf(f), p.place(next), unrecorded(f))
	}
}

// onlyBlanked reports whether all that becomes of a variable is _ = err.
func (p *pass) onlyBlanked(n *ast.AssignStmt, id *ast.Ident, stack []ast.Node) bool {
	block, ok := stack[max(len(stack)-2, 0)].(*ast.BlockStmt)
	if !ok {
		return false
	}
	obj, blanked := p.info.Defs[id], false
	for _, s := range block.List {
		if s == ast.Stmt(n) || !p.mentions(s, obj) {
			continue
		}
		next, ok := s.(*ast.AssignStmt)
		if !ok || len(next.Lhs) != 1 || len(next.Rhs) != 1 {
			return false
		}
		to, isName := next.Lhs[0].(*ast.Ident)
		value, isAlso := ast.Unparen(next.Rhs[0]).(*ast.Ident)
		if !isName || !isAlso || to.Name != "_" || p.info.Uses[value] != obj {
			return false
		}
		blanked = true
	}
	return blanked
}

// overwritten gives the place where a variable gets its next value, if that is
// further down in the same block and nothing mentions it in between.
func (p *pass) overwritten(n *ast.AssignStmt, id *ast.Ident, stack []ast.Node) token.Pos {
	obj := p.info.ObjectOf(id)
	if len(stack) < 2 {
		return token.NoPos
	}
	block, ok := stack[len(stack)-2].(*ast.BlockStmt)
	if !ok {
		return token.NoPos
	}
	past := false
	for _, s := range block.List {
		if s == ast.Stmt(n) {
			past = true
			continue
		}
		if !past || !p.mentions(s, obj) {
			continue
		}
		next, ok := s.(*ast.AssignStmt)
		if !ok {
			return token.NoPos
		}
		for _, e := range next.Rhs {
			if p.mentions(e, obj) {
				return token.NoPos
			}
		}
		return next.Pos()
	}
	return token.NoPos
}

func (p *pass) mentions(n ast.Node, obj types.Object) bool {
	for id := range identifiersIn(n) {
		if p.info.Uses[id] == obj || p.info.Defs[id] == obj {
			return true
		}
	}
	return false
}

// returning is the fix where the function around a call returns an error and
// nothing else.
func (p *pass) returning(call *ast.CallExpr, f *types.Func, stack []ast.Node) []analysis.SuggestedFix {
	for i := len(stack) - 1; i >= 0; i-- {
		var results *ast.FieldList
		switch x := stack[i].(type) {
		case *ast.FuncLit:
			results = x.Type.Results
		case *ast.FuncDecl:
			results = x.Type.Results
		default:
			continue
		}
		if results.NumFields() != 1 || !isError(p.info.TypeOf(results.List[0].Type)) {
			return nil
		}
		before := "if err := "
		if f.Signature().Results().Len() == 2 {
			before = "if _, err := "
		}
		return []analysis.SuggestedFix{{Message: "return the error", TextEdits: []analysis.TextEdit{
			{Pos: call.Pos(), End: call.Pos(), NewText: []byte(before)},
			{Pos: call.End(), End: call.End(), NewText: []byte("; err != nil {\n\treturn err\n}")},
		}}}
	}
	return nil
}
