package main

import (
	"net/url"
	"testing"
)

func TestVendoredPath(t *testing.T) {
	paths := map[string]string{}
	for _, tt := range []struct{ url, want string }{
		{"https://schemas.example.com/common/address.json", "schemas.example.com/common/address.json"},
		{"https://schemas.example.com/schema/jsonschema/1-0-0", "schemas.example.com/schema/jsonschema/1-0-0.json"},
		{"https://schemas.example.com:8443/a.yaml", "schemas.example.com_8443/a.yaml"},
		{"https://schemas.example.com", "schemas.example.com/index.json"},
		{"https://schemas.example.com/a/../../../etc/b.json", "schemas.example.com/etc/b.json"},
		{"https://schemas.example.com/..%2f..%2fb.json", "schemas.example.com/b.json"},
		{"https://schemas.example.com/a.json?v=1", "schemas.example.com/a_4758655c.json"},
		{"https://schemas.example.com/a.json?v=2", "schemas.example.com/a_03a93904.json"},
		{"https://schemas.example.com/.git/a b.json", "schemas.example.com/_git/a_b_ff620d37.json"},
		{"https://schemas.example.com/paid.event.yaml", "schemas.example.com/paid_event.yaml"},
	} {
		u, err := url.Parse(tt.url)
		if err != nil {
			t.Fatal(err)
		}
		got := vendoredPath(u)
		if got != tt.want {
			t.Errorf("%s is %s, want %s", tt.url, got, tt.want)
		}
		if other := paths[got]; other != "" {
			t.Errorf("%s and %s are one file", tt.url, other)
		}
		paths[got] = tt.url
	}
}

func TestPublicOnly(t *testing.T) {
	for address, public := range map[string]bool{
		"127.0.0.1:80": false, "[::1]:80": false, "10.1.2.3:443": false, "192.168.0.1:443": false, "172.16.0.1:443": false,
		"169.254.169.254:80": false, "[fe80::1]:80": false, "[fd00::1]:80": false, "0.0.0.0:80": false, "[::ffff:10.0.0.1]:80": false,
		"[::ffff:127.0.0.1]:80": false, "224.0.0.1:80": false, "100.64.0.1:80": false, "[64:ff9b::a00:1]:80": false,
		"93.184.215.14:443": true, "[2606:2800:21f:cb07:6820:80da:af6b:8b2c]:443": true,
	} {
		if got := publicOnly("tcp", address, nil) == nil; got != public {
			t.Errorf("%s counts as public: %t", address, got)
		}
	}
}
