package contract_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/source"
)

// kinds are the manifests and what they decode into.
var kinds = map[string]any{
	"event":     contract.Manifest{},
	"consumer":  contract.Consumer{},
	"workspace": contract.Workspace{},
}

// TestManifestSchemaKeys holds the schemas to the structs: the same keys at
// every depth, of the same kinds.
func TestManifestSchemaKeys(t *testing.T) {
	for kind, manifest := range kinds {
		root := parsed(t, kind)
		s := schemaKeys{t: t, defs: object(root["$defs"]), got: map[string]string{}}
		s.walk("", root)
		want := map[string]string{}
		structKeys("", reflect.TypeOf(manifest), want)
		for at, what := range want {
			if s.got[at] != what {
				t.Errorf("%s: %s is %q in the schema, %q in the struct", kind, at, s.got[at], what)
			}
		}
		for at := range s.got {
			if want[at] == "" {
				t.Errorf("%s: %s is in the schema only", kind, at)
			}
		}
		if len(want) < 10 {
			t.Errorf("%s: only %d keys were compared", kind, len(want))
		}
	}
}

// TestManifestSchemaValues holds every word that a schema offers, as one of
// an enum, a default or an example, to what the manifest really takes, and an
// enum to the whole of its vocabulary.
func TestManifestSchemaValues(t *testing.T) {
	for kind, manifest := range kinds {
		root := parsed(t, kind)
		s := schemaKeys{t: t, defs: object(root["$defs"]), got: map[string]string{}, offered: map[string][]any{}, enums: map[string][]string{}}
		s.walk("", root)
		leaves := map[string]reflect.Type{}
		leafTypes("", reflect.TypeOf(manifest), leaves)
		for at, leaf := range leaves {
			if words := vocabulary(leaf); len(words) > 0 && !slices.Equal(words, s.enums[at]) {
				t.Errorf("%s: %s offers %v, there are %v", kind, at, s.enums[at], words)
			}
		}
		for at, values := range s.offered {
			for _, v := range values {
				if leaves[at] == nil {
					continue // TestManifestSchemaKeys tells
				}
				node, errs := source.ParseJSON("offered.json", jsonOf(t, v))
				if errs = append(errs, source.Decode(node, reflect.New(leaves[at]).Interface())...); len(errs) > 0 {
					t.Errorf("%s: %s offers %v: %v", kind, at, v, errs[0])
				}
			}
		}
	}
}

// TestManifestSchemaDefaults holds the defaults that a workspace's schema tells
// to those that loading fills in.
func TestManifestSchemaDefaults(t *testing.T) {
	root := parsed(t, "workspace")
	s := schemaKeys{t: t, defs: object(root["$defs"]), got: map[string]string{}, defaults: map[string]any{}}
	s.walk("", root)
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "contracts"), 0o755), os.WriteFile(filepath.Join(dir, contract.WorkspaceFile), []byte("{}\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	tree, err := source.Open(t.Context(), dir, source.Options{PathOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	set, err := load.Set(t.Context(), tree, load.Options{})
	if err != nil || len(set.Findings) > 0 {
		t.Fatal(err, set)
	}
	settled := map[string]any{}
	settledValues("", reflect.ValueOf(*set.Workspace), settled)
	for at, value := range settled {
		want := reflect.New(reflect.TypeOf(value))
		node, _ := source.ParseJSON("default.json", jsonOf(t, s.defaults[at]))
		if errs := source.Decode(node, want.Interface()); len(errs) > 0 || want.Elem().Interface() != value {
			t.Errorf("%s is %v if nobody says it, the schema's default is %v", at, value, s.defaults[at])
		}
	}
	if len(settled) < 10 || len(settled) != len(s.defaults) {
		t.Errorf("%d values are filled in, the schema has %d defaults", len(settled), len(s.defaults))
	}
}

// settledValues collects every scalar that is not zero, by its place. Lists
// depend on other keys, so that no schema can tell their default.
func settledValues(at string, v reflect.Value, into map[string]any) {
	t := v.Type()
	if strings.HasPrefix(t.Name(), "At[") {
		v = v.FieldByName("Value")
		t = v.Type()
	}
	switch {
	case v.IsZero() || t.Kind() == reflect.Slice || t.Kind() == reflect.Map || t.Kind() == reflect.Pointer:
	case isText(t) || t.Kind() != reflect.Struct:
		into[at] = v.Interface()
	default:
		for f := range t.Fields() {
			if name, option, _ := strings.Cut(f.Tag.Get("yaml"), ","); name != "" && name != "-" && option == "" {
				settledValues(at+"."+name, v.FieldByIndex(f.Index), into)
			}
		}
	}
}

// TestManifestSchemaDefs holds definitions of one name to one meaning, since
// each schema must stand alone.
func TestManifestSchemaDefs(t *testing.T) {
	seen := map[string]any{}
	for kind := range kinds {
		for name, def := range object(parsed(t, kind)["$defs"]) {
			if seen[name] != nil && !reflect.DeepEqual(seen[name], def) {
				t.Errorf("$defs/%s differs in %s.schema.json", name, kind)
			}
			seen[name] = def
		}
	}
}

func TestManifestSchemaUnknown(t *testing.T) {
	for _, kind := range []string{"", "events", "../manifests/event", "event.schema.json"} {
		if text, ok := contract.ManifestSchema(kind); ok || text != nil {
			t.Errorf("there is a schema of kind %q", kind)
		}
	}
}

// TestManifestSchemaExamples validates the worked example, and each schema's
// own examples.
func TestManifestSchemaExamples(t *testing.T) {
	root := filepath.Join("..", "..")
	files := map[string]string{filepath.Join(root, contract.WorkspaceFile): "workspace"}
	err := filepath.WalkDir(filepath.Join(root, "contracts"), func(file string, d fs.DirEntry, err error) error {
		for kind := range kinds {
			if strings.HasSuffix(file, "."+kind+".yaml") {
				files[file] = kind
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 5 {
		t.Fatalf("found %d manifests only", len(files))
	}
	for file, kind := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, kind, file, text); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	for kind := range kinds {
		for _, example := range list(parsed(t, kind)["examples"]) {
			if err := validate(t, kind, "example.json", jsonOf(t, example)); err != nil {
				t.Errorf("%s: its own example: %v", kind, err)
			}
		}
	}
}

const goodEvent = `event: OrderPaid.v1
summary: An order was paid.
owner: team-orders
producer: orders
schema: order_paid.v1.schema.json
identity:
  event_id: header:id
  aggregate: {type: order, id: 'order."odd id"', version: 'lines[0].version'}
  idempotency_key: [payment_id, 'tenant{}.id']
  partition_key: ce:partitionkey
  occurred_at: occurred_at
channel: {topic: orders.events}
`

const goodConsumer = "consumer: loyalty\nowner: team-loyalty\nreads: [{event: com.example.OrderPaid.v12}]\n"

// TestManifestSchemaErrors shows what an editor marks.
func TestManifestSchemaErrors(t *testing.T) {
	for _, c := range []struct{ kind, base, from, to string }{
		{"event", goodEvent, "owner: team-orders", "ownr: team-orders"},
		{"event", goodEvent, "summary: An order was paid.\n", ""},
		{"event", goodEvent, "OrderPaid.v1", "OrderPaid"},
		{"event", goodEvent, "OrderPaid.v1", "OrderPaid.v0"},
		{"event", goodEvent, "team-orders", "7"},
		{"event", goodEvent, "payment_id, ", "payment id, "},
		{"event", goodEvent, "[payment_id, 'tenant{}.id']", "[]"},
		{"event", goodEvent, "[payment_id, 'tenant{}.id']", "payment_id"},
		{"event", goodEvent, "  occurred_at: occurred_at\n", ""},
		{"event", goodEvent, "header:id", "'header:'"},
		{"event", goodEvent, "topic: orders.events", "topic: orders.events, encoding: avro"},
		{"event", goodEvent, "channel:", "status: deprecated\nchannel:"},
		{"event", goodEvent, "channel:", "status: live\nchannel:"},
		{"event", goodEvent, "channel:", "deprecated: {since: yesterday, sunset: 2027-01-31}\nchannel:"},
		{"event", goodEvent, "version: 'lines", "vers: 'lines"},
		{"consumer", goodConsumer, "reads: [{event: com.example.OrderPaid.v12}]\n", ""},
		{"consumer", goodConsumer, "OrderPaid.v12}", "OrderPaid.v12, order: newest}"},
		{"consumer", goodConsumer, "OrderPaid.v12}", "OrderPaid.v12, fields: [a..b]}"},
		{"consumer", goodConsumer, "owner:", "retry: {attempts: 0}\nowner:"},
		{"consumer", goodConsumer, "owner:", "retry: {initial: 1}\nowner:"},
		{"consumer", goodConsumer, "owner:", "remember: 30 days\nowner:"},
		{"workspace", "contracts: contracts\n", "contracts:", "contract:"},
		{"workspace", "contracts: contracts\n", "contracts: contracts", "compatibility: both"},
		{"workspace", "contracts: contracts\n", "contracts: contracts", "lint: {severity: {field-lost: fatal}}"},
		{"workspace", "contracts: contracts\n", "contracts: contracts", "waivers: [{rule: field-lost, at: A.v1/b, reason: r, owner: o}]"},
		{"workspace", "contracts: contracts\n", "contracts: contracts", "waivers: [{rule: field-lost, reason: r, owner: o, until: 2027-01-31}]"},
		{"workspace", "contracts: contracts\n", "contracts: contracts", "generate: {go: {out: x, package: my-events}}"},
	} {
		if err := validate(t, c.kind, "m.yaml", []byte(c.base)); err != nil {
			t.Fatalf("%s: the good one: %v", c.kind, err)
		}
		bad := strings.Replace(c.base, c.from, c.to, 1)
		if bad == c.base {
			t.Fatalf("%q is not in the %s", c.from, c.kind)
		}
		if validate(t, c.kind, "m.yaml", []byte(bad)) == nil {
			t.Errorf("%s: %q instead of %q is valid", c.kind, c.to, c.from)
		}
	}
}

// validate compiles as an editor would, and checks one manifest.
func validate(t *testing.T, kind, file string, text []byte) error {
	t.Helper()
	node, errs := source.Parse(file, text)
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	schema, _ := contract.ManifestSchema(kind)
	return jsonschema.MustCompileString(kind+".schema.json", string(schema)).Validate(node.Any())
}

func parsed(t *testing.T, kind string) map[string]any {
	t.Helper()
	text, ok := contract.ManifestSchema(kind)
	if !ok {
		t.Fatalf("there is no schema of %s", kind)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var root map[string]any
	if err := dec.Decode(&root); err != nil {
		t.Fatal(err)
	}
	return root
}
