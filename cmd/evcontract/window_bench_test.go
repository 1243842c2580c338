package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The size of a large team's workspace.
const (
	benchEvents    = 100
	benchConsumers = 20
	benchReleases  = 10
)

// BenchmarkCheckWindow is a check of 100 events, half of them JSON Schemas and
// half Protobuf, for 20 consumers against 10 releases, with git, files and all.
// Reads are the answers of the report, pairs the questions that were really
// judged for them. It is told against a check with the newest release only.
func BenchmarkCheckWindow(b *testing.B) {
	for _, c := range []struct {
		name    string
		changed int // events that each release changes
	}{{"a tenth changes", benchEvents / 10}, {"everything changes", benchEvents}} {
		dir := benchHistory(b, c.changed)
		for _, run := range []struct {
			name string
			args []string
		}{
			{"window", []string{"--window", "--as-of", "2026-11-30"}},
			{"newest", []string{"--against", fmt.Sprintf("v1.%d.0", benchReleases-1)}},
		} {
			b.Run(c.name+"/"+run.name, func(b *testing.B) { benchCheck(b, dir, run.args) })
		}
	}
}

func benchCheck(b *testing.B, dir string, args []string) {
	b.Chdir(dir)
	var report struct {
		Verdict string
		Reads   []struct{}
		Scope   *struct{ Pairs int }
	}
	for b.Loop() {
		var out, errs bytes.Buffer
		a := &app{out: &out, err: &errs, now: time.Now}
		if code := a.run(context.Background(), append([]string{"check", "--format", "json"}, args...)); code != exitClean {
			b.Fatalf("exit code %d: %s%s", code, errs.String(), out.String())
		}
		if err := json.Unmarshal(out.Bytes(), &report); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(report.Reads)), "reads")
	if report.Scope != nil {
		b.ReportMetric(float64(report.Scope.Pairs), "pairs")
	}
}

// benchHistory makes a repository of ten releases, each of which adds a field to
// some events.
func benchHistory(b *testing.B, changed int) string {
	dir := b.TempDir()
	write := func(name, text string) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-c", "gc.auto=0", "-c", "maintenance.auto=false"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write("evcontract.yaml", "repos: {orders: {path: ., tags: \"v*\"}}\nwindow: {retention: 365d}\n")
	for i := range benchConsumers {
		write(fmt.Sprintf("contracts/c%d.consumer.yaml", i), benchConsumer(i))
	}
	extra := make([]int, benchEvents)
	git("init", "-q", "-b", "main")
	for release := range benchReleases + 1 { // the last is what is checked
		for i := range extra {
			if release > 0 && i%(benchEvents/changed) == release%(benchEvents/changed) {
				extra[i]++
			}
			benchEvent(write, i, extra[i])
		}
		if release < benchReleases {
			git("add", "-A")
			git("commit", "-q", "--date=2026-11-01T00:00:00Z", "-m", "release")
			git("tag", fmt.Sprintf("v1.%d.0", release))
		}
	}
	return dir
}

func benchEvent(write func(name, text string), i, extra int) {
	manifest := fmt.Sprintf("event: E%d.v1\nsummary: s\nowner: o\nproducer: orders\nidentity: {event_id: id, aggregate: {type: order, id: order, version: n}, idempotency_key: [id], partition_key: order, occurred_at: at}\nchannel: {topic: t}\n", i)
	name := fmt.Sprintf("contracts/e%d", i)
	if i%2 == 0 {
		var more strings.Builder
		for k := range extra {
			fmt.Fprintf(&more, `, "x%d": {"type": "string", "maxLength": 40}`, k)
		}
		write(name+".event.yaml", fmt.Sprintf("%sschema: e%d.schema.json\n", manifest, i))
		write(name+".schema.json", `{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "required": ["id", "order", "n", "at"], "properties": {
  "id": {"type": "string"}, "order": {"type": "string"}, "n": {"type": "integer", "minimum": 1}, "at": {"type": "string"},
  "total": {"type": "integer", "minimum": 0}, "currency": {"type": "string", "pattern": "^[A-Z]{3}$"}, "method": {"enum": ["card", "cash"]},
  "lines": {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "string"}, "count": {"type": "integer"}}}}`+more.String()+"}}\n")
		return
	}
	var more strings.Builder
	for k := range extra {
		fmt.Fprintf(&more, "  string x%d = %d;\n", k, 20+k)
	}
	write(name+".event.yaml", fmt.Sprintf("%sschema: e%d.proto#e%d.E\n", manifest, i, i))
	write(name+".proto", fmt.Sprintf("syntax = \"proto3\";\npackage e%d;\nmessage E {\n  string id = 1;\n  string order = 2;\n  int64 n = 3;\n  string at = 4;\n  int64 total = 5;\n  string currency = 6;\n  Method method = 7;\n  repeated Line lines = 8;\n%s}\nmessage Line {\n  string sku = 1;\n  int32 count = 2;\n}\nenum Method {\n  METHOD_UNSPECIFIED = 0;\n  METHOD_CARD = 1;\n}\n", i, more.String()))
}

// benchConsumer reads a quarter of the events, some fields of each.
func benchConsumer(i int) string {
	fields := []string{"total", "currency", "method", `"lines[].sku"`, `"lines[].count"`}
	var b strings.Builder
	fmt.Fprintf(&b, "consumer: c%d\nowner: o\nreads:\n", i)
	for e := i % 4; e < benchEvents; e += 4 {
		fmt.Fprintf(&b, "  - {event: E%d.v1, fields: [%s, %s]}\n", e, fields[i%5], fields[(i+e)%5])
	}
	return b.String()
}
