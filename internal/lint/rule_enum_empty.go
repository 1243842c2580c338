package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/enum-empty.txtar
var enumEmptyExample string

var enumEmpty = &Rule{rule.Doc{
	ID: "enum-empty", Kind: rule.Lint, Severity: rule.Error,
	Title:   "An enum lists no value",
	Why:     "By the standard no event is valid then; some validators accept every one.",
	Fix:     "List the values, or remove enum.",
	Example: enumEmptyExample,
}, problems(jsonschema.EnumEmpty)}
