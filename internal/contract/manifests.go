package contract

import "embed"

//go:embed manifests/*.schema.json
var manifests embed.FS

// ManifestSchema gives the published JSON Schema (2020-12) of a kind of
// manifest: event, consumer or workspace. Editors complete and check with it;
// the tool itself decodes strictly and needs none. It reports false for a kind
// that there is not.
func ManifestSchema(kind string) ([]byte, bool) {
	text, err := manifests.ReadFile("manifests/" + kind + ".schema.json")
	return text, err == nil
}
