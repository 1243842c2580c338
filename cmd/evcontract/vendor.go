package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

func (a *app) vendorCommand() *cobra.Command {
	var out output
	var o vendorOptions
	cmd := &cobra.Command{
		Use:   "vendor REF|URL...",
		Short: "Copy contracts of another repository, or a schema that a $ref names, with a digest",
		Long: `vendor copies into the folder ` + contract.VendorFolder + ` of the contracts, and notes in
` + contract.LockFile + ` where each file came from and its digest. lint and check complain
of a file that is not what was vendored. Commit both.

REF is NAME@REF, a repository of evcontract.yaml at a git ref (NAME alone: its
newest release), or a folder, an archive, ../orders/.git#tag=v1.4.0. Copied are
the contracts that a consumer here reads, and all that their schemas are made
of. What was vendored is the revision that the consumers here read by; generate
works from it. --check says whether the producers have moved on since, and
whether a consumer here could not read what they write now.

URL names a JSON Schema. What it refers to on the same server is copied too;
references to other servers are listed and not followed. A $ref to the URL finds
the file. It sends no credentials, follows five redirects at most, and none from
https to http or from a public address to a private one.`,
		Example: `  evcontract vendor orders@v1.4.0
  evcontract vendor ../orders/.git#tag=v1.4.0 --as orders
  evcontract vendor --check
  evcontract vendor https://schemas.example.com/common/address.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.check {
				return a.vendorCheck(cmd.Context(), args, o.limit, &out)
			}
			if len(args) == 0 {
				return errors.New("name what is to be copied, by argument: orders@v1.4.0, a folder, or a URL")
			}
			return a.vendor(cmd.Context(), args, o)
		},
	}
	out.bind(cmd)
	o.limit.bind(cmd)
	cmd.Flags().BoolVar(&o.check, "check", false, "copy nothing: have the producers moved on, and does it matter here?")
	cmd.Flags().StringArrayVar(&o.events, "event", nil, "copy this `EVENT` too, though no consumer here reads it yet; may be repeated")
	cmd.Flags().StringVar(&o.as, "as", "", "the `NAME` of the folder that a REF is copied to")
	return cmd
}

// vendorOptions is the command line of vendor.
type vendorOptions struct {
	check  bool
	events []string
	as     string
	limit  limit
}

// vendor fetches everything before it writes anything.
func (a *app) vendor(ctx context.Context, args []string, o vendorOptions) error {
	w, err := vendorWorkspace()
	if err != nil {
		return err
	}
	var named []*url.URL
	var refs []string
	for _, arg := range args {
		if !strings.Contains(arg, "://") {
			refs = append(refs, arg)
			continue
		}
		u, err := vendorURL(arg)
		if err != nil {
			return err
		}
		named = append(named, u)
	}
	_, err = within(ctx, o.limit, func(ctx context.Context) (*vendoring, error) {
		for _, u := range named {
			if err := w.fetchAll(ctx, u); err != nil {
				return nil, err
			}
		}
		if len(refs) == 0 {
			return w, nil
		}
		return w, a.vendorRefs(ctx, w, refs, o)
	})
	if err != nil {
		return err
	}
	return w.write(a)
}

// vendorURL reads the URL of a schema. Its fragment names a part of the schema
// and is not sent.
func vendorURL(arg string) (*url.URL, error) {
	u, err := url.Parse(arg)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s is no URL: %w", arg, err)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%s: want a URL that begins with https:// or http://", arg)
	case u.Host == "":
		return nil, fmt.Errorf("%s names no server", arg)
	case u.User != nil:
		return nil, fmt.Errorf("%s: a user and a password would be written into %s: leave them out", u.Redacted(), contract.LockFile)
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// vendoring is a workspace while files are copied into it.
type vendoring struct {
	root    string // of the workspace, on disk
	folder  string // that the files go to, relative to it
	lock    contract.Lock
	files   map[string][]byte // by path below root
	from    map[string]string // URL or ref by file
	commit  map[string]string // of a ref, by file
	dropped []string          // files that are vendored no more
	fetched map[string]bool   // by URL
	abroad  map[string]bool   // references to other servers, and not here yet
}

// vendorWorkspace opens the workspace here or in a folder above.
func vendorWorkspace() (*vendoring, error) {
	root := workspaceAbove(".")
	if root == "" {
		return nil, errNoWorkspace
	}
	w := &vendoring{root: root, files: map[string][]byte{}, from: map[string]string{}, commit: map[string]string{}, fetched: map[string]bool{}, abroad: map[string]bool{}}
	var manifest contract.Workspace
	if err := w.read(contract.WorkspaceFile, &manifest); err != nil {
		return nil, err
	}
	contracts := manifest.Contracts.Value
	if contracts == "" {
		contracts = "contracts"
	}
	w.folder = path.Join(contracts, contract.VendorFolder)
	err := w.read(contract.LockFile, &w.lock)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return w, err
}

// read decodes a manifest; the first thing that is wrong with it is the error.
func (w *vendoring) read(name string, into any) error {
	data, err := os.ReadFile(filepath.Join(w.root, name))
	if err != nil {
		return err
	}
	node, problems := source.Parse(name, data)
	problems = append(problems, source.Decode(node, into)...)
	if len(problems) > 0 {
		problems[0].Pos.File = near(w.root, name)
		return fmt.Errorf("%s: %s", problems[0].Pos, problems[0].Msg)
	}
	return nil
}

// maxVendored bounds the documents that one call copies.
const maxVendored = 100

// fetchAll copies a schema and what it refers to on its own server.
func (w *vendoring) fetchAll(ctx context.Context, first *url.URL) error {
	client := vendorClient(first)
	for queue := []*url.URL{first}; len(queue) > 0; queue = queue[1:] {
		u := queue[0]
		if w.fetched[u.String()] {
			continue
		}
		if len(w.fetched) >= maxVendored {
			return fmt.Errorf("%s refers to more than %d documents: nothing was written", first, maxVendored)
		}
		w.fetched[u.String()] = true
		data, err := fetch(ctx, client, u)
		if err != nil {
			return fmt.Errorf("%s: %w: nothing was written", u, err)
		}
		root, err := schemaIn(u, data)
		if err != nil {
			return fmt.Errorf("%s: %w: nothing was written", u, err)
		}
		file := path.Join(w.folder, vendoredPath(u))
		if other := w.from[file]; other != "" && other != u.String() {
			return fmt.Errorf("%s and %s would both be %s: nothing was written", other, u, file)
		}
		w.files[file], w.from[file] = data, u.String()
		for _, to := range references(root, u) {
			if to.Host == first.Host && to.Scheme == first.Scheme {
				queue = append(queue, to)
			} else {
				w.abroad[to.String()] = true
			}
		}
	}
	return nil
}

// schemaIn parses what a server sent.
func schemaIn(u *url.URL, data []byte) (*source.Node, error) {
	root, problems := source.Parse(path.Base(vendoredPath(u)), data)
	switch {
	case root == nil && len(problems) > 0:
		return nil, fmt.Errorf("what the server sent is no JSON Schema: line %d: %s", problems[0].Pos.Line, problems[0].Msg)
	case root == nil || root.Kind != source.Map && root.Kind != source.Bool:
		return nil, errors.New("what the server sent is no JSON Schema: it is no object")
	}
	return root, nil
}

// references lists the documents that a schema refers to, in order. A word $ref
// inside of an example is followed too; that does no harm.
func references(root *source.Node, from *url.URL) []*url.URL {
	var list []*url.URL
	seen := map[string]bool{from.String(): true}
	var visit func(n *source.Node, base *url.URL)
	visit = func(n *source.Node, base *url.URL) {
		for _, key := range []string{"$id", "id"} {
			if id := n.Get(key); n.Kind == source.Map && id != nil && id.Kind == source.String {
				if u, err := base.Parse(id.Text); err == nil {
					base = u
					seen[bare(u).String()] = true // it is in here
				}
			}
		}
		for _, m := range n.Members {
			if m.Key == "$ref" && m.Value.Kind == source.String {
				if u, err := base.Parse(m.Value.Text); err == nil {
					if u = bare(u); u.Host != "" && !seen[u.String()] && u.Host != "json-schema.org" {
						seen[u.String()] = true
						list = append(list, u)
					}
				}
			}
			visit(m.Value, base)
		}
		for _, item := range n.Items {
			visit(item, base)
		}
	}
	visit(root, from)
	return list
}

func bare(u *url.URL) *url.URL {
	b := *u
	b.Fragment, b.RawFragment = "", ""
	return &b
}

// write puts the files and the lock file into the workspace, all or none, and
// says so.
func (w *vendoring) write(a *app) error {
	type line struct{ verb, file, from string }
	var lines []line
	for _, file := range slices.Sorted(maps.Keys(w.files)) {
		verb := "wrote"
		switch old, err := os.ReadFile(filepath.Join(w.root, filepath.FromSlash(file))); {
		case err == nil && bytes.Equal(old, w.files[file]):
			verb = "kept"
		case err == nil:
			verb = "changed"
		}
		lines = append(lines, line{verb, file, w.from[file]})
		w.lock.Put(file, w.from[file], contract.Digest(w.files[file]))
		w.lock.Of(file).Commit.Value = w.commit[file]
	}
	for _, file := range w.dropped {
		lines = append(lines, line{"removed", file, w.lock.Of(file).From.Value})
		w.lock.Drop(file)
	}
	out := maps.Clone(w.files)
	out[contract.LockFile] = w.lock.Encode()
	if err := source.WriteFiles(w.root, out); err != nil {
		return err
	}
	for _, file := range w.dropped {
		if err := os.Remove(filepath.Join(w.root, filepath.FromSlash(file))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, l := range lines {
		fmt.Fprintf(a.out, "%s %s from %s\n", l.verb, near(w.root, l.file), l.from)
	}
	for _, u := range slices.Sorted(maps.Keys(w.abroad)) {
		if !w.fetched[u] && !w.has(u) {
			fmt.Fprintf(a.out, "\n%s is referred to, and on another server: evcontract vendor %s\n", u, u)
		}
	}
	return nil
}

func (w *vendoring) has(url string) bool {
	return slices.ContainsFunc(w.lock.Vendored, func(v contract.Vendored) bool { return v.From.Value == url })
}
