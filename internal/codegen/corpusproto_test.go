package codegen

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/source"
)

// protoEvent declares a message as an event whose whole identity travels
// outside the payload, so that any message can be one.
const protoEvent = `event: %s.v1
owner: o
producer: p
status: stable
schema: %s#%s
identity:
  event_id: ce:id
  aggregate: {type: x, id: ce:subject, version: ce:aggregateversion}
  idempotency_key: [ce:idempotencykey]
channel: {topic: t, encoding: protobuf}
`

var (
	protoMessage = regexp.MustCompile(`(?m)^message\s+(\w+)`)
	protoPackage = regexp.MustCompile(`(?m)^package\s+([\w.]+)`)
)

// TestRealProtosCompile generates producers and consumers for every top-level
// message of the corpora's Protobuf trees, and compiles what comes out.
func TestRealProtosCompile(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join(corpora(t), "proto", "*", "*", "new"))
	if err != nil {
		t.Fatal(err)
	}
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	overlay := map[string]string{}
	tmp := t.TempDir()
	built, unreadable, refused, messages := 0, 0, 0, 0
	for i, dir := range dirs {
		if i%sample(25) > 0 {
			continue
		}
		set, n := protoSet(t, dir)
		if set == nil {
			unreadable++
			continue
		}
		o := Options{Module: "github.com/evcontract/evcontract", Package: "events"}
		o.Import = fmt.Sprintf("%s/internal/codegen/protorun/c%d", o.Module, i)
		files, found, err := Go(set, o)
		if err != nil {
			t.Errorf("%s: %v", dir, err)
			continue
		}
		if files == nil {
			refused++
			t.Logf("%s: %s", dir, found[0].Message)
			continue
		}
		built, messages = built+1, messages+n
		for name, data := range files {
			at := filepath.Join(tmp, fmt.Sprintf("%d-%s", i, strings.ReplaceAll(name, "/", "-")))
			if err := os.WriteFile(at, data, 0o600); err != nil {
				t.Fatal(err)
			}
			overlay[filepath.Join(module, "internal/codegen/protorun", fmt.Sprintf("c%d", i), filepath.FromSlash(name))] = at
		}
	}
	buildOverlay(t, module, tmp, overlay)
	t.Logf("%d trees with %d messages generated and compiled, %d cannot be read or hold no message, %d refused", built, messages, unreadable, refused)
	if built == 0 {
		t.Error("nothing was compiled")
	}
}

// buildOverlay compiles packages that are not in the module.
func buildOverlay(t *testing.T, module, tmp string, overlay map[string]string) {
	t.Helper()
	data, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tmp, "overlay.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	packages := map[string]bool{}
	args := []string{"build", "-gcflags=-N -l", "-overlay", filepath.Join(tmp, "overlay.json")}
	for file := range overlay {
		rel, err := filepath.Rel(module, filepath.Dir(file))
		if err != nil {
			t.Fatal(err)
		}
		if dir := "./" + filepath.ToSlash(rel); !packages[dir] {
			packages[dir] = true
			args = append(args, dir)
		}
	}
	slices.Sort(args[4:])
	build := exec.Command("go", args...)
	build.Dir = module
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("%v\n%.4000s", err, out)
	}
}

// protoSet is a workspace around a tree of .proto files, nil where the tree
// cannot be read.
func protoSet(t *testing.T, from string) (set *contract.Set, messages int) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("evcontract.yaml", "contracts: contracts\nproto_paths: [contracts]\n")
	reads := ""
	err := fs.WalkDir(os.DirFS(from), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".proto" {
			return err
		}
		data, err := os.ReadFile(filepath.Join(from, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		write("contracts/"+name, string(data))
		pkg := ""
		if m := protoPackage.FindSubmatch(data); m != nil {
			pkg = string(m[1]) + "."
		}
		for _, m := range protoMessage.FindAllSubmatch(data, -1) {
			messages++
			event := fmt.Sprintf("Event%d", messages)
			write(fmt.Sprintf("contracts/%s.event.yaml", event), fmt.Sprintf(protoEvent, event, name, pkg+string(m[1])))
			reads += "  - {event: " + event + ".v1}\n"
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if reads == "" {
		return nil, 0
	}
	write("contracts/all.consumer.yaml", "consumer: all\nowner: o\nreads:\n"+reads)
	tree, err := source.Open(t.Context(), dir, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	set, err = load.Set(t.Context(), tree, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Findings) > 0 {
		t.Logf("%s: %s", from, set.Findings[0].Message)
		return nil, 0
	}
	return set, messages
}
