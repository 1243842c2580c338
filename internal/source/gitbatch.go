package source

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

var (
	// errMissing says that an object, or what a name should resolve to, isn't there.
	errMissing = errors.New("not in the repository")
	// errPartial says the same of an object that a partial clone left out.
	errPartial = errors.New("left out of a partial clone")
)

// object is one object of a repository.
type object struct {
	id   string
	kind string // commit, tree, blob, tag
	size int64
	data []byte // nil where the object is larger than what was asked for
}

// batch is one `git cat-file --batch` process. Names go in, objects come out, in
// turn; a lock keeps question and answer of one goroutine together.
type batch struct {
	mu     sync.Mutex
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer // to be read when the process has ended
	err    error        // set when it has
}

func startBatch(cmd *exec.Cmd) (*batch, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	b := &batch{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 64<<10)}
	cmd.Stderr = &b.stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return b, nil
}

// get reads an object by its id or by any name that git resolves. An object
// larger than limit comes without its data.
func (b *batch) get(name string, limit int64) (object, error) {
	if strings.ContainsAny(name, "\n\x00") {
		return object{}, errMissing
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return object{}, b.err
	}
	o, err := b.ask(name, limit)
	if err != nil && !errors.Is(err, errMissing) {
		b.end()
		b.err = b.reason(err)
		return object{}, b.err
	}
	return o, err
}

func (b *batch) ask(name string, limit int64) (object, error) {
	if _, err := io.WriteString(b.in, name+"\n"); err != nil {
		return object{}, err
	}
	head, err := b.out.ReadString('\n')
	if err != nil {
		return object{}, err
	}
	o, ok := parseHead(strings.TrimSuffix(head, "\n"))
	if !ok {
		return object{}, errMissing
	}
	if o.size > limit {
		_, err = b.out.Discard(int(o.size) + 1)
		return o, err
	}
	o.data = make([]byte, o.size+1)
	if _, err := io.ReadFull(b.out, o.data); err != nil {
		return object{}, err
	}
	o.data = o.data[:o.size:o.size] // without the line feed that follows
	return o, nil
}

// parseHead reads "ID KIND SIZE"; any other answer says that there is nothing:
// "NAME missing", "NAME ambiguous".
func parseHead(head string) (object, bool) {
	f := strings.Split(head, " ")
	if len(f) != 3 || len(f[0]) < 40 {
		return object{}, false
	}
	size, err := strconv.ParseInt(f[2], 10, 64)
	return object{id: f[0], kind: f[1], size: size}, err == nil
}

// end waits for the process; how it ends says nothing that its words don't.
func (b *batch) end() {
	b.in.Close()
	_ = b.cmd.Wait()
}

// reason says why the process ended by itself: git gives up at the first object
// that a partial clone lacks and that it may not fetch.
func (b *batch) reason(err error) error {
	said := strings.TrimSpace(b.stderr.String())
	switch {
	case isPartial(said):
		return errPartial
	case said != "":
		return fmt.Errorf("git cat-file ended: %s", said)
	}
	return fmt.Errorf("git cat-file ended: %w", err)
}

func isPartial(stderr string) bool { return strings.Contains(stderr, "promisor remote") }

func (b *batch) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.end()
		b.err = errors.New("the tree was closed")
	}
	return nil
}
