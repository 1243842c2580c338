package main

import "testing"

func TestWith(t *testing.T) {
	for dsn, want := range map[string]string{
		"host=/tmp dbname=a":                      "host=/tmp dbname=a search_path=s application_name=b",
		"postgres://u:p@h:5/db":                   "postgres://u:p@h:5/db?application_name=b&search_path=s",
		"postgres:///db?host=%2Ftmp&search_path=": "postgres:///db?application_name=b&host=%2Ftmp&search_path=s",
	} {
		if got := with(dsn, "search_path=s", "application_name=b"); got != want {
			t.Errorf("%s: got %s, want %s", dsn, got, want)
		}
	}
}
