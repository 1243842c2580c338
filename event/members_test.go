package event_test

import (
	"fmt"
	"testing"

	"github.com/evcontract/evcontract/event"
)

// TestMembers: members are kept as they came, and none twice, however many.
func TestMembers(t *testing.T) {
	read := func(text string) ([]event.Member, error) {
		s := event.NewScanner([]byte(text))
		var list []event.Member
		for s.Object(); s.Member(); {
			list = append(list, s.Keep())
		}
		s.Apart(list)
		return list, s.End()
	}
	const text = `{"a":{"x":[1.0]},"":null,"é\"":1e2}`
	list, err := read(text)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(event.EndObject(event.AppendMembers(nil, list), 0)); got != text {
		t.Errorf("got %s, want %s", got, text)
	}
	many := []byte(`{"n0":0`)
	for i := 1; i < 40; i++ {
		many = fmt.Appendf(many, `,"n%d":0`, i)
		if _, err := read(string(many) + "}"); err != nil {
			t.Fatalf("%d members: %v", i+1, err)
		}
		if _, err := read(string(many) + `,"n0":0}`); err == nil || err.Error() != "n0: the member stands there twice" {
			t.Fatalf("%d members and one again: %v", i+1, err)
		}
	}
}
