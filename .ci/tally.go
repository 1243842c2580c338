// Tally reads what go test -json prints, and shows it as go test does: a line
// for each package, and all that a failed test printed. Skipped tests are listed
// with their reason. Its last line counts the tests that ran, together with
// those that earlier runs noted in the same file.
//
//	go test -json ./... | go run .ci/tally.go FILE
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// line is what go test -json prints: an event of a test, of a package, or of a
// build.
type line struct{ Action, Package, Test, Output, ImportPath string }

type tally struct {
	Passed, Skipped, Failed, Packages int

	said    map[[2]string][]string // what a test printed, or a package for itself
	parents map[[2]string]bool     // tests that have tests of their own are not counted
	skipped []string
}

func main() {
	if len(os.Args) != 2 {
		fatal("usage: go test -json ./... | go run .ci/tally.go FILE")
	}
	t := tally{said: map[[2]string][]string{}, parents: map[[2]string]bool{}}
	if before, err := os.ReadFile(os.Args[1]); err == nil {
		if err := json.Unmarshal(before, &t); err != nil {
			fatal(err)
		}
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		text, err := in.ReadString('\n')
		if text == "" && err != nil {
			break
		}
		var l line
		if json.Unmarshal([]byte(text), &l) != nil { // not of go test: what it says is shown
			fmt.Print(text)
			continue
		}
		t.take(l)
	}
	slices.Sort(t.skipped)
	for _, s := range slices.Compact(t.skipped) {
		fmt.Println("skipped:", s)
	}
	fmt.Printf("tests that ran: %d passed, %d failed, %d skipped, in %d packages\n", t.Passed, t.Failed, t.Skipped, t.Packages)
	note, err := json.Marshal(t)
	if err != nil {
		fatal(err)
	}
	if err := os.WriteFile(os.Args[1], note, 0o600); err != nil {
		fatal(err)
	}
	if t.Failed > 0 {
		os.Exit(1)
	}
}

func fatal(what any) {
	fmt.Fprintln(os.Stderr, what)
	os.Exit(2)
}

func (t *tally) take(l line) {
	at := [2]string{l.Package, l.Test}
	switch l.Action {
	case "build-output":
		fmt.Print(l.Output)
	case "run":
		if i := strings.LastIndex(l.Test, "/"); i >= 0 {
			t.parents[[2]string{l.Package, l.Test[:i]}] = true
		}
	case "output":
		t.said[at] = append(t.said[at], l.Output)
	case "pass", "fail", "skip":
		if l.Test == "" {
			t.pack(l)
			return
		}
		t.test(l)
	}
}

func (t *tally) test(l line) {
	at := [2]string{l.Package, l.Test}
	said := t.said[at]
	delete(t.said, at)
	leaf := !t.parents[at]
	switch {
	case l.Action == "fail":
		fmt.Print(strings.Join(said, ""))
		if leaf {
			t.Failed++
		}
	case !leaf:
	case l.Action == "skip":
		t.Skipped++
		t.skipped = append(t.skipped, l.Test+": "+reason(said))
	default:
		t.Passed++
	}
}

// pack shows the package's own line, and everything of one that failed without
// a test that did: a panic belongs to the test that was running.
func (t *tally) pack(l line) {
	own := t.said[[2]string{l.Package, ""}]
	switch {
	case l.Action == "skip" || len(own) == 0:
		return
	case l.Action == "fail":
		for at, said := range t.said {
			if at[0] == l.Package && at[1] != "" {
				fmt.Print(strings.Join(said, ""))
			}
		}
		fmt.Print(strings.Join(own, ""))
		t.Failed = max(t.Failed, 1)
	default:
		fmt.Print(own[len(own)-1])
	}
	t.Packages++
}

// reason is the last line that a skipped test printed before it was skipped.
func reason(said []string) string {
	for _, s := range slices.Backward(said) {
		s = strings.TrimSpace(s)
		if s != "" && !strings.HasPrefix(s, "---") && !strings.HasPrefix(s, "===") {
			return s
		}
	}
	return "no reason given"
}
