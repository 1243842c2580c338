package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/keyword-draft.txtar
var keywordDraftExample string

var keywordDraft = &Rule{rule.Doc{
	ID: "keyword-draft", Kind: rule.Lint, Severity: rule.Warning,
	Title:   "A keyword belongs to another draft",
	Why:     "A validator ignores it, so it allows what its author forbade.",
	Fix:     "Move the schema to a draft that has the keyword, or say it with this draft's words.",
	Example: keywordDraftExample,
}, problems(jsonschema.KeywordDraft)}
