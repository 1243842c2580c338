package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
)

// migrations are applied in the order of their names, each in one transaction
// with the version that it makes. A migration only adds, so that a program of
// the version before it goes on working, is rolled back to, and starts on the
// newer tables. One that must break older programs sets evc_meta.least to its
// own number in its statements.
//
//go:embed migrations/*.sql
var migrations embed.FS

// ErrNewer is returned by Open for a database whose tables are newer than what
// this program can use.
var ErrNewer = errors.New("database is from a newer version of this program: upgrade the program")

// Attach refuses what it would have to change first.
var (
	ErrNoTables = errors.New("database has no tables of evcontract: a service or a relay has not been started on it")
	ErrOlder    = errors.New("database is from an older version: start the service, or a relay, of this version first")
)

func migrate(ctx context.Context, db *sql.DB) error {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	version, least, err := tablesVersion(ctx, tx)
	if err != nil {
		return err
	}
	if least > len(names) {
		return fmt.Errorf("tables of version %d, this program knows %d: %w", version, len(names), ErrNewer)
	}
	if version >= len(names) {
		return nil
	}
	for _, name := range names[version:] {
		if err := apply(ctx, tx, name); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, "UPDATE evc_meta SET version = ?", len(names)); err != nil {
		return err
	}
	return tx.Commit()
}

func tablesVersion(ctx context.Context, tx *sql.Tx) (version, least int, err error) {
	var have bool
	if err := tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'evc_meta')").Scan(&have); err != nil {
		return 0, 0, err
	}
	if !have {
		if _, err := tx.ExecContext(ctx, "CREATE TABLE evc_meta (version INTEGER NOT NULL, least INTEGER NOT NULL DEFAULT 1) STRICT; INSERT INTO evc_meta (version) VALUES (0)"); err != nil {
			return 0, 0, err
		}
	}
	err = tx.QueryRowContext(ctx, "SELECT version, least FROM evc_meta").Scan(&version, &least)
	return version, least, err
}

func apply(ctx context.Context, tx *sql.Tx, name string) error {
	text, err := migrations.ReadFile(name)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, string(text)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
