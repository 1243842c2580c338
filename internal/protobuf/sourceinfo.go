package protobuf

import (
	"github.com/bufbuild/protocompile/sourceinfo"
	"google.golang.org/protobuf/types/descriptorpb"
)

// sourceInfo is what a code generator needs for comments, nil for files that
// are not from the tree.
func (l *scope) sourceInfo(name string) *descriptorpb.SourceCodeInfo {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.placesOf(name)
	if p.result == nil {
		return nil
	}
	return sourceinfo.GenerateSourceInfo(p.result.AST(), nil)
}
