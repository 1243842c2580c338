// Command figures reads what go test -bench prints, passes it on, and ends with
// one JSON line for each figure, compared with what goals.txt names. JSON lines
// of other programs that measure are gathered among them.
//
//	go test -run '^$' -bench . ./... | go run ./internal/figures
package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
)

//go:embed goals.txt
var goals string

func main() {
	module := "github.com/evcontract/evcontract"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Path != "" {
		module = info.Main.Path
	}
	if err := run(os.Stdin, os.Stdout, module, goals); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

// figure is one line of the result. Ratio is its value by that of the figure it
// is compared with.
type figure struct {
	Name    string   `json:"name"`
	Value   float64  `json:"value"`
	Unit    string   `json:"unit"`
	Ratio   *float64 `json:"ratio"`
	Against *string  `json:"against"`
	Goal    *string  `json:"goal"`
}

func run(in io.Reader, out io.Writer, module, goals string) error {
	figures, err := collect(in, out, module)
	if err != nil {
		return err
	}
	if err := compare(figures, goals); err != nil {
		return err
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for _, f := range figures {
		if err := enc.Encode(f); err != nil {
			return err
		}
	}
	return nil
}

var (
	packageLine = regexp.MustCompile(`^pkg: (\S+)`)
	resultLine  = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(\S.*)$`)
	failedLine  = regexp.MustCompile(`^(FAIL|--- FAIL|panic:)`)
)

// derived are units that say again, or beside the point, what another figure of
// the same benchmark says.
var derived = []string{"MB/s", "B/op", "allocs/op"}

// collect copies the output and gives a figure for each benchmark and unit: the
// median where it ran several times. A name begins with the package's path in
// the module, and with nothing in the module's own package.
func collect(in io.Reader, out io.Writer, module string) ([]*figure, error) {
	type key struct{ name, unit string }
	values := map[key][]float64{}
	var order []key
	var others []*figure
	var pkg string
	failed := false
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if f := measured(line); f != nil {
			others = append(others, f)
			continue
		}
		fmt.Fprintln(out, line)
		failed = failed || failedLine.MatchString(line)
		if m := packageLine.FindStringSubmatch(line); m != nil {
			pkg = strings.TrimPrefix(strings.TrimPrefix(m[1], module)+".", "/")
			pkg = strings.TrimPrefix(pkg, ".")
		}
		m := resultLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		fields := strings.Fields(m[2])
		for i := 0; i+1 < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i], 64)
			k := key{pkg + m[1], fields[i+1]}
			if err != nil || slices.Contains(derived, k.unit) {
				continue
			}
			if values[k] == nil {
				order = append(order, k)
			}
			values[k] = append(values[k], value)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if failed {
		return nil, fmt.Errorf("a benchmark failed: see above")
	}
	var figures []*figure
	for _, k := range order {
		v := values[k]
		slices.Sort(v)
		figures = append(figures, &figure{Name: k.name, Value: v[len(v)/2], Unit: k.unit})
	}
	return append(figures, others...), nil
}

// measured reads a JSON line that another program made, nil where it is none.
// Such a program may write zero for what there is not, and a goal as the least
// ratio that is good.
func measured(line string) *figure {
	var m struct {
		Name, Unit, Against string
		Value, Ratio        float64
		Goal                any
	}
	if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &m) != nil || m.Name == "" || m.Unit == "" {
		return nil
	}
	f := &figure{Name: m.Name, Value: m.Value, Unit: m.Unit}
	if m.Against != "" {
		f.Against, f.Ratio = &m.Against, &m.Ratio
	}
	switch goal := m.Goal.(type) {
	case string:
		f.Goal = &goal
	case float64:
		if least := fmt.Sprintf(">= %v", goal); goal != 0 {
			f.Goal = &least
		}
	}
	return f
}

// compare fills in what each line of goals says: a figure, the one that it is
// compared with, and what their ratio shall be.
func compare(figures []*figure, goals string) error {
	byName := map[string]*figure{}
	for _, f := range figures {
		byName[f.Name] = f
		byName[f.Name+":"+f.Unit] = f
	}
	for line := range strings.Lines(goals) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if len(words) != 4 {
			return fmt.Errorf("goals.txt: %q: want FIGURE FIGURE <= RATIO", strings.TrimSpace(line))
		}
		f, against := byName[words[0]], byName[words[1]]
		if f == nil || against == nil || against.Value == 0 {
			continue // not measured this time
		}
		ratio, goal := f.Value/against.Value, words[2]+" "+words[3]
		f.Ratio, f.Against, f.Goal = &ratio, &words[1], &goal
	}
	return nil
}
