// Command jsontools asks the containment checker and four npm packages the same
// questions about pairs of JSON Schemas, in one run: who is right, who calls
// compatible what is not (unsound), who calls breaking what is compatible
// (incomplete), who gives no answer, and how long both directions of a pair take.
//
//	cd bench && go run ./jsontools [-sample 40] [-only real]
//
// It needs node and npm, and the corpora that EVCONTRACT_CORPORA names. The
// packages are installed into a temporary folder. False is the truth where an
// instance is known that the validator takes under the one schema and refuses
// under the other; true is a label that no instance contradicts. Labels of false
// without an instance, most of them about asserted formats, are left out.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// packages are the tools that are asked, at the versions that are known to work
// with the driver.
var packages = []struct{ name, version string }{
	{"json-schema-diff", "1.0.0"}, {"is-json-schema-subset", "1.1.27"}, {"json-schema-diff-validator", "0.4.2"}, {"jsoncompat", "0.4.2"},
}

func main() {
	sample := flag.Int("sample", 40, "pairs of each corpus, evenly spread; 0 is all of them")
	only := flag.String("only", "", "corpora whose name contains this")
	patience := flag.Duration("patience", 5*time.Second, "how long a tool may think about one pair")
	flag.Parse()
	if err := run(*sample, *only, *patience); err != nil {
		fmt.Fprintln(os.Stderr, "jsontools:", err)
		os.Exit(2)
	}
}

func run(sample int, only string, patience time.Duration) error {
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			fmt.Fprintf(os.Stderr, "%s is not on PATH: nothing is compared with npm's tools for JSON Schema\n", program)
			return nil
		}
	}
	files, err := filepath.Glob(filepath.Join(corpora(), "json", "*"+only+"*.jsonl"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		fmt.Fprintf(os.Stderr, "there are no corpora in %s: nothing is compared with npm's tools for JSON Schema (set EVCONTRACT_CORPORA)\n", corpora())
		return nil
	}
	dir, err := os.MkdirTemp("", "evcontract-jsontools")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tools := []tool{ours{}}
	for _, p := range packages {
		if err := install(dir, p.name+"@"+p.version); err != nil {
			fmt.Fprintf(os.Stderr, "%s@%s cannot be installed and is left out: %v\n", p.name, p.version, err)
			continue
		}
		tools = append(tools, &peer{name: p.name, dir: dir, patience: patience})
	}
	t := table{out: os.Stdout, sums: map[string]*tally{}}
	for _, file := range files {
		pairs, err := read(file, sample)
		if err != nil {
			return err
		}
		corpus := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		if err := t.corpus(corpus, pairs, tools); err != nil {
			return err
		}
	}
	t.total(tools)
	return nil
}

// corpora is the folder that the environment names, or the one beside the
// repository.
func corpora() string {
	if dir := os.Getenv("EVCONTRACT_CORPORA"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "shared", "corpora")
}

func install(dir, pkg string) error {
	cmd := exec.Command("npm", "install", "--prefix", dir, "--no-audit", "--no-fund", "--ignore-scripts", pkg)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	for line := range bytes.Lines(out) {
		if text := strings.TrimSpace(string(line)); text != "" {
			return errors.New(text)
		}
	}
	return err
}

// pair is one line of a corpus.
type pair struct {
	Draft  string           `json:"draft"`
	Old    json.RawMessage  `json:"old"`
	New    json.RawMessage  `json:"new"`
	Expect map[string]*bool `json:"expect"`
}

var directions = []string{"forward", "backward"}

// read takes as many pairs as asked for, evenly spread over the file.
func read(file string, sample int) ([]pair, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []pair
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var p pair
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, p)
	}
	if sample <= 0 || len(all) <= sample {
		return all, lines.Err()
	}
	var some []pair
	for i := range sample {
		some = append(some, all[i*len(all)/sample])
	}
	return some, lines.Err()
}
