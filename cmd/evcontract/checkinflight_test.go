package main

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/delivery/deliverytest"
	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/source"
	"github.com/evcontract/evcontract/store/sqlite"
)

// TestCheckStore compares with what a database holds: a revision that left the
// window long ago counts as long as one of its events is there, and one that no
// release declares is undecided.
func TestCheckStore(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git := func(day string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "gc.auto=0", "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_COMMITTER_DATE="+day+"T00:00:00Z")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	schema := func(coupon string) {
		write("contracts/paid.schema.json", `{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {"id": {"type": "string"}`+coupon+"}}\n")
	}
	release := func(tag, day string) {
		t.Helper()
		git(day, "add", "-A")
		git(day, "commit", "-q", "-m", tag)
		git(day, "tag", "-a", "-m", tag, tag)
	}
	write("evcontract.yaml", "contracts: contracts\n")
	write("contracts/paid.event.yaml", "event: OrderPaid.v1\nsummary: s\nowner: o\nproducer: orders\nschema: paid.schema.json\nchannel: {topic: t}\n")
	write("contracts/loyalty.consumer.yaml", "consumer: loyalty\nowner: team-loyalty\nreads: [{event: OrderPaid.v1, fields: [coupon]}]\n")
	schema(`, "coupon": {"type": "string"}`)
	git("2025-01-01", "init", "-q", "-b", "main")
	release("v1.1", "2025-01-01")
	old, reader := revisionOf(t, dir), readerOf(t, dir)
	write("contracts/loyalty.consumer.yaml", "consumer: loyalty\nowner: team-loyalty\nreads: [{event: OrderPaid.v1, fields: [id]}]\n")
	schema("")
	release("v1.5", "2025-05-01")
	schema(`, "coupon": {"type": "integer"}`)

	file := filepath.Join(t.TempDir(), "orders.db")
	s, err := sqlite.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	publish := func(order, revision string) {
		t.Helper()
		d := deliverytest.Fact{Payment: "p-" + order, Order: order, Version: 1}.Draft("OrderPaid.v1")
		d.Revision = revision
		if err := s.InTx(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
			_, err := s.In(tx).Append(ctx, d)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	check := func(want int, says string, args ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		a := &app{out: &out, err: &errs, now: time.Now}
		code := a.run(t.Context(), append([]string{"check", "--window", "--as-of", "2026-12-31"}, args...))
		if code != want || !strings.Contains(out.String()+errs.String(), says) {
			t.Errorf("%v: exit code %d, want %d and %q:\n%s%s", args, code, want, says, out.String(), errs.String())
		}
	}
	check(exitClean, "against v1.5\n")
	store := []string{"--store", "sqlite:" + file}
	check(exitClean, "against v1.5\n", store...)
	publish("o-1", old)
	check(exitFindings, "against v1.1 (in flight), v1.5", store...)
	check(exitFindings, "OrderPaid.v1 backward (new readers, old events): anyone", store...)
	check(exitClean, "", append(store, "--direction", "forward")...)
	schema("")
	check(exitClean, "against v1.1 (in flight), v1.5", store...)
	schema(`, "note": {"type": "string"}`)
	publish("o-3", revisionOf(t, dir)) // not released, and what is checked
	check(exitClean, "against v1.1 (in flight), v1.5", store...)
	publish("o-2", "0123456789abcdef")
	check(exitFindings, "OrderPaid.v1: the database holds events of revision 0123456789abcdef", store...)
	member := delivery.Member{Consumer: "loyalty", Instance: "one", Owner: "team-loyalty", Revision: "fedcba9876543210", Build: "b1", Host: "h"}
	if err := s.Join(t.Context(), member); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	a := &app{out: &out, err: &out, now: time.Now}
	if code := a.run(t.Context(), append([]string{"deployed", "list"}, store...)); code != exitClean || !strings.Contains(out.String(), "loyalty   team-loyalty  fedcba9876543210  -        b1     1\n") {
		t.Errorf("deployed list: exit code %d:\n%s", code, out.String())
	}
	check(exitFindings, "loyalty runs, generated from revision fedcba9876543210 of its contracts, and no release declares that", store...)
	member.Revision = reader // of v1.1, long ago
	if err := s.Join(t.Context(), member); err != nil {
		t.Fatal(err)
	}
	schema(`, "coupon": {"type": "integer"}`)
	check(exitFindings, "OrderPaid.v1 forward (old readers, new events): loyalty", store...)
	check(exitClean, "", "--direction", "forward")
	check(exitFailure, "nowhere.db", "--store", "sqlite:nowhere.db")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func revisionOf(t *testing.T, dir string) string {
	t.Helper()
	return setOf(t, dir).Events[0].Revision()
}

func readerOf(t *testing.T, dir string) string {
	t.Helper()
	set := setOf(t, dir)
	return set.Consumers[0].Revision(set)
}

func setOf(t *testing.T, dir string) *contract.Set {
	t.Helper()
	tree, err := source.Open(t.Context(), dir, source.Options{PathOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	set, err := load.Set(t.Context(), tree, load.Options{})
	if err != nil || len(set.Events) != 1 || len(set.Consumers) != 1 {
		t.Fatal(err, set)
	}
	return set
}
