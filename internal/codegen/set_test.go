package codegen

import (
	"os"
	"testing"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/source"
)

// loadSet reads the workspace in a directory.
func loadSet(t testing.TB, dir string) *contract.Set {
	t.Helper()
	tree, err := source.Open(t.Context(), dir, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	set, err := load.Set(t.Context(), tree, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range set.Findings {
		t.Fatal(f.New, f.Message)
	}
	return set
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
