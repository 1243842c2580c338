package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// scaffold is a workspace to start from. Names that begin with a dot are written
// as dot.NAME, which tools that skip hidden files don't skip.
//
//go:embed all:scaffold
var scaffold embed.FS

func (a *app) initCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Start a workspace: one event, one consumer, a CI workflow, a pre-commit hook",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			return a.init(cmd.Context(), dir)
		},
	}
}

// init writes the scaffold, and overwrites nothing that is there.
func (a *app) init(ctx context.Context, dir string) error {
	manifest := filepath.Join(dir, contract.WorkspaceFile)
	if _, err := os.Stat(manifest); err == nil {
		return fmt.Errorf("%s is there already: this is a workspace, see evcontract lint", manifest)
	}
	files, err := scaffoldFiles()
	if err != nil {
		return err
	}
	if branch := source.CurrentBranch(ctx, dir); branch != "" {
		manifest := files[contract.WorkspaceFile]
		files[contract.WorkspaceFile] = bytes.Replace(manifest, []byte("against: main "), []byte("against: "+branch+" "), 1)
	}
	var kept []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
		switch {
		case err == nil:
			kept = append(kept, name)
			delete(files, name)
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	if err := source.WriteFiles(dir, files); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintln(a.out, "wrote", name)
	}
	for _, name := range kept {
		fmt.Fprintln(a.out, "kept ", name)
	}
	fmt.Fprint(a.out, "\nNext: evcontract lint, evcontract generate, and commit. Then change a schema and run evcontract check.\n")
	return nil
}

func scaffoldFiles() (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(scaffold, "scaffold", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := scaffold.ReadFile(name)
		rel := strings.ReplaceAll(strings.TrimPrefix(name, "scaffold/"), "dot.", ".")
		files[rel] = data
		return err
	})
	for _, kind := range []string{"event", "consumer", "workspace"} {
		data, _ := contract.ManifestSchema(kind)
		files[path.Join(".evcontract", kind+".schema.json")] = data
	}
	return files, err
}
