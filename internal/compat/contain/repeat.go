package contain

import (
	"regexp"
	"strconv"
	"strings"
)

const (
	goRepeat  = 1000   // the largest count that Go's regexp takes
	maxRepeat = 10_000 // the largest count that is spelled out
)

var counted = regexp.MustCompile(`^\{([0-9]+)(,([0-9]*))?\}\??`)

// repeat spells out a count beyond what Go's regexp takes, such as {1,2048}. Its
// answer is false for every other brace, which stays as it is.
func (r *rewriter) repeat() (bool, error) {
	m := counted.FindStringSubmatch(r.in[r.pos:])
	if m == nil {
		return false, nil
	}
	low, err := strconv.Atoi(m[1])
	high, endless := low, false
	if m[2] != "" && m[3] == "" {
		endless = true
	} else if m[3] != "" && err == nil {
		high, err = strconv.Atoi(m[3])
	}
	switch {
	case err != nil || max(low, high) > maxRepeat:
		return true, &Unsupported{r.in, "the count " + m[0]}
	case max(low, high) <= goRepeat || high < low:
		return false, nil
	}
	text := r.out.String()
	atom := text[r.atom:]
	r.out.Reset()
	r.out.WriteString(text[:r.atom])
	r.out.WriteString("(?:" + times(atom, low))
	if endless {
		r.out.WriteString(atom + "*")
	} else {
		r.out.WriteString(upTo(atom, high-low))
	}
	r.put(")", len(m[0]))
	return true, nil
}

func times(atom string, n int) string {
	var b strings.Builder
	for ; n > goRepeat; n -= goRepeat {
		b.WriteString(atom + "{1000}")
	}
	b.WriteString(atom + "{" + strconv.Itoa(n) + "}")
	return b.String()
}

// upTo nests the blocks, so that an automaton is in few of them at once.
func upTo(atom string, n int) string {
	if n <= goRepeat {
		return atom + "{0," + strconv.Itoa(n) + "}"
	}
	return "(?:" + atom + "{0,999}|" + atom + "{1000}" + upTo(atom, n-goRepeat) + ")"
}
