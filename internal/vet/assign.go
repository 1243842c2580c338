package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// assignment is what a variable, or a part of it, was given somewhere.
type assignment struct {
	path   []string // of the variable: p.ID = x has [ID]
	value  ast.Expr
	result int // of a value that is a call with several results
}

// assignmentsOf lists what the variables of a function are given, literals
// inside it included: they share its variables.
func (k *knowledge) assignmentsOf(f *function) map[types.Object][]assignment {
	if f.assigns == nil {
		f.assigns = map[types.Object][]assignment{}
		k.assignmentsIn(f.body, f.assigns)
	}
	return f.assigns
}

func (k *knowledge) assignmentsIn(n ast.Node, into map[types.Object][]assignment) {
	add := func(to, value ast.Expr, result int) {
		if obj, path := k.root(to); obj != nil {
			into[obj] = append(into[obj], assignment{path, value, result})
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			spread(n.Lhs, n.Rhs, add)
		case *ast.ValueSpec:
			left := make([]ast.Expr, len(n.Names))
			for i, name := range n.Names {
				left[i] = name
			}
			spread(left, n.Values, add)
		case *ast.RangeStmt:
			if n.Value != nil {
				add(n.Value, n.X, 0)
			}
		case *ast.CallExpr:
			k.filled(n, add)
		}
		return true
	})
}

func spread(left, right []ast.Expr, add func(to, value ast.Expr, result int)) {
	for i, to := range left {
		switch {
		case len(left) == len(right):
			add(to, right[i], 0)
		case len(right) == 1:
			add(to, right[0], i)
		}
	}
}

// filled notes what a call writes into its argument or its receiver: rand.Read(b),
// io.ReadFull(rand.Reader, b), h.Write(b), fmt.Fprintf(&b, …).
func (k *knowledge) filled(call *ast.CallExpr, add func(to, value ast.Expr, result int)) {
	f := k.callee(call)
	if f == nil || f.Pkg() == nil || len(call.Args) == 0 {
		return
	}
	args := call.Args
	switch path, name := majorless(f.Pkg().Path()), f.Name(); {
	case name == "Read" && strings.HasSuffix(path, "/rand"):
		add(args[0], call, 0)
	case path == "io" && (name == "ReadFull" || name == "ReadAtLeast"):
		add(args[1], args[0], 0)
	case path == "io" && name == "WriteString" || path == "fmt" && strings.HasPrefix(name, "Fprint"):
		for _, x := range args[1:] {
			add(args[0], x, 0)
		}
	case strings.HasPrefix(name, "Write") && f.Signature().Recv() != nil:
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
			add(sel.X, args[0], 0)
		}
	}
}

// root is the variable that an expression is a part of, and which part.
func (k *knowledge) root(e ast.Expr) (obj types.Object, path []string) {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			if obj = k.info.Defs[x]; obj == nil {
				obj = k.info.Uses[x]
			}
			if _, ok := obj.(*types.Var); !ok {
				return nil, nil
			}
			return obj, path
		case *ast.SelectorExpr:
			if _, isField := k.info.Selections[x]; !isField {
				return nil, nil
			}
			e, path = x.X, append([]string{x.Sel.Name}, path...)
		case *ast.IndexExpr:
			e, path = x.X, nil
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.UnaryExpr:
			if x.Op != token.AND {
				return nil, nil
			}
			e = x.X
		default:
			return nil, nil
		}
	}
}
