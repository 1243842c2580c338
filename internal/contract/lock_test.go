package contract_test

import (
	"testing"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// TestLock holds that a lock file reads back as it was written.
func TestLock(t *testing.T) {
	var written contract.Lock
	for _, v := range [][2]string{
		{"contracts/vendored/b.json", "https://schemas.example.com:8443/b.json"},
		{"contracts/vendored/a b.json", "https://schemas.example.com/a.json?v=1&x=[y]"},
		{"no", "../orders"},
		{"1e5", "# not a comment"},
	} {
		written.Put(v[0], "replaced", "sha256:0")
		written.Put(v[0], v[1], contract.Digest([]byte(v[0])))
	}
	root, errs := source.Parse(contract.LockFile, written.Encode())
	var read contract.Lock
	if errs = append(errs, source.Decode(root, &read)...); len(errs) > 0 {
		t.Fatal(errs[0], string(written.Encode()))
	}
	if len(read.Vendored) != 4 {
		t.Fatalf("%d entries", len(read.Vendored))
	}
	for i, v := range read.Vendored {
		w := written.Vendored[i]
		if v.File.Value != w.File.Value || v.From.Value != w.From.Value || v.Digest.Value != w.Digest.Value {
			t.Errorf("wrote %+v, read %+v", w, v)
		}
		if read.Of(v.File.Value).Digest.Value != contract.Digest([]byte(v.File.Value)) {
			t.Errorf("%s has another digest", v.File.Value)
		}
	}
	if read.Of("contracts/vendored/c.json") != nil {
		t.Error("a file that was not vendored is found")
	}
}
