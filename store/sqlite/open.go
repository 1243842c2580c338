// Package sqlite keeps outbox, inbox and the business tables of a service in
// one SQLite file, through the pure-Go driver modernc.org/sqlite.
//
// One connection writes: database/sql is its queue, every transaction begins
// IMMEDIATE, so that a transaction that reads first can still wait for the lock,
// and every commit is synced (WAL, synchronous=FULL). Other connections only
// read. Several processes may open one file.
//
// A handler or a business transaction must do all its writing through its own
// transaction: a second writer in the same goroutine waits for itself.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"runtime"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/evcontract/evcontract/delivery"
)

// Store is one open database. It is safe for concurrent use.
type Store struct {
	// Now is the clock of leases, pauses and deadlines; tests set it, before
	// the store is used. Nil is the time of this host, which every process that
	// has the file open shares.
	Now func() time.Time

	write   *sql.DB
	read    *sql.DB
	wakers  delivery.Wakers
	written chan struct{} // something was, to the log
	commits chan *member  // waiting for a group commit
	closing chan struct{}
	once    sync.Once
	running sync.WaitGroup

	mu        sync.Mutex
	consumers map[string]int64

	// Of whoever has the writing connection:
	recents map[int64]*recent // by consumer
	parked  map[int64]parkedCount
	sieve   sieve
	moveAt  int

	moveIDsAt, moveIDsLeast int
}

var _ delivery.Store = (*Store)(nil)

// Open opens or creates the database at path and brings its tables up to date.
// It refuses a database whose tables are newer than this program.
func Open(path string) (*Store, error) {
	if path == "" || path == ":memory:" {
		return nil, errors.New("sqlite: a database in memory has one connection and survives no crash: give a path")
	}
	s := &Store{
		written: make(chan struct{}, 1),
		commits: make(chan *member), closing: make(chan struct{}), consumers: map[string]int64{},
		recents: map[int64]*recent{}, parked: map[int64]parkedCount{}, moveAt: moveAt, sieve: sieve{least: sieveLeast}, moveIDsAt: moveIDsAt, moveIDsLeast: moveIDsLeast,
	}
	if err := s.open(path); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), s.Close())
	}
	s.running.Go(s.committer)
	s.running.Go(s.checkpoints)
	return s, nil
}

// Attach opens a database that has the tables already, as somebody does who looks
// at a running system: it makes no file and no table, and leaves alone what is no
// database of this package.
func Attach(path string) (*Store, error) {
	if err := present(path); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return Open(path)
}

// present reports how a database falls short of being one of this version.
func present(path string) error {
	switch info, err := os.Stat(path); {
	case err != nil:
		return errors.Unwrap(err) // the path is said already
	case info.IsDir():
		return errors.New("a folder is no database")
	}
	db, err := sql.Open("sqlite", dsn(path, "mode=ro"))
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // it only read
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	var version int
	var have bool
	err = db.QueryRow("SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'evc_meta')").Scan(&have)
	if err == nil && have {
		err = db.QueryRow("SELECT version FROM evc_meta").Scan(&version)
	}
	switch {
	case err != nil:
		return err
	case version == 0:
		return ErrNoTables
	case version < len(names):
		return fmt.Errorf("tables of version %d, this program knows %d: %w", version, len(names), ErrOlder)
	}
	return nil
}

func (s *Store) open(path string) (err error) {
	if s.write, err = s.openDB(dsn(path, writing...), true); err != nil {
		return err
	}
	s.write.SetMaxOpenConns(1)
	s.write.SetMaxIdleConns(1)
	if err := patient(func() error { return migrate(context.Background(), s.write) }); err != nil {
		return err
	}
	if s.read, err = s.openDB(dsn(path, "_pragma=query_only(1)"), false); err != nil {
		return err
	}
	s.read.SetMaxOpenConns(2 + runtime.GOMAXPROCS(0))
	return nil
}

// patient tries again while the database is locked. SQLite waits by itself, but
// not where two make a new database: who changes the journal's mode is refused.
func patient(f func() error) error {
	const longest, between = 10 * time.Second, 10 * time.Millisecond
	for begun := time.Now(); ; pause(context.Background(), between) {
		err := f()
		var refused *sqlite.Error
		if !errors.As(err, &refused) || refused.Code()&0xff != sqlite3.SQLITE_BUSY || time.Since(begun) > longest {
			return err
		}
	}
}

// writing has a cache of 16 MB. A larger one gains nothing: after a commit for
// which it has put pages in order, SQLite looks through the whole of it.
var writing = []string{"_pragma=journal_mode(WAL)", "_pragma=cache_size(-16000)", fmt.Sprintf("_pragma=wal_autocheckpoint(%d)", checkpointLate)}

func dsn(path string, more ...string) string {
	name := "file:" + (&url.URL{Path: path}).EscapedPath() +
		"?_pragma=busy_timeout(10000)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)"
	for _, m := range more {
		name += "&" + m
	}
	return name
}

// Close waits for what InTx runs. Other transactions that are under way come to
// their end, and no new one begins.
func (s *Store) Close() error {
	var err error
	s.once.Do(func() {
		close(s.closing)
		s.running.Wait()
		for _, db := range []*sql.DB{s.read, s.write} {
			if db != nil {
				err = errors.Join(err, db.Close())
			}
		}
	})
	return err
}

// DB is the writing connection, for the user's own tables. It is one
// connection: a transaction that is open on it makes all others wait.
func (s *Store) DB() *sql.DB { return s.write }

// Reader is a pool of connections that cannot write and that wait for nobody.
func (s *Store) Reader() *sql.DB { return s.read }

// now is the store's time in microseconds.
func (s *Store) now() int64 {
	if s.Now == nil {
		return time.Now().UnixMicro()
	}
	return s.Now().UnixMicro()
}

func since(now, then int64) time.Duration { return time.Duration(now-then) * time.Microsecond }

func micros(d time.Duration) int64 { return d.Microseconds() }

func instant(us int64) time.Time { return time.UnixMicro(us).UTC() }
