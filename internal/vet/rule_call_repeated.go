package vet

import (
	_ "embed"
	"go/ast"
	"go/types"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/call-repeated.txtar
var callRepeatedExample string

var callRepeated = &Rule{rule.Doc{
	ID: "call-repeated", Kind: rule.Code, Severity: rule.Error,
	Title:   "A handler makes a network call",
	Why:     "A handler runs again when its transaction rolls back, when it is retried and when an event is replayed; each time the call is made again. It may also be made for a change that never commits, and it holds the transaction open while it waits.",
	Fix:     "Declare the call under effects: in the consumer's manifest and ask for it with the event's method; it is made after the commit, under one key that no retry changes.",
	Example: callRepeatedExample,
}, checkCallRepeated}

func checkCallRepeated(p *pass) {
	for h := range p.handlers() {
		ast.Inspect(h.body, func(n ast.Node) bool {
			if lit, ok := n.(*ast.FuncLit); ok && p.isHandler(lit) {
				return false // it is one of its own
			}
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			f, ok := p.info.Uses[id].(*types.Func)
			if !ok {
				return true
			}
			f = f.Origin()
			if handles(f.Signature()) {
				return true // it is told there
			}
			if way := p.way(f); way != "" {
				p.say(id, nil, "%s calls out of its transaction: %s; a retry or a replay makes the call again", h.name, way)
			}
			return true
		})
	}
}

// way is how naming a function reaches the network.
func (p *pass) way(f *types.Func) string {
	if f.Pkg() == p.pkg {
		if way := p.network[f]; way != "" {
			return through(f, way)
		}
	}
	return p.wayOut(f)
}

// handler is a function that an inbox calls, in a file that is judged.
type handler struct {
	name   string
	sig    *types.Signature
	body   *ast.BlockStmt
	within *function
}

// handlers are all of the package.
func (p *pass) handlers() func(func(handler) bool) {
	judged := p.judgedLines()
	return func(yield func(handler) bool) {
		for _, f := range p.functions {
			if !judged(f.body.Pos()) {
				continue
			}
			if f.object != nil && handles(f.object.Signature()) {
				if !yield(handler{"handler " + f.object.Name(), f.object.Signature(), f.decl.Body, f}) {
					return
				}
			}
			more := true
			ast.Inspect(f.body, func(n ast.Node) bool {
				if lit, ok := n.(*ast.FuncLit); ok && p.isHandler(lit) && more {
					sig, _ := p.info.TypeOf(lit).(*types.Signature)
					more = yield(handler{"the handler", sig, lit.Body, f})
				}
				return more
			})
			if !more {
				return
			}
		}
	}
}

func (p *pass) isHandler(lit *ast.FuncLit) bool {
	sig, ok := p.info.TypeOf(lit).(*types.Signature)
	return ok && handles(sig)
}
