package sqlite

import (
	"fmt"
	"strings"
)

// rowsAtOnce is how many rows one statement reads or writes: the driver takes
// longer to bind, run and reset a statement than SQLite takes for a row of it.
const rowsAtOnce = 50

// many is a statement for one row, and the same for rowsAtOnce rows.
type many struct{ one, all string }

// manyRows makes them of the text before the rows, that of a row without its
// brackets, and the text behind the rows.
func manyRows(before, row, behind string) many {
	row = "(" + row + ")"
	return many{before + row + behind, before + row + strings.Repeat(", "+row, rowsAtOnce-1) + behind}
}

// manySharing is manyRows for rows whose first columns are the same. It has no
// parameters with numbers: the driver looks for the name of each, one after the
// other.
func manySharing(before string, shared, own int, behind string) many {
	marks := func(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }
	columns := ""
	for i := range own {
		columns += fmt.Sprintf(", column%d", i+1)
	}
	return manyRows(before+"SELECT "+marks(shared)+columns+" FROM (VALUES ", marks(own), ") WHERE true"+behind)
}

// manyValues is manyRows for a list of values in one pair of brackets.
func manyValues(before, behind string) many {
	return many{before + "?" + behind, before + "?" + strings.Repeat(", ?", rowsAtOnce-1) + behind}
}

// next is the statement to use for some rows, and how many places it has: a
// place that is left over is given the last row again.
func (m many) next(rows int) (query string, places int) {
	if rows < rowsAtOnce/5 {
		return m.one, 1
	}
	return m.all, rowsAtOnce
}
