package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// repository makes the contests of a real repository: its two refs as they are,
// with every message an event, then with the named events as roots.
func (w workshop) repository(text string) ([]contest, error) {
	words := strings.Fields(text)
	if len(words) < 3 {
		return nil, errors.New("BENCH_REPO: want a repository, an old ref and a new ref, then FILE#MESSAGE for each root")
	}
	from, err := filepath.Abs(words[0])
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(from); err != nil {
		from = words[0]
	}
	dir := filepath.Join(w.dir, "repository")
	for side, ref := range map[string]string{"old": words[1], "new": words[2]} {
		if err := checkout(from, ref, filepath.Join(dir, side)); err != nil {
			return nil, err
		}
	}
	bufs := buf(dir, "new", "old")
	all := []contest{{name: "b-every-message", bufs: bufs, ours: w.evcontract(dir, "new", "old")}}
	if err := grownTree(filepath.Join(dir, "old"), filepath.Join(dir, "grown")); err != nil {
		return nil, err
	}
	all = append(all, contest{
		name: "b-every-file", goal: goals{cpu: 2, memory: 2},
		bufs: buf(dir, "grown", "old"), ours: w.evcontract(dir, "grown", "old"),
	})
	if len(words) == 3 {
		return all, nil
	}
	rooted := filepath.Join(w.dir, "rooted")
	for _, side := range []string{"old", "new"} {
		if err := roots(filepath.Join(dir, side), filepath.Join(rooted, side), words[3:]); err != nil {
			return nil, err
		}
	}
	return append(all, contest{
		name: "b-roots", goal: goals{cpu: 10, memory: 10}, bufs: bufs,
		ours: w.evcontract(rooted, "new", "old"),
	}), nil
}

// checkout writes a ref's .proto files.
func checkout(repository, ref, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	archive := exec.Command("git", "archive", "--format=tar", ref, "--", "*.proto")
	archive.Dir, archive.Stderr = repository, os.Stderr
	unpack := exec.Command("tar", "-x", "-C", to)
	unpack.Stderr = os.Stderr
	pipe, err := archive.StdoutPipe()
	if err != nil {
		return err
	}
	unpack.Stdin = pipe
	if err := archive.Start(); err != nil {
		return err
	}
	return errors.Join(unpack.Run(), archive.Wait())
}

// message begins a message of a file that is not written on one line. What is
// below it is left as it is.
var message = regexp.MustCompile(`(?m)^message \w+ \{[ \t]*$`)

// grownTree copies a tree and gives every message of every file a field more, as
// releases do: no file says what it said. A file without messages is copied as
// it is.
func grownTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		return writeFiles(to, map[string]string{rel: grownFile(string(data))})
	})
}

// grownFile adds a field that every reader takes. Its number is out of the way of
// what real files use and reserve.
func grownFile(text string) string {
	field := "optional string grown_by_the_benchmark = 18999;"
	if unlabelled.MatchString(text) {
		field = strings.TrimPrefix(field, "optional ")
	}
	return message.ReplaceAllString(text, "$0\n  "+field)
}

// unlabelled is found where a field needs no label, or must have none.
var unlabelled = regexp.MustCompile(`(?m)^\s*(syntax\s*=\s*["']proto3["']|edition\s*=)`)

// roots makes a workspace that declares events in a tree of .proto files.
func roots(protos, to string, refs []string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	if err := os.Symlink(protos, filepath.Join(to, "protos")); err != nil {
		return err
	}
	files := map[string]string{"evcontract.yaml": "contracts: contracts\nproto_paths: [protos]\n"}
	for _, ref := range refs {
		_, message, _ := strings.Cut(ref, "#")
		name := message[strings.LastIndexByte(message, '.')+1:]
		files["contracts/"+name+".event.yaml"] = "event: " + name + ".v1\nsummary: One of its messages.\nowner: team\nproducer: service\nstatus: stable\nschema: " + ref +
			"\nchannel: {topic: " + strings.ToLower(name) + ", encoding: protobuf}\n"
	}
	return writeFiles(to, files)
}
