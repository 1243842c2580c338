package event

import (
	"net/mail"
	"net/netip"
	"net/url"
	"strings"
)

func isIPv4(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is4()
}

func isIPv6(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is6() && a.Zone() == ""
}

// isHostname holds a name against RFC 1123: labels of letters, digits and
// hyphens, none of which begins or ends with a hyphen.
func isHostname(s string) bool {
	s = strings.TrimSuffix(s, ".")
	if len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > 63 || s[0] == '-' || label[len(label)-1] == '-' || !hostLetters.MatchString(label) {
			return false
		}
	}
	return true
}

var hostLetters = Pattern{{Set: "azAZ09--", Min: 1, Max: -1}}

// isEmail holds an address against RFC 5321: a mailbox of at most 64 bytes and
// a host name, or an IP address in brackets.
func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 0 || at > 64 || len(s) > 254 {
		return false
	}
	domain := s[at+1:]
	if ip, ok := strings.CutPrefix(domain, "["); ok && strings.HasSuffix(ip, "]") {
		ip = strings.TrimSuffix(ip, "]")
		if six, ok := strings.CutPrefix(ip, "IPv6:"); ok {
			return isIPv6(six)
		}
		return isIPv4(ip)
	}
	_, err := mail.ParseAddress(s)
	return err == nil && isHostname(domain)
}

func isURI(s string) bool {
	u, ok := parseURI(s)
	return ok && u.IsAbs()
}

func isURIReference(s string) bool {
	_, ok := parseURI(s)
	return ok && !strings.Contains(s, `\`)
}

// parseURI also wants an IPv6 host to stand in brackets.
func parseURI(s string) (*url.URL, bool) {
	u, err := url.Parse(s)
	if err != nil {
		return nil, false
	}
	if host := u.Hostname(); strings.Contains(host, ":") {
		return u, strings.ContainsAny(u.Host, "[") && strings.ContainsAny(u.Host, "]") && isIPv6(host)
	}
	return u, true
}

// isDuration holds a duration against appendix A of RFC 3339: P3DT2H, P2W.
func isDuration(s string) bool {
	rest, ok := strings.CutPrefix(s, "P")
	date, clock, timed := strings.Cut(rest, "T")
	units, good := durationUnits(date)
	more, fine := durationUnits(clock)
	switch {
	case !ok || !good || !fine || timed && more == "":
		return false
	case units == "W":
		return !timed
	}
	return (units != "" || timed) && strings.Contains("YMD", units) && strings.Contains("HMS", more)
}

// durationUnits gives the letters of 3Y2M.
func durationUnits(s string) (units string, ok bool) {
	for s != "" {
		digits := 0
		for digits < len(s) && s[digits]-'0' < 10 {
			digits++
		}
		if digits == 0 || digits == len(s) {
			return "", false
		}
		units += s[digits : digits+1]
		s = s[digits+1:]
	}
	return units, true
}
