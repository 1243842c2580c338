package contract

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/evcontract/evcontract/internal/source"
)

// LockFile is the name of the file at a workspace's root that says where each
// vendored file came from and what it held then.
const LockFile = "evcontract.lock.yaml"

// VendorFolder is the folder of the contracts folder that vendored files go to.
// It is not named vendor: that one belongs to Go.
const VendorFolder = "vendored"

// Lock is evcontract.lock.yaml.
type Lock struct {
	Pos      source.Pos `yaml:",pos"`
	Vendored []Vendored `yaml:"vendored"`
}

// Vendored is one file that was copied into the workspace.
type Vendored struct {
	Pos    source.Pos        `yaml:",pos"`
	File   source.At[string] `yaml:"file"`   // relative to the workspace
	From   source.At[string] `yaml:"from"`   // what was named on the command line: a URL, orders@v1.4.0, a path relative to the workspace
	Commit source.At[string] `yaml:"commit"` // of what a git ref named
	Digest source.At[string] `yaml:"digest"` // of the file, as Digest gives it
}

// Digest is the digest of a vendored file, as the lock file has it.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Of gives what is noted of a file, nil where nothing is.
func (l *Lock) Of(file string) *Vendored {
	for i := range l.Vendored {
		if l.Vendored[i].File.Value == file {
			return &l.Vendored[i]
		}
	}
	return nil
}

// Put notes a file, in the place of what was noted of it before.
func (l *Lock) Put(file, from, digest string) {
	v := l.Of(file)
	if v == nil {
		l.Vendored = append(l.Vendored, Vendored{})
		v = &l.Vendored[len(l.Vendored)-1]
	}
	v.File.Value, v.From.Value, v.Digest.Value = file, from, digest
	slices.SortFunc(l.Vendored, func(a, b Vendored) int { return strings.Compare(a.File.Value, b.File.Value) })
}

// Drop forgets a file.
func (l *Lock) Drop(file string) {
	l.Vendored = slices.DeleteFunc(l.Vendored, func(v Vendored) bool { return v.File.Value == file })
}

// Encode writes the lock file.
func (l *Lock) Encode() []byte {
	var b bytes.Buffer
	b.WriteString("# Written by evcontract vendor: where each copy came from, and what it held then.\nvendored:\n")
	for _, v := range l.Vendored {
		fmt.Fprintf(&b, "  - file: %s\n    from: %s\n    digest: %s\n", scalar(v.File.Value), scalar(v.From.Value), scalar(v.Digest.Value))
		if v.Commit.Value != "" {
			fmt.Fprintf(&b, "    commit: %q\n", v.Commit.Value)
		}
	}
	return b.Bytes()
}

// plainScalar is what YAML reads as a string without quotes.
var plainScalar = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./@+~%=-]*(:[A-Za-z0-9_./@+~%=-]+)*$`)

func scalar(text string) string {
	switch strings.ToLower(text) {
	case "true", "false", "yes", "no", "on", "off", "null", "y", "n":
		return strconv.Quote(text)
	}
	if plainScalar.MatchString(text) {
		return text
	}
	return strconv.Quote(text)
}
