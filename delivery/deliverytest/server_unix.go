//go:build unix

package deliverytest

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// unprivileged gives a folder to the user postgres, and a process to run as that
// user, where this one is root's: PostgreSQL refuses that.
func unprivileged(dir string) (*syscall.SysProcAttr, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("%w: it crashes a PostgreSQL server of its own, which refuses to run as root, and there is no user postgres: %w", ErrSkipped, err)
	}
	uid, _ := strconv.Atoi(u.Uid) // numbers, on every system that has a Uid
	gid, _ := strconv.Atoi(u.Gid)
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, os.Chown(dir, uid, gid)
}
