package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// workshop makes the trees that both tools are tried on.
type workshop struct{ dir, program string }

const (
	events  = 1000
	changed = 10
)

// contests lists every case: (a) a workspace of events, (b) a real repository,
// (c) one event.
func (w workshop) contests(repository string) ([]contest, error) {
	large, err := w.workspace("large", events, changed)
	if err != nil {
		return nil, err
	}
	tenth, err := w.workspace("tenth", events/10, changed/10)
	if err != nil {
		return nil, err
	}
	every, err := w.workspace("every", events, events)
	if err != nil {
		return nil, err
	}
	words, err := w.workspace("words", events, 0)
	if err != nil {
		return nil, err
	}
	if err := commented(filepath.Join(words, "new", "contracts")); err != nil {
		return nil, err
	}
	one, err := w.workspace("one", 1, 1)
	if err != nil {
		return nil, err
	}
	tenfold := goals{cpu: 10, memory: 10}
	all := []contest{
		w.contest("a-directory", large, "old", tenfold),
		w.contest("a-git", large, "git", tenfold),
		w.contest("a-tenth", tenth, "old", goals{}),
		w.contest("a-every-file", every, "old", goals{cpu: 3, memory: 3}),
		w.contest("a-every-comment", words, "old", goals{}),
		w.contest("c-one-event", one, "old", goals{wall: 2}),
	}
	if repository == "" {
		fmt.Fprintln(os.Stderr, "BENCH_REPO is not set: no real repository is compared")
		return all, nil
	}
	real, err := w.repository(repository)
	return append(all, real...), err
}

// contest compares a workspace with its old self: a folder, or the commit that
// its git repository holds.
func (w workshop) contest(name, dir, against string, goal goals) contest {
	ours, bufs := "../old", "../old/contracts"
	if against == "git" {
		ours, bufs = "HEAD", "../.git#ref=HEAD,subdir=new/contracts"
	}
	at := filepath.Join(dir, "new")
	return contest{
		name: name, goal: goal,
		ours: w.evcontract(at, ".", ours), bufs: buf(at, "contracts", bufs),
	}
}

// workspace writes n events in n files that share imports, as old/ and new/, of
// which some files changed. The commit holds what is in old/ as new/.
func (w workshop) workspace(name string, n, changed int) (string, error) {
	dir := filepath.Join(w.dir, name)
	write := func(side string, changed int) error {
		root := filepath.Join(dir, side)
		files := map[string]string{"evcontract.yaml": "contracts: contracts\n", "contracts/buf.yaml": "version: v2\nbreaking: {use: [WIRE_JSON]}\n"}
		for name, text := range shared {
			files["contracts/"+name] = text
		}
		for i := range n {
			at := fmt.Sprintf("contracts/team%02d/v1/event%04d", i%20, i)
			files[at+".proto"] = eventProto(i, i < changed)
			files[at+".event.yaml"] = eventManifest(i)
		}
		return writeFiles(root, files)
	}
	if err := write("new", 0); err != nil {
		return "", err
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=bench", "-c", "user.email=bench@example.com", "commit", "-q", "-m", "old"}} {
		if err := git(dir, args...); err != nil {
			return "", err
		}
	}
	if err := write("old", 0); err != nil {
		return "", err
	}
	return dir, write("new", changed)
}

// commented adds words to every .proto file, which say nothing to a reader.
func commented(dir string) error {
	return filepath.WalkDir(dir, func(file string, entry os.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".proto" {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(file, append(data, "\n// Looked through.\n"...), 0o644)
	})
}

func git(dir string, args ...string) error {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

func writeFiles(root string, files map[string]string) error {
	for name, text := range files {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// shared is what all events import: money, an address, a customer.
var shared = map[string]string{
	"common/v1/money.proto": `syntax = "proto3";
package common.v1;
message Money { string currency = 1; int64 minor_units = 2; }
`,
	"common/v1/customer.proto": `syntax = "proto3";
package common.v1;
import "common/v1/address.proto";
enum Tier { TIER_UNSPECIFIED = 0; TIER_BASIC = 1; TIER_GOLD = 2; }
message Customer { string id = 1; string email = 2; Tier tier = 3; repeated Address addresses = 4; }
`,
	"common/v1/address.proto": `syntax = "proto3";
package common.v1;
message Address { string street = 1; string city = 2; string country = 3; map<string, string> labels = 4; }
`,
}

// eventProto is one event's file; a changed one has another field and a wider
// number.
func eventProto(i int, changed bool) string {
	number, more := "int32", ""
	if changed {
		number, more = "int64", "  // What the customer wrote.\n  string comment = 12;\n"
	}
	return fmt.Sprintf(`syntax = "proto3";

package team%02[1]d.v1;

import "common/v1/customer.proto";
import "common/v1/money.proto";
import "google/protobuf/timestamp.proto";

// Event%04[2]d says that something happened to an order.
message Event%04[2]d {
  // Unique for each event.
  string event_id = 1;
  string order_id = 2;
  int64 version = 3;
  string payment_id = 4;
  google.protobuf.Timestamp occurred_at = 5;
  common.v1.Customer customer = 6;
  repeated Line%04[2]d lines = 7;
  common.v1.Money total = 8;
  State%04[2]d state = 9;
  map<string, string> labels = 10;
  %[3]s attempts = 11;
%[4]s}

// Line%04[2]d is one line of the order.
message Line%04[2]d {
  string sku = 1;
  uint32 quantity = 2;
  common.v1.Money price = 3;
  oneof discount {
    int32 percent = 4;
    common.v1.Money amount = 5;
  }
}

enum State%04[2]d {
  STATE%04[2]d_UNSPECIFIED = 0;
  STATE%04[2]d_OPEN = 1;
  STATE%04[2]d_CLOSED = 2;
}
`, i%20, i, number, more)
}

func eventManifest(i int) string {
	return fmt.Sprintf(`event: Event%04[2]d.v1
summary: Something happened to an order.
owner: team-%02[1]d
producer: service-%02[1]d
status: stable
schema: event%04[2]d.proto#team%02[1]d.v1.Event%04[2]d
identity:
  event_id: event_id
  aggregate: {type: order, id: order_id, version: version}
  idempotency_key: [payment_id]
  partition_key: order_id
  occurred_at: occurred_at
channel: {topic: team%02[1]d.events, encoding: protobuf}
`, i%20, i)
}
