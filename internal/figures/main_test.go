package main

import (
	"strings"
	"testing"
)

const others = `{"name":"relay","value":1200.5,"unit":"events/s","ratio":12,"against":"bare insert","goal":10}
{"name":"bare insert","value":100,"unit":"rows/s","ratio":0,"against":"","goal":0}
`

const output = `goos: linux
pkg: github.com/evcontract/evcontract
BenchmarkCommand/version-2   	     100	   4000000 ns/op
BenchmarkCommand/lint-2      	      50	  16000000 ns/op
BenchmarkCommand/lint-2      	      50	  12000000 ns/op
BenchmarkCommand/lint-2      	      50	  10000000 ns/op
PASS
pkg: github.com/evcontract/evcontract/store/sqlite
BenchmarkInbox      	      50	  99 ns/op	 12.5 MB/s	 5000 events/s	 3 B/op	 1 allocs/op
ok  	github.com/evcontract/evcontract/store/sqlite	1.2s
`

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(strings.NewReader(others+output), &out, "github.com/evcontract/evcontract", "# comment\nCommand/lint Command/version <= 5\nCommand/check Command/version <= 5 # not measured\n"); err != nil {
		t.Fatal(err)
	}
	want := output + `{"name":"Command/version","value":4000000,"unit":"ns/op","ratio":null,"against":null,"goal":null}
{"name":"Command/lint","value":12000000,"unit":"ns/op","ratio":3,"against":"Command/version","goal":"<= 5"}
{"name":"store/sqlite.Inbox","value":99,"unit":"ns/op","ratio":null,"against":null,"goal":null}
{"name":"store/sqlite.Inbox","value":5000,"unit":"events/s","ratio":null,"against":null,"goal":null}
{"name":"relay","value":1200.5,"unit":"events/s","ratio":12,"against":"bare insert","goal":">= 10"}
{"name":"bare insert","value":100,"unit":"rows/s","ratio":null,"against":null,"goal":null}
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}

func TestRunFailures(t *testing.T) {
	for _, c := range []struct{ output, goals, want string }{
		{output + "FAIL\tgithub.com/evcontract/evcontract/event\n", "", "a benchmark failed"},
		{output, "Command/lint 5\n", "goals.txt"},
	} {
		var out strings.Builder
		if err := run(strings.NewReader(c.output), &out, "m", c.goals); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

func TestGoals(t *testing.T) {
	if err := compare(nil, goals); err != nil {
		t.Error(err)
	}
}
