package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/load"
)

// deployment is one revision of a service, as list shows it.
type deployment struct {
	Environment string   `json:"environment"`
	Service     string   `json:"service"`
	Repo        string   `json:"repo"`
	Ref         string   `json:"ref"`
	Commit      string   `json:"commit"`
	Produces    []string `json:"produces"` // OrderPaid.v1@0123456789abcdef
	Reads       []string `json:"reads"`
}

func (a *app) listDeployed(ctx context.Context, env, store, format string) error {
	j, err := a.workspace(ctx)
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(j.set.Workspace.Environments))
	if env != "" {
		names = []string{env}
	}
	if len(names) == 0 {
		return fmt.Errorf("%s names no environment: write environments: {prod: environments/prod.yaml}", j.shown(contract.WorkspaceFile))
	}
	repos, err := load.OpenRepos(ctx, j.set, load.Options{})
	if err != nil {
		return j.placed(err)
	}
	defer repos.Close()
	all := []deployment{}
	for _, name := range names {
		file, err := j.environmentFile(name, store)
		if err != nil {
			return err
		}
		parsed, err := file.parse()
		if err != nil {
			return err
		}
		running, err := repos.Running(ctx, parsed)
		if err != nil {
			return err
		}
		for _, r := range running {
			a.warnMoving(nil, r)
		}
		all = append(all, deploymentsOf(name, running)...)
	}
	return writeDeployments(a.out, format, all)
}

// warnMoving tells of what an environment calls by a branch.
func (a *app) warnMoving(placed func(error) error, r load.Running) {
	for _, said := range r.Moving() {
		var err error = said
		if placed != nil {
			err = placed(err)
		}
		fmt.Fprintln(a.err, "evcontract: "+err.Error())
	}
}

func deploymentsOf(env string, running []load.Running) []deployment {
	var all []deployment
	for _, r := range running {
		for _, i := range r.Instances {
			d := deployment{
				Environment: env, Service: r.Service.Name.Value, Repo: r.Repo.Path,
				Ref: i.Ref.Value, Commit: i.Set.Tree.Commit, Produces: []string{}, Reads: []string{},
			}
			for _, e := range r.Produces(i) {
				d.Produces = append(d.Produces, e.Name.Value.String()+"@"+e.Revision())
			}
			if c := r.Consumer(i); c != nil {
				for _, reading := range c.Reads {
					d.Reads = append(d.Reads, readRevision(i.Set, reading.Event.Value))
				}
			}
			all = append(all, d)
		}
	}
	return all
}

// readRevision names an event with the revision that the reader has of it, where
// its repository holds a copy.
func readRevision(set *contract.Set, name contract.Name) string {
	if e := set.Event(name); e != nil {
		return name.String() + "@" + e.Revision()
	}
	return name.String()
}

func writeDeployments(w io.Writer, format string, all []deployment) error {
	if format == "json" {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(map[string]any{"tool": "evcontract", "version": version(), "deployed": all})
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ENVIRONMENT\tSERVICE\tRUNS\tCOMMIT\tREPOSITORY\tPRODUCES\tREADS")
	for _, d := range all {
		fmt.Fprintf(t, "%s\t%s\t%s\t%.12s\t%s\t%s\t%s\n", plain(d.Environment), plain(d.Service), plain(d.Ref), d.Commit, plain(d.Repo),
			plain(orDash(d.Produces)), plain(orDash(d.Reads)))
	}
	return t.Flush()
}

func orDash(words []string) string {
	if len(words) == 0 {
		return "-"
	}
	return strings.Join(words, " ")
}

// isDatabase tells a database of a running system from a folder.
func isDatabase(store string) bool {
	kind, _, named := strings.Cut(store, ":")
	return named && slices.Contains([]string{"sqlite", "postgres", "postgresql"}, kind)
}

// reported is what inboxes report of themselves to their database.
type reported struct {
	Consumer string `json:"consumer"`
	Owner    string `json:"owner"`
	Revision string `json:"revision"` // of the contracts that it was generated from, of the member that joined last
	Build    string `json:"build"`
	Members  int    `json:"members"` // seen within the last minute, and not stopped since
	Release  string `json:"release"` // the newest tag, with its repository's name, that declares this revision; empty: none that the workspace here knows
}

// listReported lists the consumers that a database knows, as their inboxes
// report themselves.
func (a *app) listReported(ctx context.Context, store, format string) (err error) {
	db, err := openStore(ctx, store, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	operator, ok := db.Store.(delivery.OperatorStore)
	if !ok {
		return errors.New("--store: this database does not tell which consumers run")
	}
	status, err := operator.Status(ctx)
	if err != nil {
		return err
	}
	all := []reported{}
	for _, c := range status.Consumers {
		all = append(all, reported{c.Consumer, c.Owner, c.Revision, c.Build, c.Members, ""})
	}
	if err := a.findReleases(ctx, all); err != nil {
		return err
	}
	if format == "json" {
		enc := json.NewEncoder(a.out)
		enc.SetIndent("", "  ")
		return enc.Encode(map[string]any{"tool": "evcontract", "version": version(), "consumers": all})
	}
	t := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "CONSUMER\tOWNER\tREVISION\tRELEASE\tBUILD\tMEMBERS")
	for _, c := range all {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%d\n", plain(c.Consumer), plain(c.Owner), plain(c.Revision), plain(cmp.Or(c.Release, "-")), plain(c.Build), c.Members)
	}
	return t.Flush()
}

// findReleases tells of each reported revision the newest release that declares
// it. Away from a workspace no release is known.
func (a *app) findReleases(ctx context.Context, all []reported) error {
	if len(all) == 0 || workspaceAbove(".") == "" {
		return nil
	}
	j, err := a.workspace(ctx)
	if err != nil {
		return err
	}
	repos, err := load.OpenRepos(ctx, j.set, load.Options{})
	if err != nil {
		return j.placed(err)
	}
	defer repos.Close()
	for release, err := range repos.Releases(ctx) {
		if err != nil {
			return j.placed(err)
		}
		nameReleases(all, release.Set, strings.TrimSpace(release.Repo.Name+" "+release.Name))
		if !slices.ContainsFunc(all, func(r reported) bool { return r.Release == "" }) {
			return nil
		}
	}
	return nil
}

func nameReleases(all []reported, set *contract.Set, release string) {
	for i := range all {
		for _, c := range set.Consumers {
			if r := &all[i]; r.Release == "" && c.Name.Value == r.Consumer && c.Revision(set) == r.Revision {
				r.Release = release
			}
		}
	}
}
