package codegen

import (
	"fmt"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
)

// producer prints the part of an event's code that user code sees.
type producer struct {
	*printer
	*eventCode
}

func (p producer) print() {
	if p.contract.Vendored {
		p.keyFunction()
		p.identify()
		return
	}
	p.payloadType()
	p.printTypes(p.event(), p.payload.types[1:])
	p.keyType()
	p.publish()
	p.draft()
	p.decode()
	p.identify()
}

func (p producer) event() string { return p.contract.Name.Value.String() }

func (p producer) payloadType() {
	summary := strings.TrimSpace(p.contract.Summary.Value)
	p.line("")
	p.comment(fmt.Sprintf("%s is what a producer says in %s. %s", p.name, p.event(), summary))
	p.line("//")
	p.comment(fmt.Sprintf("The event id and the fields of the key are not here: Publish%s fills them in from the key.", p.name))
	if d := p.contract.Deprecated; d != nil || p.contract.Status.Value == contract.Deprecated {
		p.line("//")
		p.comment("Deprecated: " + successor(d))
	}
	p.line("type %s struct {", p.name)
	p.printFields(p.root)
	for _, o := range p.outside {
		p.line("")
		p.comment(o.doc)
		p.line("%s %s", o.name, o.typ)
	}
	p.line("}")
}

func successor(d *contract.Deprecation) string {
	text := "the contract is deprecated."
	if d != nil && d.Successor.Value.Base != "" {
		text = "use " + d.Successor.Value.String() + "."
	}
	if d != nil && !d.Sunset.Pos.IsZero() {
		text += " It is sent until " + d.Sunset.Value.String() + "."
	}
	return text
}

// keyType declares the opaque key and the only way to make one.
func (p producer) keyType() {
	p.line("")
	p.comment(fmt.Sprintf("%sKey is the idempotency key of %s: one key, one business fact. Only New%sKey makes one, and no other event's key converts into it.", p.name, p.event(), p.name))
	p.line("type %sKey struct {", p.name)
	p.line("_ [0]%sMark", p.lower)
	p.line("key event.Key")
	for _, k := range p.keys {
		p.line("%s %s", k.name, k.typ)
	}
	p.line("}")
	p.line("")
	p.line("type %sMark struct{}", p.lower)
	p.line("")
	p.comment(fmt.Sprintf("New%sKey makes the key of the fact that these values name. %s", p.name, p.emptyKey()))
	p.line("func New%sKey(%s) %sKey {", p.name, p.params(), p.name)
	p.line("return %sKey{key: key%s(%s)%s}", p.name, p.name, p.args(""), p.keyValues())
	p.line("}")
	p.line("")
	p.comment("Key is the key that dedupes: the same for every major version of the event.")
	p.line("func (k %sKey) Key() event.Key { return k.key }", p.name)
	p.keyFunction()
}

func (p producer) emptyKey() string {
	if p.textual() {
		return "Of empty strings it makes the zero key, which nothing can be published with."
	}
	return ""
}

// textual reports whether all of the key's fields are strings, so that an empty
// key can be told from one that was filled in.
func (p producer) textual() bool {
	for _, k := range p.keys {
		if k.typ != "string" {
			return false
		}
	}
	return true
}

func (p producer) keyFunction() {
	p.line("")
	p.line("func key%s(%s) event.Key {", p.name, p.params())
	if p.textual() {
		var empty []string
		for _, k := range p.keys {
			empty = append(empty, k.name+` == ""`)
		}
		p.line("if %s {", strings.Join(empty, " && "))
		p.line("return event.Key{}")
		p.line("}")
	}
	args := []string{quote(p.contract.Name.Value.Base)}
	for _, k := range p.keys {
		args = append(args, asText(k.name, k.typ))
	}
	p.line("return event.NewKey(%s)", strings.Join(args, ", "))
	p.line("}")
}

// asText is a value as NewKey and headers want it.
func asText(x, typ string) string {
	switch typ {
	case "int64":
		return "strconv.FormatInt(" + x + ", 10)"
	case "uint64":
		return "strconv.FormatUint(" + x + ", 10)"
	}
	return x
}

// params declares the key's fields as a function takes them; neighbours of one
// type share it.
func (p producer) params() string {
	var list []string
	for i, k := range p.keys {
		if i+1 < len(p.keys) && p.keys[i+1].typ == k.typ {
			list = append(list, k.name)
		} else {
			list = append(list, k.name+" "+k.typ)
		}
	}
	return strings.Join(list, ", ")
}

func (p producer) args(prefix string) string {
	var list []string
	for _, k := range p.keys {
		list = append(list, prefix+k.name)
	}
	return strings.Join(list, ", ")
}

func (p producer) keyValues() string {
	var b strings.Builder
	for _, k := range p.keys {
		fmt.Fprintf(&b, ", %s: %s", k.name, k.name)
	}
	return b.String()
}

func (p producer) publish() {
	p.line("")
	p.comment(fmt.Sprintf("Publish%s writes the event to the outbox inside the business transaction: it is sent if, and only if, the transaction commits. A key that was published before writes nothing, and the receipt says so. Nothing is written unless the payload is what the contract allows.", p.name))
	p.line("func Publish%s(ctx context.Context, tx event.Tx, key %sKey, payload %s) (event.Receipt, error) {", p.name, p.name, p.name)
	p.line("draft, err := Draft%s(key, payload)", p.name)
	p.line("if err != nil {")
	p.line("return event.Receipt{}, err")
	p.line("}")
	p.line("receipts, err := tx.Append(ctx, draft)")
	p.line("if err != nil {")
	p.line("return event.Receipt{}, err")
	p.line("}")
	p.line("return receipts[0], nil")
	p.line("}")
}
