package source

// Kind is the kind of a Node: the data model that JSON and YAML share.
type Kind uint8

const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Map
)

var kindNames = [...]string{"null", "a boolean", "a number", "a string", "a list", "a map"}

// String is the kind as a message names it: "a list".
func (k Kind) String() string { return kindNames[k] }

// Node is one value of a YAML or JSON document and the place where it stands.
// Text is the value of a string, the literal of a number (so that its precision
// is kept) and "true" or "false" of a boolean.
type Node struct {
	Kind    Kind
	Pos     Pos
	Text    string
	Items   []*Node  // of a List
	Members []Member // of a Map, in the order they were written; of a key that is there twice JSON has the last, YAML the first
}

// Member is one key of a Map.
type Member struct {
	Key   string
	Pos   Pos // of the key
	Value *Node
}

// Get gives the value of a key of a Map, nil where there is none.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	for i := range n.Members {
		if n.Members[i].Key == key {
			return n.Members[i].Value
		}
	}
	return nil
}
