package event

// Pattern is a regular expression of the simple kind that most identifiers
// have: runs of ASCII characters, one after the other, from the first to the
// last. ^[A-Z]{2}-[0-9]+$ is Pattern{{"AZ", 2, 2}, {"--", 1, 1}, {"09", 1, -1}}.
type Pattern []Run

// Run is how many characters of a set stand side by side. Each takes as many as
// it can.
type Run struct {
	Set      string // pairs of the first and the last character of a range
	Min, Max int    // a Max of -1 is no limit
}

// MatchString reports whether the whole of a text is what the pattern says.
func (p Pattern) MatchString(text string) bool {
	at := 0
	for i := range p {
		n := p[i].count(text[at:])
		if n < p[i].Min {
			return false
		}
		at += n
	}
	return at == len(text)
}

// Match is MatchString for bytes.
func (p Pattern) Match(text []byte) bool { return p.MatchString(string(text)) }

func (r *Run) count(text string) int {
	n := 0
	for n < len(text) && n != r.Max && r.has(text[n]) {
		n++
	}
	return n
}

func (r *Run) has(c byte) bool {
	for i := 0; i < len(r.Set); i += 2 {
		if r.Set[i] <= c && c <= r.Set[i+1] {
			return true
		}
	}
	return false
}
