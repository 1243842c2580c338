package source

import (
	"strconv"
	"strings"
)

var unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")

// Find gives the value that a JSON pointer (RFC 6901, such as /properties/a~1b/0)
// names, nil where there is none. "" names the node itself.
func (n *Node) Find(pointer string) *Node {
	if pointer == "" {
		return n
	}
	if n == nil || pointer[0] != '/' {
		return nil
	}
	for step := range strings.SplitSeq(pointer[1:], "/") {
		if n = n.step(unescapePointer.Replace(step)); n == nil {
			return nil
		}
	}
	return n
}

// KeyPos is the place of the key that a JSON pointer ends with, or of the value
// where it ends in a list or is "". It is zero where the pointer leads nowhere.
func (n *Node) KeyPos(pointer string) Pos {
	value := n.Find(pointer)
	if value == nil {
		return Pos{}
	}
	cut := strings.LastIndexByte(pointer, '/')
	if cut < 0 {
		return value.Pos
	}
	for _, m := range n.Find(pointer[:cut]).Members {
		if m.Value == value {
			return m.Pos
		}
	}
	return value.Pos
}

func (n *Node) step(step string) *Node {
	if n.Kind == Map {
		return n.Get(step)
	}
	i, err := strconv.Atoi(step)
	if err != nil || i < 0 || i >= len(n.Items) || strconv.Itoa(i) != step {
		return nil
	}
	return n.Items[i]
}
