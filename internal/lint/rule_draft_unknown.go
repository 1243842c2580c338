package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/draft-unknown.txtar
var draftUnknownExample string

var draftUnknown = &Rule{rule.Doc{
	ID: "draft-unknown", Kind: rule.Lint, Severity: rule.Error,
	Title:   "A schema names a draft that is none",
	Why:     "Validators refuse it or guess.",
	Fix:     "Write one of the drafts 4, 6, 7, 2019-09 and 2020-12.",
	Example: draftUnknownExample,
}, problems(jsonschema.DraftUnknown)}
