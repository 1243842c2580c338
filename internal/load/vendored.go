package load

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// VendoredChanged documents the rule of copies that are none any more.
var VendoredChanged = rule.Doc{
	ID: "vendored-changed", Kind: rule.Tool, Severity: rule.Error,
	Title: "A vendored file is not what was vendored",
	Why:   "It passes for the schema of its owner, and says something else: what is checked and generated here is not what others read.",
	Fix:   "Fetch it again with evcontract vendor and what the lock file has under from; a change of your own belongs into a schema of your own.",
}

// VendoredBehind documents the rule of copies whose original moved on.
var VendoredBehind = rule.Doc{
	ID: "vendored-behind", Kind: rule.Tool, Severity: rule.Info,
	Title: "The producer of a vendored contract has moved on",
	Why:   "The copy is another revision than the producer's newest release. As long as every consumer here can read that one too, nothing is wrong; a consumer that wants the new fields vendors them.",
	Fix:   "Run evcontract vendor with the newer release, then evcontract check and evcontract generate.",
}

// Docs lists the rules that loading itself applies.
var Docs = []rule.Doc{Unreadable, VendoredChanged, VendoredBehind}

// vendoredRoot is the folder of what was copied from one other repository, for a
// file in it; empty for all other files.
func (l *loader) vendoredRoot(file string) string {
	folder := l.vendorFolder()
	rest, inside := strings.CutPrefix(file, folder+"/")
	name, _, nested := strings.Cut(rest, "/")
	if !inside || !nested || len(l.set.Lock.Vendored) == 0 {
		return ""
	}
	return path.Join(folder, name)
}

func (l *loader) vendorFolder() string {
	return path.Join(path.Clean(l.set.Workspace.Contracts.Value), contract.VendorFolder)
}

// strange complains of a contract among the copies that is none: it would pass
// for one that is written here.
func (l *loader) strange(e *contract.Event) {
	file := e.Pos.File
	if e.Vendored || l.set.Workspace.Pos.IsZero() || !strings.HasPrefix(file, l.vendorFolder()+"/") {
		return
	}
	doc := VendoredChanged
	l.set.Findings = append(l.set.Findings, rule.Finding{
		Rule: doc.ID, Severity: doc.Severity, Path: file, New: source.Pos{File: file, Line: 1, Column: 1},
		Message:     file + " lies where copies belong, and " + contract.LockFile + " does not say what it is a copy of",
		Fix:         "Fetch it with evcontract vendor; a contract of your own belongs outside of " + l.vendorFolder() + ".",
		Fingerprint: rule.Fingerprint(doc.ID, file, "not in the lock file"),
	})
}

// lock reads the lock file, where there is one, and compares each vendored file
// with it.
func (l *loader) lock() {
	data, err := l.tree.ReadFile(contract.LockFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		l.fail(err)
		return
	}
	l.decode(contract.LockFile, data, &l.set.Lock)
	for i := range l.set.Lock.Vendored {
		l.compare(&l.set.Lock.Vendored[i])
	}
}

func (l *loader) compare(v *contract.Vendored) {
	at := source.Pos{File: v.File.Value, Line: 1, Column: 1}
	data, err := l.tree.ReadFile(v.File.Value)
	switch {
	case v.File.Value == "" || v.Digest.Value == "":
		l.changed(v.Pos, v, "an entry names no file, or no digest")
	case err != nil:
		l.changed(v.File.Pos, v, v.File.Value+" was vendored from "+v.From.Value+" and is not there")
	case contract.Digest(data) != v.Digest.Value:
		l.changed(at, v, v.File.Value+" is not what was vendored from "+v.From.Value+": it was edited, or the lock file was")
	}
}

func (l *loader) changed(at source.Pos, v *contract.Vendored, message string) {
	doc := VendoredChanged
	l.set.Findings = append(l.set.Findings, rule.Finding{
		Rule: doc.ID, Severity: doc.Severity, Path: cmp.Or(v.File.Value, contract.LockFile), Message: message, New: at,
		Fix:         "Run evcontract vendor " + v.From.Value + "; a change of your own belongs into a schema of your own.",
		Fingerprint: rule.Fingerprint(doc.ID, v.File.Value, v.Digest.Value),
	})
}

// urls are the vendored files by the URL that they came from.
func (l *loader) urls() map[string]string {
	urls := map[string]string{}
	for _, v := range l.set.Lock.Vendored {
		urls[v.From.Value] = v.File.Value
	}
	return urls
}
