package lint

import (
	_ "embed"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

//go:embed testdata/version-mismatch.txtar
var versionMismatchExample string

var versionMismatch = &Rule{rule.Doc{
	ID: "version-mismatch", Kind: rule.Lint, Severity: rule.Error,
	Title:   "The event and its schema disagree about the major version",
	Why:     "A consumer that follows the schema's package or file name builds against another major version than the one that is published, and its first event fails.",
	Fix:     "Let the event's version, the manifest's file name and the schema's package or file suffix say the same, or drop the version from the file name.",
	Example: versionMismatchExample,
}, checkVersionMismatch}

var (
	fileVersion    = regexp.MustCompile(`[._-]v([1-9][0-9]*)(\.|$)`)
	packageVersion = regexp.MustCompile(`^v([1-9][0-9]*)(?:(?:alpha|beta)[0-9]*)?$`)
)

func checkVersionMismatch(p *Pass) {
	for _, e := range p.declared() {
		if e.Name.Value.Major == 0 {
			continue
		}
		want := strconv.Itoa(e.Name.Value.Major)
		for _, said := range versionsSaid(e) {
			if said.version != want {
				p.event(e, said.at, "%s has the major version %s, but %s says v%s: a reader who follows it builds against another event", e.Name.Value, want, said.by, said.version).about(said.by)
			}
		}
	}
}

// saying is a major version that something beside the event's name claims.
type saying struct {
	by, version string
	at          source.Pos
}

func versionsSaid(e *contract.Event) []saying {
	var list []saying
	file, fragment, _ := strings.Cut(e.SchemaRef.Value, "#")
	for _, f := range []struct {
		by, name string
		at       source.Pos
	}{{"the manifest's file name", e.Pos.File, e.Name.Pos}, {"its schema's file name", file, e.SchemaRef.Pos}} {
		if m := fileVersion.FindStringSubmatch(path.Base(f.name)); m != nil {
			list = append(list, saying{f.by, m[1], f.at})
		}
	}
	for _, segment := range strings.Split(fragment, ".") {
		if m := packageVersion.FindStringSubmatch(segment); m != nil && path.Ext(file) == ".proto" {
			list = append(list, saying{"its schema's package", m[1], e.SchemaRef.Pos})
		}
	}
	return list
}
