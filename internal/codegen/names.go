package codegen

import (
	"go/token"
	"strconv"
	"strings"
	"unicode"
)

// initialisms are written in capitals, as Go does it.
var initialisms = words(`ACL API ASCII AWS BIC CPU CSS CSV DB DNS EAN EOF GPS GTIN GUID HTML HTTP HTTPS IBAN ID IP ISBN ISO
	JSON JWT MAC MIME OS PDF PIN QPS RAM RPC SDK SHA SKU SLA SLO SMS SMTP SQL SSH SSL TCP TLS TTL UDP UI UID URI URL URN
	UTC UTF8 UUID VAT VM XML XSRF XSS`)

func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// exported makes a Go name of a name in a schema: payment_id is PaymentID.
func exported(name string) string {
	var b strings.Builder
	for _, w := range split(name) {
		b.WriteString(capital(w))
	}
	got := b.String()
	switch {
	case got == "":
		return "X"
	case !unicode.IsUpper([]rune(got)[0]):
		return "X" + got
	}
	return got
}

// unexported makes a Go name for use inside the package: paymentID. It never is
// a keyword or a predeclared name.
func unexported(name string) string {
	got := lower(name)
	if taken[got] {
		got += "Value"
	}
	return got
}

// lower makes a Go name that begins with a small letter and is no keyword.
func lower(name string) string {
	parts := split(name)
	if len(parts) == 0 || !unicode.IsLetter([]rune(parts[0])[0]) {
		return "x" + exported(name)
	}
	got := strings.ToLower(parts[0])
	for _, w := range parts[1:] {
		got += capital(w)
	}
	if token.IsKeyword(got) {
		got += "Value"
	}
	return got
}

// taken are names that generated functions use for themselves or that mean
// something in every Go file.
var taken = words(`any append bool byte cap clear close complex copy delete error false float32 float64 imag int
	int32 int64 iota len make max min new nil panic print println real recover rune string true uint uint64
	event strconv`)

func capital(w string) string {
	upper := strings.ToUpper(w)
	switch {
	case initialisms[upper]:
		return upper
	case len(upper) > 1 && initialisms[upper[:len(upper)-1]] && upper[len(upper)-1] == 'S':
		return upper[:len(upper)-1] + "s" // IDs, URLs
	}
	r := []rune(w)
	return string(unicode.ToUpper(r[0])) + string(r[1:])
}

// split cuts a name into words: at what is no letter or digit, before a capital
// that follows a small letter, and before the last capital of several.
func split(name string) []string {
	var parts []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			parts = append(parts, string(word))
		}
		word = nil
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
			continue
		case unicode.IsUpper(r) && i > 0 && humps(runes, i):
			end()
		}
		word = append(word, r)
	}
	end()
	return parts
}

func humps(runes []rune, i int) bool {
	before := runes[i-1]
	if unicode.IsLower(before) || unicode.IsDigit(before) {
		return true
	}
	return unicode.IsUpper(before) && i+1 < len(runes) && unicode.IsLower(runes[i+1])
}

// singular names one element of a list.
func singular(name string) string {
	for _, end := range []struct{ plural, one string }{{"ies", "y"}, {"sses", "ss"}, {"ss", ""}, {"s", ""}} {
		stem, ok := strings.CutSuffix(name, end.plural)
		if ok && end.plural != "ss" && len(stem) > 1 {
			return stem + end.one
		}
		if ok {
			break
		}
	}
	return name + "Item"
}

// names gives every name once: a second taker gets a number.
type names map[string]bool

func (n names) take(name string) string {
	got := name
	for i := 2; n[got]; i++ {
		got = name + strconv.Itoa(i)
	}
	n[got] = true
	return got
}

// fileName makes a file's name of an event's or a consumer's: order_paid_v1.
func fileName(name string) string {
	return strings.ToLower(strings.Join(split(name), "_"))
}
