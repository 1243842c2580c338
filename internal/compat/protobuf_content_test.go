package compat

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/protobuf"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// TestContentProtobuf holds that what is never compiled, since its content is
// the same on both sides, would have held: for every message of the corpora.
func TestContentProtobuf(t *testing.T) {
	dir := corpora(t, "proto")
	same, other := 0, 0
	for _, c := range readCases(t, dir) {
		prev, next := contents(t, filepath.Join(dir, c.Old)), contents(t, filepath.Join(dir, c.New))
		for content, a := range prev {
			b := next[content]
			if b == nil {
				other++
				continue
			}
			same++
			for _, as := range propertyKinds() {
				for _, q := range []Question{{Reader: a, Writer: b, As: as}, {Reader: b, Writer: a, As: as}} {
					if r := readProtobuf(q); r.Answer != rule.Holds || len(r.Breaks) > 0 {
						t.Errorf("%s: %s has the same content, and %+v is %s\n%s", c.ID, a.Schema.Root(), as, r.Answer, breakLines(r))
					}
				}
			}
		}
	}
	t.Logf("%d messages are the same, %d are not", same, other)
	if same == 0 || other == 0 {
		t.Error("nothing was compared")
	}
}

// contents gives the events of a tree by their content.
func contents(t *testing.T, dir string) map[string]*contract.Event {
	tree, err := source.Open(context.Background(), dir, source.Options{PathOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	loader := protobuf.NewLoader(tree, protobuf.Options{ProtoPaths: []string{"."}})
	all := map[string]*contract.Event{}
	files, err := filepath.Glob(filepath.Join(dir, "*.proto"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name, _ := strings.CutPrefix(file, dir+string(filepath.Separator))
		messages, _ := loader.Outline(name)
		for _, m := range messages {
			content := loader.Content(name + "#" + m)
			if s, _ := loader.Load(name + "#" + m); s != nil && content != "" {
				all[content] = &contract.Event{Manifest: &contract.Manifest{}, Schema: s}
			}
		}
	}
	return all
}
