//go:build linux

package sqlite_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/evcontract/evcontract/delivery/deliverytest"
)

// TestSmallDisk runs the drill of a full disk on a file system that is really
// full: a tmpfs of two megabytes with ballast in it.
func TestSmallDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("a tmpfs cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	ballast := filepath.Join(dir, "ballast")
	for _, d := range deliverytest.AllDrills() {
		if d.Name != "the disk is full" {
			continue
		}
		r := d.Run(t.Context(), deliverytest.Options{Fresh: func(context.Context) (*deliverytest.Database, error) {
			db, err := open(filepath.Join(dir, "test.db"))
			if err != nil {
				return nil, err
			}
			db.Fill = func(_ context.Context, full bool) error {
				if !full {
					return os.Remove(ballast)
				}
				return fillUp(ballast, dir, 200<<10)
			}
			return db, nil
		}})
		for _, e := range r.Evidence {
			t.Logf("%-50s %s", e.What, e.Shows)
		}
		if !r.Passed() {
			t.Errorf("%s %v %v", r.Skipped, r.Err, r.Broken)
		}
		return
	}
	t.Error("there is no such drill")
}

// fillUp leaves so many bytes free.
func fillUp(ballast, dir string, free int) error {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return err
	}
	n := int(fs.Bavail)*int(fs.Bsize) - free
	if n <= 0 {
		return errors.New("less than that is free already")
	}
	return os.WriteFile(ballast, make([]byte, n), 0o600)
}
