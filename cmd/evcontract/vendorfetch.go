package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// The limits of one document. A schema that is larger was not written by a
// person, and one that takes longer is not served to be read.
const (
	maxFetched   = 4 << 20 // bytes
	maxRedirects = 5
	fetchTimeout = 30 * time.Second
)

var errPrivate = errors.New("a redirect leads to a private address")

// vendorClient fetches what the user named. A redirect may lead to another
// server, but not to one inside the user's own network: only the user may name
// such a one.
func vendorClient(named *url.URL) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	trusted := map[string]bool{named.Hostname(): true}
	transport.Proxy = func(r *http.Request) (*url.URL, error) {
		proxy, err := http.ProxyFromEnvironment(r)
		if proxy != nil {
			trusted[proxy.Hostname()] = true
		}
		return proxy, err
	}
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		d := &net.Dialer{Timeout: fetchTimeout}
		if host, _, err := net.SplitHostPort(address); err != nil || !trusted[host] {
			d.Control = publicOnly
		}
		return d.DialContext(ctx, network, address)
	}
	return &http.Client{Transport: transport, Timeout: fetchTimeout, CheckRedirect: checkRedirect}
}

func checkRedirect(r *http.Request, via []*http.Request) error {
	switch {
	case len(via) > maxRedirects:
		return fmt.Errorf("more than %d redirects", maxRedirects)
	case r.URL.Scheme != "http" && r.URL.Scheme != "https":
		return fmt.Errorf("a redirect leads to %s, which is no web address", r.URL.Redacted())
	case r.URL.Scheme == "http" && via[0].URL.Scheme == "https":
		return fmt.Errorf("a redirect leads from https to %s", r.URL.Redacted())
	}
	r.Header.Del("Referer")
	return nil
}

// inside are networks that netip does not count as private: those of carriers,
// and the ways into IPv4 through IPv6.
var inside = []netip.Prefix{netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("2002::/16")}

// publicOnly refuses to connect to an address that is not everybody's.
func publicOnly(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := at.Addr().Unmap()
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || slices.ContainsFunc(inside, func(p netip.Prefix) bool { return p.Contains(ip) }) {
		return errPrivate
	}
	return nil
}

// fetch gets one document.
func fetch(ctx context.Context, client *http.Client, u *url.URL) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/schema+json, application/json, application/yaml;q=0.9, */*;q=0.1")
	request.Header.Set("User-Agent", "evcontract/"+version())
	response, err := client.Do(request)
	if err != nil {
		return nil, withoutURL(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answers %s", response.Status)
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, maxFetched+1))
	switch {
	case err != nil:
		return nil, withoutURL(err)
	case len(data) > maxFetched:
		return nil, fmt.Errorf("it is larger than %d MiB", maxFetched>>20)
	}
	return data, nil
}

// withoutURL leaves out what the caller says itself.
func withoutURL(err error) error {
	if e := (*url.Error)(nil); errors.As(err, &e) {
		if e.Timeout() {
			return fmt.Errorf("no answer within %s", fetchTimeout)
		}
		return e.Err
	}
	return err
}

var (
	odd          = regexp.MustCompile(`[^A-Za-z0-9._~@+-]`)
	schemaEnding = regexp.MustCompile(`\.(json|yaml|yml)$`)
	ownManifest  = regexp.MustCompile(`\.(event|consumer)(\.[a-z]+)$`)
)

// vendoredPath is the file of a URL: its server and its path, so that relative
// references between two documents stay what they are. What no file name can
// say is told apart by a hash.
func vendoredPath(u *url.URL) string {
	steps := []string{u.Host}
	for _, step := range strings.Split(path.Clean("/"+u.Path), "/") {
		if step != "" {
			steps = append(steps, step)
		}
	}
	if len(steps) == 1 {
		steps = append(steps, "index")
	}
	plain := slices.Clone(steps)
	for i, step := range plain {
		step = odd.ReplaceAllString(step, "_")
		if step[0] == '.' { // it would be hidden
			step = "_" + step[1:]
		}
		plain[i] = step[:min(len(step), 100)]
	}
	last := &plain[len(plain)-1]
	ending := schemaEnding.FindString(*last)
	*last = strings.TrimSuffix(*last, ending)
	if ending == "" {
		ending = ".json"
	}
	if u.RawQuery != "" || !slices.Equal(plain[1:len(plain)-1], steps[1:len(steps)-1]) || odd.MatchString(steps[len(steps)-1]) {
		sum := sha256.Sum256([]byte(u.String()))
		*last += "_" + hex.EncodeToString(sum[:4])
	}
	return ownManifest.ReplaceAllString(path.Join(plain...)+ending, "_$1$2")
}
