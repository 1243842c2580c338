package compat

import (
	_ "embed"
	"fmt"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/partition-moved.txtar
var partitionMovedExample string

var partitionMoved = &Rule{Doc: rule.Doc{
	ID: "partition-moved", Kind: rule.Contract, Severity: rule.Error,
	Title:   "Events are partitioned by another field",
	Why:     "The broker keeps order inside a partition only. While old and new events are in the topic, those of one aggregate lie in different partitions and overtake each other.",
	Fix:     "Drain the topic before the change, or publish to a new topic; keep the partition key at the aggregate's id.",
	Example: partitionMovedExample,
}, moved: partitionMoves}

func partitionMoves(p pair) []move {
	next := contract.Role{Name: "partition_key", Locator: p.new.Identity.PartitionKey}
	prev := contract.Role{Name: "partition_key", Locator: p.old.Identity.PartitionKey}
	if !prev.Set() || sameRole(p, next, prev) {
		return nil
	}
	is, was := p.told(next, prev)
	return []move{{
		direction: rule.Forward, path: "identity.partition_key",
		message: fmt.Sprintf("%s: identity.partition_key was %s and is %s: events of one aggregate overtake each other", p.name(), was, is),
		new:     orPlace(next.Locator.Pos, p.new.Identity.Pos), old: prev.Locator.Pos,
		about: []string{was, is},
	}}
}
