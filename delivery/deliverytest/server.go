package deliverytest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
)

// Binaries names the environment variable that holds the folder of initdb and
// pg_ctl. Where it isn't set they are looked for where Debian has them, and in
// the path.
const Binaries = "EVCONTRACT_POSTGRES_BIN"

// Server is a PostgreSQL server that a drill started and may crash. It is
// reached through a socket in a temporary folder, and by nothing else.
type Server struct {
	dir string
	bin string
	as  *syscall.SysProcAttr // whom it runs as
}

// StartServer makes an empty server. Its error wraps ErrSkipped where there is
// none to be started.
func StartServer(ctx context.Context) (s *Server, err error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "drill") // a short path: a socket's name has 107 bytes
	if err != nil {
		return nil, err
	}
	s = &Server{dir: dir, bin: bin}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	if s.as, err = unprivileged(dir); err != nil {
		return nil, err
	}
	if err := s.run(ctx, "initdb", "-D", s.data(), "-A", "trust", "-U", "postgres", "--no-sync"); err != nil {
		return nil, err
	}
	// A commit that isn't waited for stays in memory for long.
	config := fmt.Sprintf("listen_addresses = ''\nunix_socket_directories = '%s'\nwal_writer_delay = 10s\n", dir)
	f, err := os.OpenFile(filepath.Join(s.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	_, err = f.WriteString(config)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	return s, s.start(ctx)
}

// binaries is the folder of initdb and pg_ctl.
func binaries() (string, error) {
	dirs, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return "", err
	}
	slices.Sort(dirs)
	slices.Reverse(dirs) // the newest first
	if dir := os.Getenv(Binaries); dir != "" {
		dirs = []string{dir}
	} else if path, err := exec.LookPath("initdb"); err == nil {
		dirs = append(dirs, filepath.Dir(path))
	}
	for _, dir := range dirs {
		_, noInit := os.Stat(filepath.Join(dir, "initdb"))
		_, noControl := os.Stat(filepath.Join(dir, "pg_ctl"))
		if noInit == nil && noControl == nil {
			return dir, nil
		}
	}
	return "", fmt.Errorf("%w: it crashes a PostgreSQL server of its own, and no initdb and pg_ctl were found: set %s to their folder", ErrSkipped, Binaries)
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// Source is how a client connects to it.
func (s *Server) Source() string { return "host=" + s.dir + " user=postgres dbname=postgres" }

func (s *Server) run(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, name), args...)
	cmd.Dir, cmd.SysProcAttr = s.dir, s.as
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}

func (s *Server) start(ctx context.Context) error {
	return s.run(ctx, "pg_ctl", "-D", s.data(), "-l", filepath.Join(s.dir, "log"), "-w", "start")
}

func (s *Server) end(ctx context.Context) error {
	return s.run(ctx, "pg_ctl", "-D", s.data(), "-m", "immediate", "stop")
}

// Crash ends the server without a warning, so that what it has in memory only
// is gone, and starts it again.
func (s *Server) Crash(ctx context.Context) error { return errors.Join(s.end(ctx), s.start(ctx)) }

// Stop ends the server and removes what it had.
func (s *Server) Stop() error {
	return errors.Join(s.end(context.Background()), os.RemoveAll(s.dir))
}
