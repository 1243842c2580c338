package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"strings"

	"modernc.org/sqlite"
)

// openDB is sql.Open with connections of the store's kind.
// Nothing is registered: to other users of the driver it stays as it is.
func (s *Store) openDB(name string, immediate bool) (*sql.DB, error) {
	if immediate {
		name += "&_txlock=immediate"
	}
	c, err := sqlite.NewConnector(name)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector{c, s, immediate}), nil
}

type connector struct {
	driver.Connector
	store     *Store
	immediate bool
}

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	dc, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	inner, ok := dc.(driverConn)
	if !ok {
		return nil, errors.Join(errors.New("sqlite: the driver lacks methods that it had"), dc.Close())
	}
	own := &conn{
		driverConn: inner, store: c.store, kept: map[string]*kept{},
		owed:        moveIDsLeast, // a short life moves some too
		interrupter: interrupter{handle: handleOf(dc)}, immediate: c.immediate,
	}
	own.watch()
	return own, nil
}

// driverConn is what database/sql can use of the driver's connections.
type driverConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
	sqlite.HookRegisterer
	sqlite.DBStatus
}

// conn is a connection of the driver that keeps the statements that ran last,
// that knows when a transaction is over, and that sends what was appended to it. SQLite takes longer to prepare a
// short statement than to run it, and neither handlers nor producers can prepare
// theirs: their transactions are ours.
type conn struct {
	driverConn
	store *Store
	kept  map[string]*kept
	runs  uint64
	args  []driver.NamedValue
	interrupter

	immediate bool // its transactions begin with the write lock

	open   bool // database/sql has a transaction on it
	locked bool // which has the write lock
	ending bool // which database/sql is committing or rolling back
	over   bool // which has ended without it
	whose  *txn // what it is to the store, if the store has begun it
	shared bool // by several producers

	ids  idLog
	owed int // ids that are to be moved
	appending
}

// kept is a prepared statement.
type kept struct {
	driver.Stmt
	last uint64 // the run that used it last
	busy bool   // its rows are being read
}

// keepMost is how many statements a connection keeps, keepLongest the longest
// text that it looks up.
const (
	keepMost    = 200
	keepLongest = 4096
)

// Unwrap gives the driver's own connection, for what only it can do: sql.Conn's
// Raw hands out this one.
func (c *conn) Unwrap() driver.Conn { return c.driverConn }

// Close implements driver.Conn.
func (c *conn) Close() error {
	c.stop()
	var err error
	for _, k := range c.kept {
		err = errors.Join(err, k.Close())
	}
	clear(c.kept)
	return errors.Join(err, c.driverConn.Close())
}

// inside is what a statement says, and its context holds the function, that is to
// get the connection of a *sql.Tx: nothing else tells. To SQLite it is nothing.
const inside = "-- evcontract: inside the transaction"

type insideKey struct{}

// ExecContext implements driver.ExecerContext.
func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if query == inside {
		if f, ok := ctx.Value(insideKey{}).(func(*conn) error); ok {
			return driver.ResultNoRows, f(c)
		}
	}
	if c.over {
		return nil, errOver
	}
	k, err := c.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	var res driver.Result
	err = c.run(ctx, query, func(ctx context.Context) (err error) {
		if k == nil {
			res, err = c.driverConn.ExecContext(ctx, query, args)
		} else {
			res, err = k.Stmt.(driver.StmtExecContext).ExecContext(ctx, args)
		}
		return err
	})
	return res, err
}

// QueryContext implements driver.QueryerContext.
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if c.over {
		return nil, errOver
	}
	k, err := c.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	var r driver.Rows
	err = c.run(ctx, query, func(ctx context.Context) (err error) { // up to the first row
		if k == nil {
			r, err = c.driverConn.QueryContext(ctx, query, args)
		} else {
			r, err = k.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
		}
		return err
	})
	if err != nil || k == nil {
		return r, err
	}
	k.busy = true
	return &rows{driverRows: r.(driverRows), of: k}, nil
}

// run runs a statement. One that may wait for a lock is left to the driver.
func (c *conn) run(ctx context.Context, query string, f func(context.Context) error) error {
	if !c.locked {
		return f(ctx)
	}
	spare := 0
	if c.shared && mayWrite(query) {
		spare = spareLooks
	}
	return c.interrupter.run(ctx, spare, f)
}

// statement is the kept statement of a text, which is prepared if it is new. It
// is nil for a text that is not kept, and while somebody reads its rows.
func (c *conn) statement(ctx context.Context, query string) (*kept, error) {
	c.runs++
	k := c.kept[query]
	switch {
	case k != nil && k.busy:
		return nil, nil
	case k != nil:
		k.last = c.runs
		return k, nil
	case len(query) > keepLongest || !worthKeeping(query):
		return nil, nil
	}
	s, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	c.makeRoom()
	k = &kept{Stmt: s, last: c.runs}
	c.kept[strings.Clone(query)] = k
	return k, nil
}

// makeRoom gives up the statement that was not used for longest.
func (c *conn) makeRoom() {
	if len(c.kept) < keepMost {
		return
	}
	var oldest string
	for query, k := range c.kept {
		if o := c.kept[oldest]; !k.busy && (o == nil || k.last < o.last) {
			oldest = query
		}
	}
	if k := c.kept[oldest]; k != nil {
		delete(c.kept, oldest)
		_ = k.Close() // it reports what its last run reported
	}
}

// verb is the first word of a statement, in upper case; empty where something
// else stands in front of it.
func verb(query string) string {
	query = strings.TrimLeft(query, " \t\r\n")
	end := strings.IndexFunc(query, func(r rune) bool { return r < 'A' || r > 'z' })
	if end < 0 {
		return ""
	}
	return strings.ToUpper(query[:end])
}

// mayWrite reports whether a statement may: when one that does is interrupted,
// SQLite rolls its transaction back.
func mayWrite(query string) bool { return verb(query) != "SELECT" }

// worthKeeping leaves out what is rare: pragmas and changes of the schema.
func worthKeeping(query string) bool {
	switch verb(query) {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH", "SAVEPOINT", "RELEASE", "ROLLBACK":
		return true
	}
	return false
}

// driverRows is what database/sql can use of the driver's rows.
type driverRows interface {
	driver.Rows
	driver.RowsColumnTypeDatabaseTypeName
	driver.RowsColumnTypeLength
	driver.RowsColumnTypeNullable
	driver.RowsColumnTypePrecisionScale
	driver.RowsColumnTypeScanType
}

// rows are those of a kept statement.
type rows struct {
	driverRows
	of *kept
}

func (r *rows) Close() error {
	r.of.busy = false
	return r.driverRows.Close()
}

// exec runs a statement of the open transaction without what database/sql adds
// to it, which costs as much as a short statement does. The arguments are int64,
// string, []byte or nil.
func (c *conn) exec(query string, args ...driver.Value) (changed int64, err error) {
	changed, _, err = c.execRow(query, args)
	return changed, err
}

// insert is exec for one row, whose number it returns; 0 if there is none.
func (c *conn) insert(query string, args ...driver.Value) (id int64, err error) {
	changed, res, err := c.execRow(query, args)
	if err != nil || changed == 0 {
		return 0, err
	}
	return res.LastInsertId()
}

func (c *conn) execRow(query string, args []driver.Value) (changed int64, res driver.Result, err error) {
	if !c.open {
		return 0, nil, sql.ErrTxDone
	}
	if res, err = c.ExecContext(context.Background(), query, c.numbered(args)); err != nil {
		return 0, nil, err
	}
	changed, err = res.RowsAffected()
	return changed, res, err
}

// query is exec for a statement that returns rows: f is given each, and must
// not keep what it is given.
func (c *conn) query(query string, f func(row []driver.Value) error, args ...driver.Value) error {
	if !c.open {
		return sql.ErrTxDone
	}
	return c.each(context.Background(), query, f, args...)
}

// each is query outside of a transaction.
func (c *conn) each(ctx context.Context, query string, f func(row []driver.Value) error, args ...driver.Value) (err error) {
	r, err := c.QueryContext(ctx, query, c.numbered(args))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	row := make([]driver.Value, len(r.Columns()))
	for {
		if err := r.Next(row); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if err := f(row); err != nil {
			return err
		}
	}
}

func (c *conn) numbered(args []driver.Value) []driver.NamedValue {
	c.args = c.args[:0]
	for i, v := range args {
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	return c.args
}
