package vet

import (
	"go/ast"
	"go/types"
)

// findNetwork finds which functions of the package reach the network: those that
// name a call that does, and those that name one of these. Naming counts as
// calling, since a function that is handed on is called by somebody. The search
// goes up from the calls, one step at a time, so that each function gets its
// shortest way.
func (k *knowledge) findNetwork() {
	callers := map[*types.Func][]*function{}
	var level []*types.Func
	for _, f := range k.functions {
		if f.object == nil {
			continue
		}
		for id := range identifiersIn(f.body) {
			used, ok := k.info.Uses[id].(*types.Func)
			if !ok {
				continue
			}
			used = used.Origin()
			if used.Pkg() == k.pkg {
				callers[used] = append(callers[used], f)
			}
			if way := k.wayOut(used); way != "" && k.network[f.object] == "" {
				k.network[f.object] = way
				level = append(level, f.object)
			}
		}
	}
	for len(level) > 0 {
		var next []*types.Func
		for _, reached := range level {
			for _, caller := range callers[reached] {
				if k.network[caller.object] == "" {
					k.network[caller.object] = through(reached, k.network[reached])
					next = append(next, caller.object)
				}
			}
		}
		level = next
	}
}

// wayOut is how a function of another package, or a method of an interface,
// reaches the network: empty where it doesn't.
func (k *knowledge) wayOut(f *types.Func) string {
	if callsOut(f) {
		return nameOf(f)
	}
	if way := k.network[f]; way != "" && f.Pkg() != k.pkg {
		return through(f, way)
	}
	return ""
}

func through(f *types.Func, way string) string { return nameOf(f) + " → " + way }

func identifiersIn(n ast.Node) func(func(*ast.Ident) bool) {
	return func(yield func(*ast.Ident) bool) {
		done := false
		ast.Inspect(n, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && !done {
				done = !yield(id)
			}
			return !done
		})
	}
}
