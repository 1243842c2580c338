package evcontract_test

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// BenchmarkCommand runs the whole program on the example, as a CI does. What a
// command costs is told against version, which does nothing.
func BenchmarkCommand(b *testing.B) {
	program := filepath.Join(b.TempDir(), "evcontract")
	if out, err := exec.Command("go", "build", "-o", program, "./cmd/evcontract").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for _, c := range []struct {
		name string
		args []string
	}{
		{"version", []string{"version"}},
		{"lint", []string{"lint"}},
		{"check", []string{"check", "--against", "HEAD"}},
		{"generate", []string{"generate", "--check"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if out, err := exec.Command(program, c.args...).CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
			}
		})
	}
}
