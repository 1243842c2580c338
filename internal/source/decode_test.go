package source

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

type colour string

func (c *colour) UnmarshalText(text []byte) error {
	if s := string(text); s != "red" && s != "blue" {
		return fmt.Errorf("%q is no colour: write red or blue", s)
	}
	*c = colour(text)
	return nil
}

// names is one name or a list of them.
type names []string

func (s *names) DecodeNode(n *Node) []*Error {
	if n.Kind == String {
		*s = names{n.Text}
		return nil
	}
	return Decode(n, (*[]string)(s))
}

type common struct {
	Owner string `yaml:"owner"`
	Place Pos    `yaml:",pos"`
}

type inner struct {
	ID    At[string] `yaml:"id"`
	Count int8       `yaml:"count"`
}

type manifest struct {
	common   `yaml:",inline"`
	Name     string            `yaml:"name"`
	Inner    *inner            `yaml:"inner"`
	List     []At[int]         `yaml:"list"`
	Map      map[string]uint16 `yaml:"map"`
	Any      any               `yaml:"any"`
	Node     *Node             `yaml:"node"`
	Colour   At[colour]        `yaml:"colour"`
	Names    names             `yaml:"names"`
	Ratio    float64           `yaml:"ratio"`
	Flag     bool              `yaml:"flag"`
	Untouch  Pos               `yaml:"-"`
	Nothing  string
	Broken   chan int            `yaml:"broken"`
	Optional map[string][]*inner `yaml:"optional"`
}

func decodeYAMLText(t *testing.T, text string) (manifest, []*Error) {
	t.Helper()
	n, errs := ParseYAML("f.yaml", []byte(text))
	wantErrors(t, errs)
	var m manifest
	return m, append(errs, Decode(n, &m)...)
}

func TestDecode(t *testing.T) {
	n, _ := ParseYAML("f.yaml", []byte(`
owner: me
name: no
inner: {id: x, count: -128}
list: [1, 2]
map: {a: 65535}
any: [1.50, {x: null}]
node: ~
colour: red
names: one
ratio: 1e-3
flag: true
optional: {a: [{id: y}]}
`))
	var m manifest
	wantErrors(t, Decode(n, &m))
	at := func(line, column int) Pos { return Pos{File: "f.yaml", Line: line, Column: column} }
	if m.Owner != "me" || m.Place != at(2, 1) || m.Name != "no" || m.Ratio != 1e-3 || !m.Flag || m.Map["a"] != 65535 {
		t.Errorf("got %+v", m)
	}
	if m.Inner.ID != (At[string]{"x", at(4, 13)}) || m.Inner.Count != -128 || m.List[1] != (At[int]{2, at(5, 11)}) {
		t.Errorf("got %+v %+v", m.Inner, m.List)
	}
	if m.Colour.Value != "red" || m.Node.Kind != Null || !reflect.DeepEqual(m.Names, names{"one"}) || m.Optional["a"][0].ID.Value != "y" {
		t.Errorf("got %+v", m)
	}
	if got := fmt.Sprint(m.Any); got != "[1.50 map[x:<nil>]]" {
		t.Errorf("any is %s", got)
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"[1]", []string{"f.yaml:1:1: want a map, this is a list"}},
		{"ownr: me", []string{`f.yaml:1:1: unknown key "ownr": did you mean "owner"?`}},
		{"inner: {zzzzzz: 1}", []string{`f.yaml:1:9: unknown key "zzzzzz" in inner: it may hold id, count`}},
		{"owner: [me]", []string{"f.yaml:1:8: owner: want a string, this is a list"}},
		{"owner:", []string{"f.yaml:1:7: owner: is empty"}},
		{"name: 1.0", []string{`f.yaml:1:7: name: want a string, this is the number 1.0: put it in quotes, "1.0"`}},
		{"name: true", []string{`f.yaml:1:7: name: want a string, this is the boolean true: put it in quotes, "true"`}},
		{"inner: {count: 1.5}", []string{"f.yaml:1:16: inner.count: want a whole number from -128 to 127, this is 1.5"}},
		{"inner: {count: 128}", []string{"f.yaml:1:16: inner.count: want a whole number from -128 to 127, this is 128"}},
		{"inner: {count: '8'}", []string{`f.yaml:1:16: inner.count: want a whole number from -128 to 127, this is the string "8": remove the quotes`}},
		{"map: {a: -1, b: 65536}", []string{"f.yaml:1:10: map.a: want a whole number from 0 to 65535, this is -1", "f.yaml:1:17: map.b"}},
		{"list: [1, x, {}]", []string{`f.yaml:1:11: list[1]: want a whole number from -9223372036854775808 to 9223372036854775807, this is the string "x"`, "f.yaml:1:14: list[2]"}},
		{"list: 5", []string{"f.yaml:1:7: list: want a list, this is the number 5: write [5]"}},
		{"colour: green", []string{`f.yaml:1:9: colour: "green" is no colour`}},
		{"colour: 5", []string{`f.yaml:1:9: colour: "5" is no colour: write red or blue`}},
		{"names: [1]", []string{"f.yaml:1:9: [0]: want a string"}},
		{"ratio: 1e999", []string{"f.yaml:1:8: ratio: want a number in the range of a float64, this is 1e999"}},
		{"flag: yes", []string{`f.yaml:1:7: flag: want a boolean, this is the string "yes": write true or false`}},
		{"broken: 1", []string{"f.yaml:1:9: broken: cannot be decoded into a chan int"}},
		{"Nothing: x", []string{`f.yaml:1:1: unknown key "Nothing"`}},
	} {
		_, errs := decodeYAMLText(t, c.text)
		t.Run(fmt.Sprintf("%.20q", c.text), func(t *testing.T) { wantErrors(t, errs, c.want...) })
	}
}

func TestDecodeWithoutTarget(t *testing.T) {
	n, _ := ParseYAML("f.yaml", []byte("a: 1"))
	wantErrors(t, Decode(n, manifest{}), "f.yaml:1:1: cannot be decoded into a source.manifest")
	wantErrors(t, Decode(nil, &manifest{}))
}

func TestSuggest(t *testing.T) {
	words := []string{"owner", "producer", "partition_key", "idempotency_key", "to"}
	for word, want := range map[string]string{
		"ownr": "owner", "onwer": "owner", "Owner": "owner", "partition-key": "partition_key", "partitionKey": "partition_key",
		"idempotencykey": "idempotency_key", "xyz": "", "o": "", "TO": "to", strings.Repeat("x", 1000): "",
	} {
		if got := Suggest(word, words); got != want {
			t.Errorf("Suggest(%.20q) = %q, want %q", word, got, want)
		}
	}
}

// FuzzDecode looks for panics, and for errors without a place.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{"owner: me", "inner: {count: 1e9}", "map: {a: 1}", "list: [1, null]", "names: {}", "any: 1", "optional: {a: [{}]}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, _ := ParseYAML("f.yaml", data)
		var m manifest
		for _, err := range Decode(n, &m) {
			if err.Pos.Line == 0 || err.Msg == "" {
				t.Errorf("no place or no words: %v", error(err))
			}
		}
	})
}

func TestErrorsAreErrors(t *testing.T) {
	var err error = Errorf(Pos{File: "f", Line: 2}, "bad %d", 1)
	var e *Error
	if !errors.As(err, &e) || err.Error() != "f:2: bad 1" {
		t.Errorf("got %v", err)
	}
}
