package evcontract_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// BenchmarkRollout runs the whole program on a repository of 30 services with
// three releases each: every one sends an event that five others read, so that
// what is asked is asked of real schemas from git.
func BenchmarkRollout(b *testing.B) {
	const services = 30
	program, dir := filepath.Join(b.TempDir(), "evcontract"), b.TempDir()
	if out, err := exec.Command("go", "build", "-o", program, "./cmd/evcontract").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	write := func(name, text string) {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-c", "user.name=evcontract", "-c", "user.email=evcontract@example.com"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q", "-b", "main")
	prod := ""
	for i := range services {
		prod += fmt.Sprintf("s%d: v2\n", i)
	}
	write("evcontract.yaml", "contracts: contracts\nenvironments: {prod: prod.yaml}\n")
	write("prod.yaml", prod)
	status := []string{`"new"`, `"new", "paid"`, `"new", "paid", "sent"`}
	for release := range 3 {
		for i := range services {
			write(fmt.Sprintf("contracts/e%d.event.yaml", i), fmt.Sprintf(
				"event: E%d.v1\nproducer: s%d\nstatus: stable\nschema: e%d.schema.json\nidentity: {event_id: id}\nchannel: {topic: t%d, encoding: json}\n", i, i, i, i))
			write(fmt.Sprintf("contracts/e%d.schema.json", i), fmt.Sprintf(
				`{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "required": ["id"], "properties": {"id": {"type": "string"}, "status": {"enum": [%s]}, "n%d": {"type": "integer"}}}`,
				status[release], release))
			reads := ""
			for j := 1; j <= 5; j++ {
				reads += fmt.Sprintf("  - {event: E%d.v1, fields: [id, status], unknown_enums: %s}\n", (i+j)%services, []string{"ignore", "reject"}[(i+j)%services/15*(1-i/15)])
			}
			write(fmt.Sprintf("contracts/s%d.consumer.yaml", i), fmt.Sprintf("consumer: s%d\nreads:\n%s", i, reads))
		}
		git("add", ".")
		git("commit", "-q", "-m", "release")
		git("tag", fmt.Sprintf("v%d", release+1))
	}
	for _, c := range []struct {
		name string
		args []string
	}{
		{"version", []string{"version"}},
		{"30services", []string{"rollout", "--env", "prod", "--to", "v3"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				cmd := exec.Command(program, c.args...)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
			}
		})
	}
}
