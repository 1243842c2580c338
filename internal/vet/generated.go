package vet

import (
	"go/types"
	"strings"
)

// What generated code looks like. Names are the user's to choose; what stays is
// which types of package event stand where.

// isEvent reports whether a type is the named one of package event. The module
// may have been renamed, so the package is known by the end of its path.
func isEvent(t types.Type, name string) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return false
	}
	obj := named.Obj()
	return obj.Name() == name && obj.Pkg() != nil && isEventPackage(obj.Pkg())
}

func isEventPackage(p *types.Package) bool {
	return p.Name() == "event" && strings.HasSuffix(p.Path(), "/event") && p.Scope().Lookup("NewEffectKey") != nil
}

// isKey reports whether a type is the key of an event: a struct that holds an
// event.Key behind a marker without a size. Nobody else can fill it in.
func isKey(t types.Type) bool {
	s, marked := structOf(t), false
	for f := range fields(s) {
		if a, ok := f.Type().(*types.Array); ok && f.Name() == "_" && a.Len() == 0 {
			marked = true
		}
	}
	return marked && hasHidden(s, "Key")
}

// isView reports whether a type is an event as a handler receives it: it hides
// its identity and tells its key and its lane.
func isView(t types.Type) bool {
	return hasHidden(structOf(t), "Identity") && tells(t, "Key") && tells(t, "Lane")
}

// tells reports whether a type has a method that gives the type of package event
// that it is called after.
func tells(t types.Type, name string) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, false, nil, name)
	f, ok := obj.(*types.Func)
	return ok && f.Signature().Results().Len() == 1 && isEvent(f.Signature().Results().At(0).Type(), name)
}

func structOf(t types.Type) *types.Struct {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return nil
	}
	s, _ := named.Underlying().(*types.Struct)
	return s
}

func fields(s *types.Struct) func(func(*types.Var) bool) {
	return func(yield func(*types.Var) bool) {
		for i := 0; s != nil && i < s.NumFields(); i++ {
			if !yield(s.Field(i)) {
				return
			}
		}
	}
}

func hasHidden(s *types.Struct, eventType string) bool {
	for f := range fields(s) {
		if !f.Exported() && isEvent(f.Type(), eventType) {
			return true
		}
	}
	return false
}

// makesKey reports whether a function is the constructor of a key.
func makesKey(f *types.Func) bool {
	sig := f.Signature()
	return sig.Recv() == nil && sig.Results().Len() == 1 && sig.Params().Len() > 0 &&
		isKey(sig.Results().At(0).Type()) && declaredWith(f, sig.Results().At(0).Type())
}

// declaredWith reports whether a function stands in the package of a type.
func declaredWith(f *types.Func, t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && f.Pkg() != nil && f.Pkg() == named.Obj().Pkg()
}

// takesKey gives the number of the parameter that a generated function takes its
// key in, -1 where it takes none: Publish… and Draft….
func takesKey(f *types.Func) int {
	sig := f.Signature()
	for i := range sig.Params().Len() {
		if t := sig.Params().At(i).Type(); isKey(t) && declaredWith(f, t) {
			return i
		}
	}
	return -1
}

// publishes reports whether a function's error tells that an event or an effect
// was not recorded: Publish… and Draft…, Append and Intend of a transaction, and
// the methods that ask for an effect.
func publishes(f *types.Func) bool {
	sig := f.Signature()
	last := sig.Results().Len() - 1
	if last < 0 || !isError(sig.Results().At(last).Type()) {
		return false
	}
	if takesKey(f) >= 0 {
		first := sig.Results().At(0).Type()
		return isEvent(first, "Receipt") || isEvent(first, "Draft")
	}
	if sig.Recv() == nil {
		return false
	}
	if isEvent(sig.Recv().Type(), "Tx") {
		return true
	}
	return isView(sig.Recv().Type()) && asksEffect(f)
}

// asksEffect reports whether a method of an event has the form of an effect.
func asksEffect(f *types.Func) bool {
	sig := f.Signature()
	return f.Exported() && sig.Params().Len() == 2 && isContext(sig.Params().At(0).Type()) &&
		sig.Results().Len() == 1 && isError(sig.Results().At(0).Type())
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

func isContext(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == "Context" && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "context"
}

// handles reports whether a function has the form of a handler or of an upcaster:
// it takes an event as generated code hands it over, or messages with their
// identities and the transaction, as a hand-written route does.
func handles(sig *types.Signature) bool {
	var message, identity, tx bool
	for i := range sig.Params().Len() {
		t := elementOf(sig.Params().At(i).Type())
		if isView(t) {
			last := sig.Results().Len() - 1
			return last >= 0 && isError(elementOf(sig.Results().At(last).Type()))
		}
		message = message || isEvent(t, "Message")
		identity = identity || isEvent(t, "Identity")
		tx = tx || isEvent(t, "Tx")
	}
	return message && identity && tx
}

// elementOf is what a slice holds, or the type itself.
func elementOf(t types.Type) types.Type {
	if s, ok := t.(*types.Slice); ok {
		return s.Elem()
	}
	return t
}

// transactionOf is the parameter that a handler has its transaction in, -1 where
// it takes none. Its type is the user's choice: in a handler's own form it stands
// between the context and the event, elsewhere its name tells.
func transactionOf(sig *types.Signature) int {
	p := sig.Params()
	if p.Len() == 3 && isContext(p.At(0).Type()) && isView(elementOf(p.At(2).Type())) {
		return 1
	}
	for i := range p.Len() {
		t := p.At(i).Type()
		if pointer, ok := t.(*types.Pointer); ok {
			t = pointer.Elem()
		}
		if named, ok := types.Unalias(t).(*types.Named); ok && strings.HasSuffix(named.Obj().Name(), "Tx") {
			return i
		}
	}
	return -1
}

// takesTx reports whether a function wraps or unwraps a transaction: sqlite.In
// and sqlite.From.
func takesTx(f *types.Func) bool {
	sig := f.Signature()
	return sig.Recv() == nil && sig.Params().Len() == 1 && sig.Results().Len() == 1 &&
		(isEvent(sig.Params().At(0).Type(), "Tx") || isEvent(sig.Results().At(0).Type(), "Tx"))
}
