//go:build unix

package source_test

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/evcontract/evcontract/internal/source"
)

// A named pipe that nobody writes into is refused, not waited for.
func TestNamedPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.proto"), 0o600); err != nil {
		t.Skip(err)
	}
	tree, err := source.Open(context.Background(), dir, source.Options{PathOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	if _, err := tree.ReadFile("pipe.proto"); err == nil || !strings.Contains(err.Error(), "pipe.proto: not a regular file") {
		t.Fatalf("got %v, want a refusal", err)
	}
}
