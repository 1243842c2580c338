package main

import (
	"net/url"
	"strings"
)

// with adds settings, each name=value, to a DSN or to a URL. What isn't a URL
// after all is left to the driver, which says what is wrong with it.
func with(dsn string, settings ...string) string {
	u, err := url.Parse(dsn)
	if err != nil || !strings.Contains(dsn, "://") {
		return dsn + " " + strings.Join(settings, " ")
	}
	query := u.Query()
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		query.Set(name, value)
	}
	u.RawQuery = query.Encode()
	return u.String()
}
