package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// repo is a git repository that objects are read from. Nothing is ever written
// to it, fetched into it or checked out of it.
type repo struct {
	dir     string // where git runs
	prefix  string // of dir below the repository's root: "" or "a/b"
	common  string // absolute path of the directory that holds the objects
	shallow bool
	headRef string // the branch that is checked out, "HEAD" where there is none
	batch   *batch
}

// gitEnv is the environment that git runs in. What a hook of another repository
// may have set is dropped: the directory alone says which repository is meant.
func gitEnv() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(gitLocal, name)
	})
	return append(env,
		"LC_ALL=C", // its messages are looked at
		"GIT_TERMINAL_PROMPT=0",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_REPLACE_OBJECTS=1", // an id must name its own content
		"GIT_NO_LAZY_FETCH=1",
		"GIT_ALLOW_PROTOCOL=none", // the same for git before 2.45, which doesn't know the line above
	)
}

// gitLocal are the variables that bind git to one repository (those that
// `git rev-parse --local-env-vars` lists, without the configuration).
var gitLocal = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
	"GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE", "GIT_GRAFT_FILE", "GIT_SHALLOW_FILE", "GIT_REPLACE_REF_BASE",
	"GIT_IMPLICIT_WORK_TREE", "GIT_INTERNAL_SUPER_PREFIX",
}

func gitCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append([]string{"--no-pager"}, args...)...)
	cmd.Dir = dir
	cmd.Env = gitEnv()
	return cmd
}

// gitError is a git command that failed.
type gitError struct {
	command string
	code    int
	stderr  string
	err     error
}

func (e *gitError) Error() string {
	line, _, _ := strings.Cut(strings.TrimSpace(e.stderr), "\n")
	if line == "" {
		line = e.err.Error()
	}
	return "git " + e.command + ": " + strings.TrimPrefix(line, "fatal: ")
}

func (e *gitError) Unwrap() error { return e.err }

// runGit gives what a command prints, also where it fails.
func runGit(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := gitCommand(ctx, dir, args...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	if err == nil {
		return out.Bytes(), nil
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return out.Bytes(), &gitError{args[0], cmd.ProcessState.ExitCode(), stderr.String(), err}
}

// openRepo finds the repository that holds a directory, and starts its reader.
func openRepo(ctx context.Context, dir string) (*repo, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, errors.New("git is not installed, or not in PATH: install it, or name a directory or an archive")
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, &noRepoError{dir}
	}
	out, err := runGit(ctx, dir, "rev-parse", "--show-prefix", "--is-shallow-repository", "--git-common-dir", "--symbolic-full-name", "HEAD")
	lines := strings.Split(string(out), "\n")
	// Without a first commit the last argument fails, and all others are there.
	if len(lines) < 4 {
		return nil, plainGitError(dir, err)
	}
	r := &repo{dir: dir, prefix: strings.TrimSuffix(lines[0], "/"), shallow: lines[1] == "true", headRef: lines[3]}
	r.common = absolute(dir, lines[2])
	if r.batch, err = startBatch(gitCommand(ctx, dir, "cat-file", "--batch")); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	return r, nil
}

// absolute gives one spelling to a path that git printed.
func absolute(dir, p string) string {
	if !filepath.IsAbs(p) {
		p = filepath.Join(dir, p)
	}
	if real, err := filepath.EvalSymlinks(p); err == nil {
		p = real
	}
	if abs, err := filepath.Abs(p); err == nil {
		p = abs
	}
	return p
}

// noRepoError says that a directory lies in no repository.
type noRepoError struct{ dir string }

func (e *noRepoError) Error() string {
	return fmt.Sprintf("%s is not in a git repository", e.dir)
}

// plainGitError says what keeps git from reading a repository at all.
func plainGitError(dir string, err error) error {
	var failed *gitError
	switch {
	case !errors.As(err, &failed):
		return fmt.Errorf("git does not understand the repository at %s: %w", dir, err)
	case strings.Contains(failed.stderr, "not a git repository"):
		return &noRepoError{dir}
	case strings.Contains(failed.stderr, "dubious ownership"), strings.Contains(failed.stderr, "unsafe repository"):
		return fmt.Errorf("git does not read the repository at %s, because another user owns it: if you trust it, run\n  %s", dir, safeCommand(dir, failed.stderr))
	}
	return failed
}

// safeCommand is the command that git itself proposes.
func safeCommand(dir, stderr string) string {
	for line := range strings.Lines(stderr) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "git config") {
			return line
		}
	}
	return "git config --global --add safe.directory " + shellQuote(dir)
}

// shellQuote makes one word for a shell, for a command that somebody may paste.
func shellQuote(word string) string {
	plain := strings.IndexFunc(word, func(r rune) bool {
		return (r > 'z' || !isWord(byte(r)) && !isDigit(byte(r)) || r == '$') && !strings.ContainsRune("/.-+:@=,", r)
	}) < 0
	if plain && word != "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
