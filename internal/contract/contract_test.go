package contract

import (
	"testing"
	"time"
)

func TestName(t *testing.T) {
	for _, good := range []string{"OrderPaid.v1", "com.example.OrderPaid.v12", "order_paid.v3"} {
		n, err := ParseName(good)
		if err != nil || n.String() != good {
			t.Errorf("ParseName(%q) = %v, %v", good, n, err)
		}
	}
	for _, bad := range []string{"", "OrderPaid", "OrderPaid.v0", "OrderPaid.1", "OrderPaid.v01", "Order Paid.v1", ".v1", "OrderPaid.v1.2", "OrderPaid.v9999999999"} {
		if n, err := ParseName(bad); err == nil {
			t.Errorf("ParseName(%q) = %v, want an error", bad, n)
		}
	}
}

func TestPath(t *testing.T) {
	for _, good := range []string{"order_id", "lines[].price", "a.b.c", "labels{}.x", "tuple[0][12]", `"odd name"."a.b"`, `$ref.@type`, "[]", "{}.x"} {
		p, err := ParsePath(good)
		if err != nil || p.String() != good {
			t.Errorf("ParsePath(%q) = %v, %v", good, p, err)
		}
	}
	for _, bad := range []string{"", ".", "a..b", "a[", "a[-1]", "a[x]", "a b", `"open`, "a[]b", "a.", "a{"} {
		if p, err := ParsePath(bad); err == nil {
			t.Errorf("ParsePath(%q) = %v, want an error", bad, p)
		}
	}
}

func TestDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{"30d": 720 * time.Hour, "1.5d": 36 * time.Hour, "72h": 72 * time.Hour, "0s": 0} {
		var d Duration
		if err := d.UnmarshalText([]byte(text)); err != nil || time.Duration(d) != want {
			t.Errorf("%q = %v, %v", text, time.Duration(d), err)
		}
	}
	for _, bad := range []string{"", "7", "-1s", "d", "-3d", "NaNd", "1e99d"} {
		var d Duration
		if err := d.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q = %v, want an error", bad, d)
		}
	}
}

func FuzzPath(f *testing.F) {
	for _, s := range []string{"a.b[].c", `"x y"{}`, "[0]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParsePath(s)
		if err != nil {
			return
		}
		again, err := ParsePath(p.String())
		if err != nil || again.String() != p.String() {
			t.Fatalf("%q reads back as %v, %v", p.String(), again, err)
		}
	})
}
