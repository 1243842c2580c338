package source

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
)

// largeSchema is a JSON Schema of some 300 KB, indented as people keep them.
func largeSchema(tb testing.TB) []byte {
	properties := map[string]any{}
	for i := range 1000 {
		properties[fmt.Sprintf("property_%d", i)] = map[string]any{
			"type": []string{"string", "null"}, "minLength": i, "description": "What it is \"called\", in größter Länge.",
			"enum": []any{"a", 1.5, nil, true}, "title": strings.Repeat("title ", 5),
		}
	}
	data, err := json.MarshalIndent(map[string]any{"type": "object", "properties": properties}, "", "  ")
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func BenchmarkParseJSON(b *testing.B) {
	data := largeSchema(b)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, errs := ParseJSON("f.json", data); len(errs) > 0 {
			b.Fatal(errs[0])
		}
	}
}

// BenchmarkStandardTokens is what ParseJSON is compared with: the only way of
// the standard library that tells offsets.
func BenchmarkStandardTokens(b *testing.B) {
	data := largeSchema(b)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		for {
			if _, err := dec.Token(); err == io.EOF {
				break
			} else if err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkStandardAny(b *testing.B) {
	data := largeSchema(b)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			b.Fatal(err)
		}
	}
}

const benchManifest = `event: OrderPaid.v1
summary: An order was paid in full.
owner: team-orders
identity:
  event_id: event_id
  aggregate: {type: order, id: order_id, version: aggregate_version}
  idempotency_key: [payment_id]
channel: {topic: orders.events, encoding: json}
`

func BenchmarkParseYAML(b *testing.B) {
	b.SetBytes(int64(len(benchManifest)))
	b.ReportAllocs()
	for b.Loop() {
		if _, errs := ParseYAML("f.yaml", []byte(benchManifest)); len(errs) > 0 {
			b.Fatal(errs[0])
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	n, errs := ParseYAML("f.yaml", []byte("owner: me\nname: x\ninner: {id: a, count: 3}\nlist: [1, 2, 3]\nmap: {a: 1}\nflag: true\n"))
	if len(errs) > 0 {
		b.Fatal(errs[0])
	}
	b.ReportAllocs()
	for b.Loop() {
		var m manifest
		if errs := Decode(n, &m); len(errs) > 0 {
			b.Fatal(errs[0])
		}
	}
}

// benchRepository has 1,000 files and two commits on main.
func benchRepository(b *testing.B) string {
	r := emptyRepository(b)
	for i := range 1000 {
		r.write(fmt.Sprintf("f%d", i), strings.Repeat(fmt.Sprint(i), 500))
	}
	r.commit("1")
	r.commit("2")
	return r.dir
}

// BenchmarkOpenGit opens a ref of a repository and reads one file of it.
func BenchmarkOpenGit(b *testing.B) {
	r := benchRepository(b)
	for b.Loop() {
		t, err := Open(b.Context(), "main", Options{Dir: r})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := t.ReadFile("f1"); err != nil {
			b.Fatal(err)
		}
		t.Close()
	}
}

// BenchmarkGitReadFile reads 1,000 files of one tree.
func BenchmarkGitReadFile(b *testing.B) {
	t, err := Open(b.Context(), "main", Options{Dir: benchRepository(b)})
	if err != nil {
		b.Fatal(err)
	}
	defer t.Close()
	for b.Loop() {
		for i := range 1000 {
			if _, err := t.ReadFile(fmt.Sprintf("f%d", i)); err != nil {
				b.Fatal(err)
			}
		}
	}
}
