package load

import (
	"cmp"
	"errors"
	"io/fs"

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

// Docs lists the rules that loading itself applies.
var Docs = []rule.Doc{Unreadable, VendoredChanged}

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
