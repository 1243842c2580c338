package vet

import (
	"go/ast"
	"go/types"
	"slices"
)

// freshKey is a value that a key is made from and that the next attempt makes
// differently.
type freshKey struct {
	at     ast.Expr
	source string
	maker  string // the function that makes the key
}

// site is an expression that ends up in a key.
type site struct {
	in    *function
	value ast.Expr
	path  []string
	maker string
}

// findKeys traces everything that keys are made from, back through the functions
// of the package that hand it on.
func (k *knowledge) findKeys() {
	calls := map[*types.Func][]call{}
	var open []site
	for _, f := range k.functions {
		ast.Inspect(f.body, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				if g := k.callee(c); g != nil {
					calls[g] = append(calls[g], call{f, c})
					open = append(open, k.sitesOf(f, c, g)...)
				}
			}
			return true
		})
	}
	for len(open) > 0 {
		s := open[0]
		open = open[1:]
		t := k.trace(s.in, s.value, s.path)
		if t.source != "" {
			k.freshKeys = append(k.freshKeys, freshKey{s.value, t.source, s.maker})
			continue
		}
		for _, p := range t.params {
			if s.in.object == nil || !k.sink(s.in.object, p) {
				continue
			}
			for _, c := range calls[s.in.object] {
				for _, e := range k.argumentsFor(c.expr, p.Param) {
					open = append(open, site{c.in, e, p.Path, s.maker})
				}
			}
		}
	}
}

type call struct {
	in   *function
	expr *ast.CallExpr
}

// sitesOf lists what a call makes a key from: of a constructor all arguments, of
// another package's function what a fact says.
func (k *knowledge) sitesOf(f *function, c *ast.CallExpr, g *types.Func) []site {
	var sites []site
	if makesKey(g) {
		for _, e := range c.Args {
			sites = append(sites, site{f, e, nil, nameOf(g)})
		}
		return sites
	}
	if g.Pkg() == k.pkg {
		return nil
	}
	for _, p := range k.sinks[g] {
		for _, e := range k.argumentsFor(c, p.Param) {
			sites = append(sites, site{f, e, p.Path, nameOf(g)})
		}
	}
	return sites
}

// sink notes that a key is made from a parameter, and reports whether that is new.
func (k *knowledge) sink(f *types.Func, p flow) bool {
	for _, have := range k.sinks[f] {
		if have.Param == p.Param && slices.Equal(have.Path, p.Path) {
			return false
		}
	}
	k.sinks[f] = append(k.sinks[f], p)
	return true
}

// deriving is what a function's first result is made from, for other packages:
// nil where that says nothing. Only plain values are followed.
func (k *knowledge) deriving(f *function) *derives {
	if !f.object.Exported() || f.object.Signature().Results().Len() == 0 || !isPlain(f.object.Signature().Results().At(0).Type()) {
		return nil
	}
	t := &tracer{knowledge: k, seen: map[visit]bool{}, active: map[*types.Func]bool{f.object: true}, steps: traceSteps / 10}
	for _, e := range t.returned(f.decl.Type, f.decl.Body, 0) {
		t.expr(f, e, nil, 0)
	}
	if t.source == "" && t.params == nil {
		return nil
	}
	return &derives{t.source, t.params}
}

// isPlain reports whether a type is text, a number or bytes.
func isPlain(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsString|types.IsNumeric) != 0
	case *types.Array:
		return isPlain(u.Elem())
	case *types.Slice:
		return isPlain(u.Elem())
	case *types.Struct: // time.Time
		return isTime(t)
	case *types.Interface:
		_, generic := t.(*types.TypeParam)
		return generic
	}
	return false
}

func isTime(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == "Time" && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "time"
}
