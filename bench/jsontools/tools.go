package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/evcontract/evcontract/internal/compat/contain"
)

// verdict is a tool's answer to one direction of a pair.
type verdict uint8

const (
	silent verdict = iota // an error, no answer in time, or unknown
	compatible
	breaking
)

// answer is what a tool says of a pair.
type answer struct {
	says map[string]verdict // by direction
	ms   float64            // for both directions
}

// tool is asked about pairs, one after the other.
type tool interface {
	called() string
	ask(p pair) (answer, error)
	close()
}

// ours is the containment checker, compilation included.
type ours struct{}

func (ours) called() string { return "evcontract" }
func (ours) close()         {}

var drafts = map[string]contain.Draft{
	"draft4": contain.Draft4, "draft6": contain.Draft6, "draft7": contain.Draft7, "2019-09": contain.Draft2019, "2020-12": contain.Draft2020,
}

func (ours) ask(p pair) (answer, error) {
	start := time.Now()
	a := answer{says: map[string]verdict{}}
	old, oldErr := compile(p.Old, p.Draft)
	next, nextErr := compile(p.New, p.Draft)
	if oldErr == nil && nextErr == nil {
		a.says["forward"] = verdictOf(contain.Ask(contain.Question{Writer: next, Reader: old}))
		a.says["backward"] = verdictOf(contain.Ask(contain.Question{Writer: old, Reader: next}))
	}
	a.ms = float64(time.Since(start).Microseconds()) / 1000
	return a, nil
}

// refuted reports whether an instance is known that the writer's validator takes
// and the reader's refuses: the witness of a refusal, or one that was made up
// without the prover.
func (p pair) refuted(direction string) bool {
	writer, err := compile(p.Old, p.Draft)
	reader, err2 := compile(p.New, p.Draft)
	if err != nil || err2 != nil {
		return false
	}
	if direction == "forward" {
		writer, reader = reader, writer
	}
	if contain.Ask(contain.Question{Writer: writer, Reader: reader}).Verdict == contain.Refuted {
		return true
	}
	for _, s := range append(contain.Generate(writer, 1, made), contain.Generate(reader, 1, made)...) {
		var refusal *contain.Refusal
		if writer.Validate(s.Instance) == nil && errors.As(reader.Validate(s.Instance), &refusal) {
			return true
		}
	}
	return false
}

// made is how many instances are made up to contradict a label.
const made = 50

func compile(text []byte, draft string) (*contain.Schema, error) {
	return contain.Compile(contain.Source{Path: "schema.json", Draft: drafts[draft], Load: func(name string) ([]byte, error) {
		if name == "schema.json" {
			return text, nil
		}
		return nil, errors.New("not here")
	}})
}

func verdictOf(a contain.Answer) verdict {
	switch a.Verdict {
	case contain.Holds:
		return compatible
	case contain.Refuted:
		return breaking
	}
	return silent
}

//go:embed driver.mjs
var driver []byte

// peer is an npm package in a node process of its own, which is started anew
// when it thinks for too long.
type peer struct {
	name     string
	dir      string
	patience time.Duration

	process *exec.Cmd
	in      io.WriteCloser
	lines   chan string
}

func (p *peer) called() string { return p.name }

func (p *peer) start() error {
	script := filepath.Join(p.dir, "driver.mjs")
	if err := os.WriteFile(script, driver, 0o666); err != nil {
		return err
	}
	p.process = exec.Command("node", "--max-old-space-size=1024", script, p.name, p.dir)
	p.process.Stderr = os.Stderr
	in, err := p.process.StdinPipe()
	if err != nil {
		return err
	}
	out, err := p.process.StdoutPipe()
	if err != nil {
		return err
	}
	if err := p.process.Start(); err != nil {
		return err
	}
	p.in, p.lines = in, make(chan string, 1)
	go func(lines chan<- string) {
		defer close(lines)
		r := bufio.NewReader(out)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			lines <- line
		}
	}(p.lines)
	if _, ok := <-p.lines; !ok {
		p.close()
		return errors.New(p.name + " does not start")
	}
	return nil
}

func (p *peer) ask(q pair) (answer, error) {
	if p.process == nil {
		if err := p.start(); err != nil {
			return answer{}, err
		}
	}
	question, err := json.Marshal(map[string]json.RawMessage{"old": q.Old, "new": q.New})
	if err != nil {
		return answer{}, err
	}
	late := answer{says: map[string]verdict{}, ms: float64(p.patience.Milliseconds())}
	if _, err := p.in.Write(append(question, '\n')); err != nil {
		p.close()
		return late, nil
	}
	select {
	case line, ok := <-p.lines:
		if !ok { // it died of the pair
			p.close()
			return late, nil
		}
		return parse(line)
	case <-time.After(p.patience):
		p.close()
		return late, nil
	}
}

func parse(line string) (answer, error) {
	var said map[string]any
	if err := json.Unmarshal([]byte(line), &said); err != nil {
		return answer{}, err
	}
	a := answer{says: map[string]verdict{}}
	a.ms, _ = said["ms"].(float64)
	for _, d := range directions {
		switch said[d] {
		case true:
			a.says[d] = compatible
		case false:
			a.says[d] = breaking
		}
	}
	return a, nil
}

func (p *peer) close() {
	if p.process == nil {
		return
	}
	_ = p.in.Close()
	_ = p.process.Process.Kill()
	_ = p.process.Wait()
	for range p.lines { // until the reader has seen the end
	}
	p.process = nil
}
