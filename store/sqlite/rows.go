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

// manySharing is manyRows for rows whose first columns are the same, shared of
// them, and own others.
func manySharing(before string, shared, own int, behind string) many {
	rows := make([]string, rowsAtOnce)
	for i := range rows {
		columns := make([]string, 0, shared+own)
		for k := range shared {
			columns = append(columns, fmt.Sprintf("?%d", k+1))
		}
		for k := range own {
			columns = append(columns, fmt.Sprintf("?%d", shared+own*i+k+1))
		}
		rows[i] = "(" + strings.Join(columns, ", ") + ")"
	}
	return many{before + rows[0] + behind, before + strings.Join(rows, ", ") + behind}
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
