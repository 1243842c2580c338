package source

import "fmt"

// Pos is a place in a file of a tree. Line and Column count from 1, columns in
// Unicode code points; 0 means that only the file is known.
type Pos struct {
	File   string
	Line   int
	Column int
}

// String is file:line:column, as compilers print it.
func (p Pos) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// IsZero reports whether the place is unknown.
func (p Pos) IsZero() bool { return p == Pos{} }

// Before orders places by file, line and column.
func (p Pos) Before(q Pos) bool {
	if p.File != q.File {
		return p.File < q.File
	}
	if p.Line != q.Line {
		return p.Line < q.Line
	}
	return p.Column < q.Column
}

// At is a value that remembers where it was written.
type At[T any] struct {
	Value T
	Pos   Pos
}

// Error says what is wrong at one place of one file, and what to do.
type Error struct {
	Pos Pos
	Msg string
}

func (e *Error) Error() string { return e.Pos.String() + ": " + e.Msg }

// Errorf makes an Error at a place.
func Errorf(pos Pos, format string, args ...any) *Error {
	return &Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}
}
