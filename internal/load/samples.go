package load

import (
	"io/fs"
	"path"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// maxSamples is how many examples of one event are read: they make a witness
// look like an event that the team knows, and a few do.
const maxSamples = 8

// samples reads an event's valid examples. What is wrong with one is a lint's to
// say.
func samples(tree *source.Tree, e *contract.Event) [][]byte {
	var all [][]byte
	for _, pattern := range e.Examples.Valid {
		files, _ := fs.Glob(tree.FS, path.Join(path.Dir(e.Pos.File), pattern.Value)) // a broken pattern matches nothing
		for _, file := range files {
			if len(all) == maxSamples {
				return all
			}
			data, err := tree.ReadFile(file)
			if err != nil {
				continue
			}
			if node, problems := source.Parse(file, data); len(problems) == 0 {
				all = append(all, node.JSON())
			}
		}
	}
	return all
}
