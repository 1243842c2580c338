package event

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestExtend: a list of any length is read whole, and what only seems a long list
// makes room for few.
func TestExtend(t *testing.T) {
	type pair struct{ x int64 }
	read := func(document string) []pair {
		s := NewScanner([]byte(document))
		list := []pair{}
		for s.List(); s.Element(); {
			list = Extend(&s, list)
			last := &list[len(list)-1]
			for s.Object(); s.Member(); {
				if string(s.Name()) == "x" {
					last.x = s.Int()
				} else {
					s.Skip()
				}
			}
		}
		if err := s.End(); err != nil {
			t.Fatal(document, err)
		}
		return list
	}
	for _, n := range []int{0, 1, 2, 3, 5, 100, 5000} {
		for _, end := range []string{`}`, `,"y":[1]}`, `,"y":"]},{"}`, ` } `} {
			var list []string
			for i := range n {
				list = append(list, fmt.Sprintf(`{"x":%d`+end, i))
			}
			got := read("[" + strings.Join(list, ",") + "]")
			if len(got) != n {
				t.Errorf("%d elements were read, not %d", len(got), n)
			}
			for i, p := range got {
				if p.x != int64(i) {
					t.Errorf("element %d is %d", i, p.x)
				}
			}
		}
	}
	if list := read(`[{},{"y":"` + strings.Repeat("x", 1<<20) + `"}]`); cap(list) > mostLikely {
		t.Errorf("a list of two makes room for %d", cap(list))
	}
	rooms := 0
	s := NewScanner(bytes.Repeat([]byte(`{},{},`), 1000))
	s.data = append(s.data, ']')
	for s.at = 0; s.at < len(s.data); s.at += 6 {
		rooms += s.likely()
	}
	if rooms > 3*len(s.data) {
		t.Errorf("%d bytes make room for %d elements", len(s.data), rooms)
	}
}

func TestRuneCount(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		var b []byte
		for range random.IntN(30) {
			b = utf8.AppendRune(b, []rune{'a', 'z', 0, 0x7f, 'é', '€', '한', '😀', utf8.RuneError, utf8.MaxRune}[random.IntN(10)])
		}
		if got, want := RuneCount(string(b)), utf8.RuneCount(b); got != want {
			t.Fatalf("%q: %d, not %d", b, got, want)
		}
	}
}

// TestShortWindow: of a short document every string is cut from one window, but
// not while a reader is only tried.
func TestShortWindow(t *testing.T) {
	document := `{"a":"` + strings.Repeat("x", 100) + `","b":"` + strings.Repeat("y", 1500) + `","c":{"d":"e"}}`
	s := NewScanner([]byte(document))
	read := func(s *Scanner) {
		for s.Object(); s.Member(); {
			if name := s.NameString(); name == "c" {
				s.Skip()
			} else if got := s.String(); got[:1] != map[string]string{"a": "x", "b": "y"}[name] {
				t.Errorf("%s is %.10q", name, got)
			}
		}
	}
	if !s.Try(read) || s.window != "" {
		t.Error("who is tried opens the window of who tries")
	}
	if read(&s); s.End() != nil || len(s.window) < 1600 {
		t.Errorf("%v, a window of %d bytes", s.End(), len(s.window))
	}
}
