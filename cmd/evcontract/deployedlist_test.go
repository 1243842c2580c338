package main

import (
	"testing"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/source"
)

// TestNameReleases finds the newest release whose contracts have the revision
// that an inbox reports, of the consumer that reports it.
func TestNameReleases(t *testing.T) {
	set := func(treatment string) *contract.Set {
		tree, err := source.InMemory("release", map[string][]byte{
			"evcontract.yaml":                  []byte("contracts: contracts\n"),
			"contracts/paid.event.yaml":        []byte("event: Paid.v1\nsummary: s\nowner: o\nproducer: orders\nschema: paid.schema.json\nchannel: {topic: t}\n"),
			"contracts/paid.schema.json":       []byte(`{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {"id": {"type": "string"}}}`),
			"contracts/loyalty.consumer.yaml":  []byte("consumer: loyalty\nowner: o\nreads: [{event: Paid.v1, unknown_fields: " + treatment + "}]\n"),
			"contracts/reporter.consumer.yaml": []byte("consumer: reporter\nowner: o\nreads: [{event: Paid.v1}]\n"),
		})
		if err != nil {
			t.Fatal(err)
		}
		s, err := load.Set(t.Context(), tree, load.Options{})
		if err != nil || len(s.Findings) > 0 {
			t.Fatal(err, s.Findings)
		}
		return s
	}
	old, next := set("ignore"), set("reject")
	revision := func(s *contract.Set, i int) string { return s.Consumers[i].Revision(s) }
	all := []reported{
		{Consumer: "loyalty", Revision: revision(old, 0)},
		{Consumer: "loyalty", Revision: revision(next, 0)},
		{Consumer: "reporter", Revision: revision(old, 1)},
		{Consumer: "reporter", Revision: revision(next, 0)},
		{Consumer: "loyalty", Revision: "0123456789abcdef"},
	}
	nameReleases(all, next, "v1.1.0")
	nameReleases(all, old, "v1.0.0")
	for i, want := range []string{"v1.0.0", "v1.1.0", "v1.1.0", "", ""} {
		if all[i].Release != want {
			t.Errorf("%s at %s is release %q, want %q", all[i].Consumer, all[i].Revision, all[i].Release, want)
		}
	}
}
