package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/ref-remote.txtar
var refRemoteExample string

var refRemote = &Rule{rule.Doc{
	ID: "ref-remote", Kind: rule.Lint, Severity: rule.Error,
	Title:   "A reference leads out of the workspace",
	Why:     "Nothing is fetched when contracts are checked: what another server says today could be something else tomorrow, and an answer would depend on it.",
	Fix:     "Run evcontract vendor with the URL: it copies the schema into the workspace, with a digest, and the reference finds it there.",
	Example: refRemoteExample,
}, problems(jsonschema.RefRemote)}
