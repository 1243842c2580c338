package vet

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// pass is one rule at work on one package.
type pass struct {
	*knowledge
	rule   *Rule
	report func(analysis.Diagnostic)
}

// say reports what is wrong with a part of the code.
func (p *pass) say(at ast.Node, fixes []analysis.SuggestedFix, format string, args ...any) {
	if p.allowed(at.Pos()) {
		return
	}
	p.report(analysis.Diagnostic{
		Pos: at.Pos(), End: at.End(), Category: p.rule.ID,
		Message: fmt.Sprintf(format, args...) + Advice(p.rule.Doc), SuggestedFixes: fixes,
	})
}

// allowed reports whether a comment on the line, or on the one above it, accepts
// the finding and says why: //evcontract:allow RULE because …
func (p *pass) allowed(at token.Pos) bool {
	place := p.fset.Position(at)
	for _, line := range []int{place.Line, place.Line - 1} {
		for _, text := range p.comments()[fileLine{place.Filename, line}] {
			id, reason, _ := strings.Cut(text, " ")
			if id == p.rule.ID && strings.TrimSpace(reason) != "" {
				return true
			}
		}
	}
	return false
}

type fileLine struct {
	file string
	line int
}

const allowMark = "//evcontract:allow "

// comments are what each line allows.
func (k *knowledge) comments() map[fileLine][]string {
	k.allowOnce.Do(func() {
		k.allows = map[fileLine][]string{}
		for _, f := range k.files {
			for _, group := range f.Comments {
				for _, c := range group.List {
					if text, ok := strings.CutPrefix(c.Text, allowMark); ok {
						place := k.fset.Position(c.Pos())
						at := fileLine{place.Filename, place.Line}
						k.allows[at] = append(k.allows[at], strings.TrimSpace(text))
					}
				}
			}
		}
	})
	return k.allows
}

// judged are the files that rules speak about: written by a person, and not a test.
func (k *knowledge) judged() []*ast.File {
	var files []*ast.File
	for _, f := range k.files {
		if !ast.IsGenerated(f) && !strings.HasSuffix(k.fset.Position(f.Package).Filename, "_test.go") {
			files = append(files, f)
		}
	}
	return files
}

// words is a piece of code as a message shows it.
func words(e ast.Expr) string {
	text := types.ExprString(e)
	if runes := []rune(text); len(runes) > 60 {
		text = string(runes[:60]) + "…"
	}
	return text
}

// place is where another part of the code stands, for a message.
func (k *knowledge) place(at token.Pos) string {
	p := k.fset.Position(at)
	return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
}

// judgedLines reports whether rules speak about the file that something stands in.
func (k *knowledge) judgedLines() func(token.Pos) bool {
	names := map[string]bool{}
	for _, f := range k.judged() {
		names[k.fset.File(f.FileStart).Name()] = true
	}
	return func(at token.Pos) bool { return names[k.fset.File(at).Name()] }
}
