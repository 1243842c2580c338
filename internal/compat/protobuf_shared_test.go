package compat

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/evcontract/evcontract/internal/contract"
)

// readProtobuf asks without what other reads found out.
func readProtobuf(q Question) Result { return askProtobuf(q, nil) }

// TestSharedWalks holds that what walks know from each other changes no answer:
// for every message of the corpora, in every order that the events come in.
func TestSharedWalks(t *testing.T) {
	dir := corpora(t, "proto")
	n := 0
	for _, c := range readCases(t, dir) {
		prev, next := byRoot(contents(t, filepath.Join(dir, c.Old))), byRoot(contents(t, filepath.Join(dir, c.New)))
		n += sharedWalks(t, c.ID, prev, next)
	}
	t.Logf("%d questions", n)
	if n == 0 {
		t.Error("nothing was asked")
	}
}

func byRoot(events map[string]*contract.Event) map[string]*contract.Event {
	roots := map[string]*contract.Event{}
	for _, e := range events {
		roots[e.Schema.Root()] = e
	}
	return roots
}

// sharedWalks asks everything of events that stand on both sides: each alone, and
// with what all others found out.
func sharedWalks(t *testing.T, id string, prev, next map[string]*contract.Event) int {
	names := slices.Sorted(maps.Keys(prev))
	backward := slices.Clone(names)
	slices.Reverse(backward)
	n := 0
	for _, as := range append(propertyKinds(), Assumptions{OldWriter: true}) {
		for _, order := range [][]string{names, backward} {
			known := &walked{}
			for _, name := range slices.Concat(order, order) {
				if next[name] == nil {
					continue
				}
				for _, q := range []Question{{Reader: prev[name], Writer: next[name], As: as}, {Reader: next[name], Writer: prev[name], As: as}} {
					n++
					if alone, shared := readProtobuf(q), askProtobuf(q, known); !reflect.DeepEqual(alone, shared) {
						t.Errorf("%s: %s, %+v: alone %s\n%swith what others found out %s\n%s", id, name, as, alone.Answer, breakLines(alone), shared.Answer, breakLines(shared))
					}
				}
			}
		}
	}
	return n
}

// TestSharedWalksMeet is the same for events that share types in every way there
// is: recursion, an Any, extensions, types that only one of them carries.
func TestSharedWalksMeet(t *testing.T) {
	const head = `syntax = "proto2"; package shared; import "google/protobuf/any.proto";
message Leaf { optional int32 n = 1; }
message Tree { optional Tree left = 1; optional Tree right = 2; optional Leaf leaf = 3; }
message Box { optional google.protobuf.Any any = 1; optional Leaf leaf = 2; }
message Open { extensions 100 to 200; optional Leaf leaf = 1; }
extend Open { optional Tree more = 100; }
message Pair { optional Open open = 1; optional Box box = 2; }
message Alone { message Part { optional int32 p = 1; } optional Box box = 1; }
`
	changes := map[string]string{
		"nothing": "", "another": "message Another { optional Pair pair = 1; }\n",
	}
	for what, more := range changes {
		for from, to := range map[string]string{
			"": "", "int32 n = 1": "int64 n = 1", "int32 p = 1": "string p = 1", "message Part { optional int32 p = 1; }": "", "optional Leaf leaf = 3;": "", "Tree more = 100": "Leaf more = 100",
			"optional Box box = 1;": "required Box box = 1;", "message Another { optional Pair": "message Another { repeated Pair",
		} {
			sharedWalksOf(t, what+": "+from, head+more, strings.Replace(head+more, from, to, 1))
		}
		sharedWalksOf(t, what+": gone", head+more, head)
		sharedWalksOf(t, what+": new", head, head+more)
	}
}

func sharedWalksOf(t *testing.T, id, prev, next string) {
	t.Helper()
	load := func(text string) map[string]*contract.Event {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.proto"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return byRoot(contents(t, dir))
	}
	if sharedWalks(t, id, load(prev), load(next)) == 0 {
		t.Errorf("%s: nothing was asked", id)
	}
}
