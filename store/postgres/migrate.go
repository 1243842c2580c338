package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
)

// migrations are applied in the order of their names, all in one transaction
// with the version that they make. A migration only adds, so that a program of
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

// Locks of this package, as PostgreSQL's advisory locks name them beside the
// schema: services that share a database don't wait for each other.
const (
	lockMigrate int32 = 0x65766301
	lockRelays  int32 = 0x65766302
	lockTopics  int32 = 0x65766303
)

func (s *Store) migrate(ctx context.Context) error {
	// Others that start at the same time wait for as long as it takes.
	const patient = "SELECT set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true)"
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	return s.pool.with(ctx, func(conn *pgx.Conn) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, patient); err != nil {
				return err
			}
			version, least, err := tablesVersion(ctx, tx)
			if err != nil {
				return err
			}
			if least > len(names) {
				return fmt.Errorf("tables of version %d, this program knows %d: %w", version, len(names), ErrNewer)
			}
			for _, name := range names[min(version, len(names)):] {
				text, err := migrations.ReadFile(name)
				if err != nil {
					return err
				}
				if _, err := tx.Conn().PgConn().Exec(ctx, string(text)).ReadAll(); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
			_, err = tx.Exec(ctx, "UPDATE evc_meta SET version = $1 WHERE version < $1", len(names))
			return err
		})
	})
}

// present reports how a database falls short of being one of this version.
func present(ctx context.Context, conn *pgx.Conn) error {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	var version, least int
	var have bool
	err = conn.QueryRow(ctx, "SELECT to_regclass('evc_meta') IS NOT NULL").Scan(&have)
	if err == nil && have {
		err = conn.QueryRow(ctx, "SELECT version, least FROM evc_meta").Scan(&version, &least)
	}
	switch {
	case err != nil:
		return err
	case version == 0:
		return ErrNoTables
	case version < len(names):
		return fmt.Errorf("tables of version %d, this program knows %d: %w", version, len(names), ErrOlder)
	case least > len(names):
		return fmt.Errorf("tables of version %d, this program knows %d: %w", version, len(names), ErrNewer)
	}
	return nil
}

func tablesVersion(ctx context.Context, tx pgx.Tx) (version, least int, err error) {
	if _, err := tx.Exec(ctx, takeLock, lockMigrate); err != nil {
		return 0, 0, err
	}
	var have bool
	if err := tx.QueryRow(ctx, "SELECT to_regclass('evc_meta') IS NOT NULL").Scan(&have); err != nil {
		return 0, 0, err
	}
	if !have {
		if _, err := tx.Exec(ctx, "CREATE TABLE evc_meta (version int NOT NULL, least int NOT NULL DEFAULT 1)"); err != nil {
			return 0, 0, err
		}
		if _, err := tx.Exec(ctx, "INSERT INTO evc_meta (version) VALUES (0)"); err != nil {
			return 0, 0, err
		}
	}
	err = tx.QueryRow(ctx, "SELECT version, least FROM evc_meta").Scan(&version, &least)
	return version, least, err
}
