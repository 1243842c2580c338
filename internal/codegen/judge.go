package codegen

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
)

// A judge is a function that reads one value of a shape, keeps nothing and
// refuses what the shape doesn't allow. Judges exist for what one pass over the
// value cannot decide, and for values that nobody keeps.

// judgeKey is a shape and the way in which it is judged.
type judgeKey struct {
	shape *shape
	how   how
}

// how is the way in which a reader judges a shape.
type how struct {
	want *want // the part that it reads; nil: all. What it doesn't read it doesn't judge.
}

// how is the way in which the values of a type are judged.
func (t *typ) how() how { return how{part(t.want)} }

// part is what is read of a value, nil where it is read whole.
func part(w *want) *want {
	if w == nil || w.all || len(w.steps) == 0 {
		return nil
	}
	return w
}

// below is how what stands one step down is judged; it is false where nobody
// reads it.
func (h how) below(step contract.Step) (how, bool) {
	if h.want == nil {
		return h, true
	}
	w := h.want.at(step)
	return how{part(w)}, w != nil
}

// judgeName gives the function that judges a shape, and has it printed.
func (b *builder) judgeName(s *shape, hint string, h how) string {
	key := judgeKey{judgedAs(s), h}
	if name := b.judges[key]; name != "" {
		return name
	}
	if len(b.judged) > mostTypes {
		b.findings.impossible(b.event, s.pos, "Split the event, or share definitions in place of ones that differ a little.", "the payload would need more than %d types and functions", mostTypes)
		return "(*event.Scanner).Skip"
	}
	if len(hint) > longHint { // of shapes that go round in circles
		hint = strings.ToValidUTF8(hint[:longHint], "") + strconv.Itoa(len(b.judged))
	}
	name := b.names.take("judge" + exported(hint))
	b.judges[key] = name
	b.judged = append(b.judged, key)
	return name
}

// longHint is how long the name of a judge may be, about.
const longHint = 300

// judgedAs is the shape that is judged in place of another: what that refers to.
func judgedAs(s *shape) *shape {
	if resolved, null := resolve(s); !null {
		return resolved
	}
	return s
}

// pass is the statement that judges the value at hand and passes it.
func (b *builder) pass(s *shape, hint string, h how) string {
	if read := trivial(judgedAs(s)); read != "" {
		return read
	}
	return b.judgeName(s, hint, h) + "(s)"
}

// trivial is the statement that passes a value of which only the kind matters.
func trivial(s *shape) string {
	if s.bare() {
		return "s.Skip()"
	}
	only := *s
	only.kinds = allKinds
	if !only.bare() {
		return ""
	}
	switch s.kinds {
	case stringKind:
		return "s.Text()"
	case boolKind:
		return "s.Bool()"
	case integerKind:
		return "s.Integer()"
	case integerKind | numberKind:
		return "s.Number()"
	}
	return ""
}

// printJudges writes the functions that were asked for, and those that they ask
// for in turn.
func (d decoder) printJudges() {
	evaluated := 0
	for i := 0; i < len(d.judged) || evaluated < len(d.evaluated); i++ {
		for ; evaluated < len(d.evaluated); evaluated++ {
			d.printEvaluator(d.evaluated[evaluated])
		}
		if i == len(d.judged) {
			break
		}
		key := d.judged[i]
		name := d.judges[key]
		j := judge{d, key.shape, strings.TrimPrefix(name, "judge"), key.how}
		j.checkable(j.shape, nil)
		d.line("")
		d.line("func %s(s *event.Scanner) {", name)
		j.print()
		d.line("}")
	}
}

type judge struct {
	decoder
	shape *shape
	hint  string
	how   how
}

func (j judge) print() {
	if j.shape.never || j.shape.kinds == 0 {
		j.refuse("the contract allows no value here")
		return
	}
	j.values()
	j.others()
	j.unevaluated()
	j.byKind()
}

// of gives the judge of another shape, called after its part in this one.
func (j judge) of(s *shape, part string) string { return j.judgeName(s, j.hint+part, j.how) }

// whole gives the judge of a shape of which nothing is left out.
func (j judge) whole(s *shape, part string) string { return j.judgeName(s, j.hint+part, how{}) }

// values holds the value against enum and const.
func (j judge) values() {
	s := j.shape
	if j.how.want != nil {
		return // what is read in part is not compared as a whole
	}
	if s.equal != nil {
		j.line("s.OneOf(%s)", literal(string(s.equal.JSON())))
	}
	if s.enum == nil {
		return
	}
	list := make([]string, len(s.enum))
	for i, v := range s.enum {
		list[i] = literal(string(v.JSON()))
	}
	j.line("s.OneOf(%s)", strings.Join(list, ", "))
}

// others asks the other shapes that speak of the value.
func (j judge) others() {
	s := j.shape
	if s.target != nil {
		j.line("s.Also(%s)", j.of(s.target, "Ref"))
	}
	for _, arm := range s.all {
		j.line("s.Also(%s)", j.of(arm, "All"))
	}
	j.alternatives(s.any, false)
	j.alternatives(s.one, j.how.want == nil)
	if j.how.want != nil {
		j.excludedInPart()
		return
	}
	if s.not != nil {
		j.line("if s.Try(%s) {", j.whole(s.not, "Not"))
		j.refuse("the value is one that the contract excludes")
		j.line("}")
	}
	j.condition()
}

// excludedInPart judges not for who reads a part. Of that, nobody can say what it
// is not; but a not of a not says what it is, and a not of everything is false.
func (j judge) excludedInPart() {
	if j.shape.not == nil {
		return
	}
	if twice := j.shape.not.negated(0); twice != nil {
		j.line("s.Also(%s)", j.of(twice, "NotNot"))
	} else if settled, null := settle(j.shape.not); !null && settled.bare() {
		j.refuse("the contract allows no value here")
	}
}

// alternatives wants at least one to fit, or exactly one. Who reads a part cannot
// hold that too many fit.
func (j judge) alternatives(arms []*shape, exactly bool) {
	if arms == nil {
		return
	}
	tries := make([]string, len(arms))
	for i, arm := range arms {
		tries[i] = j.of(arm, "Case")
	}
	if exactly {
		j.line("if n := s.Count(%s); n != 1 {", strings.Join(tries, ", "))
		j.refuse(fmt.Sprintf("want exactly one of %d alternatives to fit, not %%d", len(arms)), "n")
	} else {
		j.line("if s.Count(%s) == 0 {", strings.Join(tries, ", "))
		j.refuse(fmt.Sprintf("none of %d alternatives fits", len(arms)))
	}
	j.line("}")
}

func (j judge) condition() {
	s := j.shape
	if s.cond == nil || s.then == nil && s.otherwise == nil {
		return
	}
	j.line("if s.Try(%s) {", j.whole(s.cond, "If"))
	if s.then != nil {
		j.line("s.Also(%s)", j.of(s.then, "Then"))
	}
	if s.otherwise != nil {
		j.line("} else {")
		j.line("s.Also(%s)", j.of(s.otherwise, "Else"))
	}
	j.line("}")
}

// judgedKinds are the JSON kinds with the function that judges each; "" where
// nothing is to be said of a value beyond its kind.
var judgedKinds = []struct {
	kind kinds
	name string
	want string
}{
	{nullKind, "NullKind", "null"}, {boolKind, "BoolKind", "a boolean"}, {numberKind, "NumberKind", "a number"},
	{integerKind, "NumberKind", "an integer"}, {stringKind, "StringKind", "a string"},
	{listKind, "ListKind", "a list"}, {objectKind, "ObjectKind", "an object"},
}

// byKind says for each kind what may stand there.
func (j judge) byKind() {
	k := j.shape.kinds
	if k&numberKind != 0 {
		k &^= integerKind
	}
	if j.alone(k) {
		return
	}
	if k == allKinds&^integerKind && !j.shape.numeric() && !j.shape.textual() && !j.shape.listed() && !j.shape.objective() {
		j.line("s.Skip()")
		return
	}
	var wants, idle []string
	j.line("switch s.Kind() {")
	for _, x := range judgedKinds {
		if k&x.kind == 0 {
			continue
		}
		wants = append(wants, x.want)
		if !j.says(x.kind) {
			idle = append(idle, "event."+x.name)
			continue
		}
		j.line("case event.%s:", x.name)
		j.ofKind(x.kind)
	}
	if k == allKinds&^integerKind {
		j.line("default:")
		j.line("s.Skip()")
		j.line("}")
		return
	}
	if idle != nil {
		j.line("case %s:", strings.Join(idle, ", "))
		j.line("s.Skip()")
	}
	j.line("default:")
	j.line("s.Want(%s)", quote(strings.TrimPrefix(orList(wants), "want ")))
	j.line("}")
}

// alone judges a value of the only kind that is allowed: reading it as such
// refuses all others.
func (j judge) alone(k kinds) bool {
	switch {
	case k == stringKind && !j.shape.textual():
		j.line("s.Text()")
	case k == boolKind:
		j.line("s.Bool()")
	case k == numberKind && !j.shape.numeric():
		j.line("s.Number()")
	case k == listKind && !j.shape.listed(), k == objectKind && !j.shape.objective():
		return false
	case k == integerKind, k == numberKind, k == stringKind, k == listKind, k == objectKind:
		j.ofKind(k)
	default:
		return false
	}
	return true
}

// says reports whether the shape limits values of a kind.
func (j judge) says(k kinds) bool {
	switch s := j.shape; k {
	case integerKind:
		return true
	case numberKind:
		return s.numeric()
	case stringKind:
		return s.textual()
	case listKind:
		return s.listed()
	case objectKind:
		return s.objective()
	}
	return false
}

func (j judge) ofKind(k kinds) {
	switch k {
	case integerKind:
		if !j.shape.numeric() {
			j.line("s.Integer()")
			return
		}
		j.line("x := s.Integer()")
		j.numberLimits(j.shape, "x")
	case numberKind:
		j.line("x := s.Number()")
		j.numberLimits(j.shape, "x")
	case stringKind:
		j.line("x := s.String()")
		j.textLimits(j.shape, "x")
	case listKind:
		j.list()
	case objectKind:
		j.object()
	}
}
