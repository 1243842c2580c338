package source

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Change is a commit that changed a file.
type Change struct {
	Commit string
	Date   time.Time // when it was committed
}

// Changes lists the commits that changed a file of the directory, the newest
// first, as they came onto the branch that is checked out: what a merge brought
// came with the merge. A file that was never committed has none.
func (r *Repository) Changes(ctx context.Context, file string) ([]Change, error) {
	out, err := runGit(ctx, r.repo.dir, "--literal-pathspecs", "log", "--first-parent", "--format=%H %ct", "HEAD", "--", file)
	var failed *gitError
	if errors.As(err, &failed) && failed.code == 128 {
		if _, _, headless := r.repo.commit("HEAD"); errors.Is(headless, errMissing) {
			return nil, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the history of %s: %w", file, err)
	}
	var changes []Change
	for line := range strings.Lines(string(out)) {
		commit, unix, ok := strings.Cut(strings.TrimSpace(line), " ")
		seconds, err := strconv.ParseInt(unix, 10, 64)
		if !ok || err != nil {
			return nil, fmt.Errorf("the history of %s: git log printed %q", file, line)
		}
		changes = append(changes, Change{commit, time.Unix(seconds, 0).UTC()})
	}
	return changes, nil
}
