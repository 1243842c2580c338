package compat

import (
	"fmt"
	"math/rand"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/protobuf"
	"github.com/evcontract/evcontract/internal/rule"
)

// TestPairsProtobuf holds what is said of pairs that were thought of by hand, and
// that decoding agrees. UPDATE=1 rewrites what is said.
func TestPairsProtobuf(t *testing.T) {
	const file = "testdata/pairs/protobuf.txtar"
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var names, sources []string
	for i := 0; i+2 < len(archive.Files); i += 3 {
		names = append(names, path.Dir(archive.Files[i].Name))
		sources = append(sources, string(archive.Files[i].Data), string(archive.Files[i+1].Data))
	}
	for i, name := range names {
		t.Run(name, func(t *testing.T) {
			both := protoEvents(t, "M", sources[2*i], sources[2*i+1])
			want := &archive.Files[3*i+2].Data
			got := saidOfPair(t, both[0], both[1])
			if os.Getenv("UPDATE") != "" {
				*want = []byte(got)
			} else if got != string(*want) {
				t.Errorf("got\n%s\nwant\n%s", got, *want)
			}
		})
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// saidOfPair asks every kind of reader both ways, and writes down what two say.
func saidOfPair(t *testing.T, prev, next *contract.Event) string {
	var said strings.Builder
	for _, as := range propertyKinds() {
		for _, way := range []struct {
			name           string
			reader, writer *contract.Event
		}{{"forward", prev, next}, {"backward", next, prev}} {
			q := Question{Reader: way.reader, Writer: way.writer, As: as}
			r := readProtobuf(q)
			if r.Reason+r.Open != "" {
				t.Errorf("%s %+v: %s", way.name, as, r.Reason+r.Open)
			}
			if problem := unconfirmed(q, r); problem != "" {
				t.Errorf("%s %+v: %s", way.name, as, problem)
			}
			if problem := contradicted(q, r); problem != "" {
				t.Errorf("%s %+v: %s", way.name, as, problem)
			}
			ignores := as.UnknownFields == contract.Ignore && as.UnknownEnums == ""
			if ignores || as.UnknownFields == contract.Reject && as.UnknownEnums == contract.Reject {
				kind := map[bool]string{true: "ignores", false: "refuses"}[ignores]
				fmt.Fprintf(&said, "%s %s %s: %s\n", as.Encoding, way.name, kind, strings.TrimSpace(string(r.Answer)+" "+breakNames(r)))
			}
		}
	}
	return said.String()
}

// contradicted names a random event that spoils a read that holds.
func contradicted(q Question, r Result) string {
	if r.Answer != rule.Holds || slices.ContainsFunc(r.Breaks, unpackable) {
		return ""
	}
	writer := q.Writer.Schema.(*protobuf.Schema)
	g := &wideGen{rand.New(rand.NewSource(1))}
	for range 20 {
		m := dynamicpb.NewMessage(writer.Descriptor())
		g.event(writer, m, 0)
		data, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
		if q.As.Encoding == contract.JSON {
			data, err = protojson.MarshalOptions{Resolver: writer.Types()}.Marshal(m)
		}
		if err != nil {
			continue // there is no such event
		}
		if second, err := independent(q, data); err != nil || second.spoiled() {
			return fmt.Sprintf("it holds, and the oracle says %+v of %v (%v)", second, m, err)
		}
	}
	return ""
}

// unpackable reports whether a warning tells of a type that the reader lacks for
// what an Any carries.
func unpackable(b Break) bool {
	return b.Severity < rule.Error && strings.Contains(b.Message, "may carry")
}
