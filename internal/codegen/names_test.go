package codegen

import (
	"go/token"
	"testing"

	"github.com/evcontract/evcontract/internal/jsonschema"
)

func TestExported(t *testing.T) {
	for name, want := range map[string]string{
		"payment_id": "PaymentID", "paymentId": "PaymentID", "url": "URL", "urls": "URLs", "ids": "IDs", "HTTPServer": "HTTPServer", "order-paid": "OrderPaid",
		"type": "Type", "2nd": "X2nd", "": "X", "$ref": "Ref", "zip code": "ZipCode", "äpfel": "Äpfel", "日本": "X日本", "v1": "V1", "_": "X", "sku": "SKU", "ip_address": "IPAddress",
	} {
		if got := exported(name); got != want || !token.IsIdentifier(got) {
			t.Errorf("exported(%q) = %s, want %s", name, got, want)
		}
	}
}

func TestUnexported(t *testing.T) {
	for name, want := range map[string]string{
		"payment_id": "paymentID", "type": "typeValue", "event": "eventValue", "string": "stringValue", "URL": "url", "2nd": "xX2nd", "len": "lenValue", "OrderPaidV1": "orderPaidV1",
	} {
		if got := unexported(name); got != want || !token.IsIdentifier(got) {
			t.Errorf("unexported(%q) = %s, want %s", name, got, want)
		}
	}
}

func TestSingular(t *testing.T) {
	for name, want := range map[string]string{
		"Lines": "Line", "Entries": "Entry", "Addresses": "Address", "Address": "AddressItem", "Data": "DataItem", "S": "SItem",
	} {
		if got := singular(name); got != want {
			t.Errorf("singular(%q) = %s, want %s", name, got, want)
		}
	}
}

func TestFileNames(t *testing.T) {
	g := &generator{files: names{"doc": true}}
	for _, c := range []struct{ name, want string }{
		{"OrderPaid_v1", "order_paid_v1"}, {"order-paid-v1", "order_paid_v12"}, {"foo_windows", "foo_windows_consumer"}, {"doc", "doc_consumer"}, {"my-test", "my_test_consumer"},
	} {
		if got := g.fileName(c.name, "consumer"); got != c.want {
			t.Errorf("fileName(%q) = %s, want %s", c.name, got, c.want)
		}
	}
}

func TestDefined(t *testing.T) {
	for pointer, want := range map[string]string{
		"/$defs/line":   "line",
		"/$defs/a~1b~0": "b~",
		"/definitions/io.k8s.api.core.v1.PodSpec":                         "PodSpec",
		"/definitions/api.example.com~1common~1workflow-step.schema.json": "workflow-step.schema.json",
		"/definitions/v1.2": "v1.2",
		"/definitions/a~1":  "a/",
		"/definitions/A.":   "A.",
	} {
		if got := (&shape{at: jsonschema.Ref{Pointer: pointer}}).defined(); got != want {
			t.Errorf("%s is defined as %q, not %q", pointer, got, want)
		}
	}
}
