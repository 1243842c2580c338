package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/evcontract/evcontract/event"
)

// Tx is a transaction of the store. It is a pgx.Tx whose Commit and Rollback
// refuse, because the store ends it, with a queue: what is queued is sent with
// the next statement that needs an answer, at the latest with the commit.
type Tx struct {
	conn  *pgx.Conn
	store *Store
	queue *pgx.Batch
	begun bool // BEGIN is at least in the queue
	sent  bool // it has been carried out
	wrote bool // something was appended

	// What a flush failed of: nothing may be sent behind it, because a batch that
	// failed while it was prepared has not even begun the transaction.
	broken error
}

var _ pgx.Tx = (*Tx)(nil)

var (
	errNotYours = errors.New("postgres: the transaction belongs to the store: return an error to roll it back, nil to commit it")
	errEnded    = errors.New("postgres: a statement ended the transaction, which belongs to the store")
)

// Queue sends a statement with the next one that needs an answer. Its error, if
// it has one, comes from there.
func (t *Tx) Queue(sql string, args ...any) {
	t.begin()
	if endsTransaction(sql) {
		t.broken = errNotYours
		return
	}
	t.queue.Queue(sql, args...)
}

func (t *Tx) begin() {
	if !t.begun {
		t.begun = true
		t.queue.Queue("begin")
	}
}

// flush sends what is queued and waits for it.
func (t *Tx) flush(ctx context.Context) error {
	t.begin()
	if t.broken != nil {
		return fmt.Errorf("%w: %w", errAborted, t.broken)
	}
	if t.queue.Len() == 0 {
		return t.open()
	}
	if err := t.open(); err != nil {
		return err
	}
	batch := t.queue
	t.queue = &pgx.Batch{}
	t.broken = t.conn.SendBatch(ctx, batch).Close()
	t.sent = t.sent || t.broken == nil
	return t.broken
}

// open makes sure that nothing is carried out behind the end of the transaction,
// where each statement would be one of its own.
func (t *Tx) open() error {
	if t.sent && t.conn.PgConn().TxStatus() == 'I' {
		t.broken = errEnded
	}
	return t.broken
}

// may refuses a statement that would end the transaction. With it would be
// committed what belongs to others: the keys of events that nobody has handled
// yet.
func (t *Tx) may(sql string) error {
	if endsTransaction(sql) {
		return errNotYours
	}
	return t.open()
}

// endsTransaction reports whether a statement begins or ends a transaction. The
// server takes no second statement in a text that it prepares.
func endsTransaction(sql string) bool {
	words := strings.Fields(strings.ToUpper(uncommented(sql)))
	if len(words) == 0 {
		return false
	}
	switch strings.TrimRight(words[0], ";") {
	case "COMMIT", "END", "ABORT", "BEGIN", "START":
		return true
	case "ROLLBACK":
		return !slices.Contains(words, "TO")
	case "PREPARE":
		return len(words) > 1 && words[1] == "TRANSACTION"
	}
	return false
}

// uncommented is the beginning of a statement, behind the comments in front of
// it: as much as it takes to tell statements apart.
func uncommented(sql string) string {
	for {
		sql = strings.TrimLeft(sql, " \t\r\n\f\v;")
		switch {
		case strings.HasPrefix(sql, "--"):
			_, sql, _ = strings.Cut(sql, "\n")
		case strings.HasPrefix(sql, "/*"):
			sql = sql[commentEnd(sql):]
		default:
			return sql[:min(len(sql), 100)]
		}
	}
}

// commentEnd is where the comment that s begins with ends; comments nest.
func commentEnd(s string) int {
	depth := 0
	for i := 0; i+1 < len(s); i++ {
		switch s[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(s)
}

// plain runs a statement without parameters and without preparing it, which a
// failed transaction refuses.
func (t *Tx) plain(ctx context.Context, sql string) error {
	_, err := t.conn.PgConn().Exec(ctx, sql).ReadAll()
	return err
}

var errAborted = errors.New("postgres: a statement of the transaction failed and its error was not returned")

// end commits, or rolls back what f's error says. The commit travels with what
// is queued: when something in front of it fails it isn't carried out.
func (t *Tx) end(ctx context.Context, err error) error {
	if err == nil && t.conn.PgConn().TxStatus() == 'E' {
		err = errAborted // a commit would roll back and say that it did so as if that were all right
	}
	if err == nil && t.begun {
		t.queue.Queue("commit")
		err = t.flush(ctx)
	}
	if err != nil && t.conn.PgConn().TxStatus() != 'I' && !t.conn.IsClosed() {
		_ = t.plain(context.WithoutCancel(ctx), "rollback") // else the pool ends the connection
	}
	return err
}

// begin runs f in a transaction of the store's own.
func (s *Store) begin(ctx context.Context, f func(*Tx) error) error {
	return s.pool.with(ctx, func(conn *pgx.Conn) error {
		t := &Tx{conn: conn, store: s, queue: &pgx.Batch{}}
		err := t.end(ctx, f(t))
		if err == nil && t.wrote {
			s.nudge()
		}
		return err
	})
}

// persist is begin for what a person asks for. It may hold rows of very many
// lanes, and an inbox some of the same in another order: then one of the two
// fails, and tries again.
func (s *Store) persist(ctx context.Context, f func(*Tx) error) error {
	const tries = 5
	for try := 1; ; try++ {
		if err := s.begin(ctx, f); !raced(err) || try == tries {
			return err
		}
	}
}

// InTx runs f in a transaction that commits when f returns nil. Events that are
// appended to it travel with the commit, in one round trip; their receipts
// cannot say yet whether they are duplicates, and what is wrong with one of them
// is InTx's error.
func (s *Store) InTx(ctx context.Context, f func(ctx context.Context, tx *Tx) error) error {
	return s.begin(ctx, func(t *Tx) error { return f(ctx, t) })
}

// Exec implements pgx.Tx. It takes one round trip with what is queued.
func (t *Tx) Exec(ctx context.Context, sql string, args ...any) (tag pgconn.CommandTag, err error) {
	t.begin()
	if err := t.may(sql); err != nil {
		return tag, err
	}
	if t.queue.Len() == 0 {
		return t.conn.Exec(ctx, sql, args...)
	}
	t.queue.Queue(sql, args...).Exec(func(got pgconn.CommandTag) error {
		tag = got
		return nil
	})
	err = t.flush(ctx)
	return tag, err
}

// Query implements pgx.Tx.
func (t *Tx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if endsTransaction(sql) {
		return nil, errNotYours
	}
	if err := t.flush(ctx); err != nil {
		return nil, err
	}
	return t.conn.Query(ctx, sql, args...)
}

// QueryRow implements pgx.Tx. It takes one round trip with what is queued.
func (t *Tx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	t.begin()
	if err := t.may(sql); err != nil {
		return failedRow{err}
	}
	if t.queue.Len() == 0 {
		return t.conn.QueryRow(ctx, sql, args...)
	}
	return queuedRow{ctx, t, t.queue.Queue(sql, args...)}
}

// queuedRow is sent when it is scanned, as a row of pgx is read.
type queuedRow struct {
	ctx context.Context
	t   *Tx
	q   *pgx.QueuedQuery
}

func (r queuedRow) Scan(into ...any) error {
	r.q.QueryRow(func(row pgx.Row) error { return row.Scan(into...) })
	return r.t.flush(r.ctx)
}

type failedRow struct{ err error }

func (r failedRow) Scan(...any) error { return r.err }

// SendBatch implements pgx.Tx.
func (t *Tx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	if slices.ContainsFunc(b.QueuedQueries, func(q *pgx.QueuedQuery) bool { return endsTransaction(q.SQL) }) {
		return failedBatch{errNotYours}
	}
	if err := t.flush(ctx); err != nil {
		return failedBatch{err}
	}
	return t.conn.SendBatch(ctx, b)
}

type failedBatch struct{ err error }

func (b failedBatch) Exec() (pgconn.CommandTag, error) { return pgconn.CommandTag{}, b.err }
func (b failedBatch) Query() (pgx.Rows, error)         { return nil, b.err }
func (b failedBatch) QueryRow() pgx.Row                { return failedRow(b) }
func (b failedBatch) Close() error                     { return b.err }
func (b failedBatch) Tx() pgx.Tx                       { return nil }

// CopyFrom implements pgx.Tx.
func (t *Tx) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, src pgx.CopyFromSource) (int64, error) {
	if err := t.flush(ctx); err != nil {
		return 0, err
	}
	return t.conn.CopyFrom(ctx, table, columns, src)
}

// Prepare implements pgx.Tx.
func (t *Tx) Prepare(ctx context.Context, name, sql string) (*pgconn.StatementDescription, error) {
	if endsTransaction(sql) {
		return nil, errNotYours
	}
	if err := t.flush(ctx); err != nil {
		return nil, err
	}
	return t.conn.Prepare(ctx, name, sql)
}

// LargeObjects implements pgx.Tx; the store's transactions have none.
func (t *Tx) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }

// Conn implements pgx.Tx. What is queued has not been sent to it.
func (t *Tx) Conn() *pgx.Conn { return t.conn }

// Begin implements pgx.Tx: it refuses, the store undoes events one by one itself.
func (t *Tx) Begin(context.Context) (pgx.Tx, error) { return nil, errNotYours }

// Commit implements pgx.Tx: it refuses.
func (t *Tx) Commit(context.Context) error { return errNotYours }

// Rollback implements pgx.Tx: it refuses.
func (t *Tx) Rollback(context.Context) error { return errNotYours }

// From is the transaction of a handler. From panics for a transaction of another store: the wiring of the
// program is wrong.
func From(tx event.Tx) pgx.Tx {
	switch t := tx.(type) {
	case own:
		return t.Tx
	case given:
		return t.tx
	}
	panic(fmt.Sprintf("postgres.From: %T is not a transaction of pgx: run the consumer on postgres.Open's store", tx))
}

// FromQueue is From for handlers that queue their statements:
// orders.Loyalty[*postgres.Tx]{…}.Consumer(postgres.FromQueue).
func FromQueue(tx event.Tx) *Tx {
	t, ok := tx.(own)
	if !ok {
		panic(fmt.Sprintf("postgres.FromQueue: %T is not a transaction of a store: run the consumer on postgres.Open's store", tx))
	}
	return t.Tx
}
