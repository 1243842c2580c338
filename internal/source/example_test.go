package source_test

import (
	"fmt"

	"github.com/evcontract/evcontract/internal/source"
)

func ExampleDecode() {
	node, _ := source.ParseYAML("order.event.yaml", []byte("event: OrderPaid.v1\nownr: team-orders\nversion: 1.0\n"))
	var manifest struct {
		Event   source.At[string] `yaml:"event"`
		Owner   string            `yaml:"owner"`
		Version string            `yaml:"version"`
	}
	for _, err := range source.Decode(node, &manifest) {
		fmt.Println(err)
	}
	fmt.Println(manifest.Event.Value, "at", manifest.Event.Pos)
	// Output:
	// order.event.yaml:2:1: unknown key "ownr": did you mean "owner"?
	// order.event.yaml:3:10: version: want a string, this is the number 1.0: put it in quotes, "1.0"
	// OrderPaid.v1 at order.event.yaml:1:8
}
