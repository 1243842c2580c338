package codegen

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/source"
)

// loadSet reads the workspace in a directory as internal/load does, which the
// tests of this package do without.
func loadSet(t testing.TB, dir string) *contract.Set {
	t.Helper()
	tree, err := source.Open(context.Background(), dir, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	set := &contract.Set{Tree: tree, Workspace: &contract.Workspace{}}
	decodeFile(t, tree, contract.WorkspaceFile, set.Workspace)
	err = fs.WalkDir(tree.FS, set.Workspace.Contracts.Value, func(name string, _ fs.DirEntry, err error) error {
		switch {
		case strings.HasSuffix(name, ".event.yaml"):
			e := &contract.Event{}
			decodeFile(t, tree, name, e)
			e.Schema = loadSchema(t, set, path.Join(path.Dir(name), e.SchemaRef.Value))
			set.Events = append(set.Events, e)
		case strings.HasSuffix(name, ".consumer.yaml"):
			c := &contract.Consumer{}
			decodeFile(t, tree, name, c)
			set.Consumers = append(set.Consumers, c)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(set.Events) // no output may depend on the order
	return set
}

func loadSchema(t testing.TB, set *contract.Set, ref string) contract.Schema {
	s, errs := jsonschema.Load(set.Tree, ref, jsonschema.Options{AssertFormats: set.Workspace.Formats.Value == contract.Assert})
	for _, err := range errs {
		t.Fatal(err)
	}
	return s
}

func decodeFile(t testing.TB, tree *source.Tree, name string, into any) {
	t.Helper()
	data, err := tree.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	node, errs := source.Parse(name, data)
	if len(errs) == 0 {
		errs = source.Decode(node, into)
	}
	for _, err := range errs {
		t.Fatal(err)
	}
}
