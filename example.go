// Package evcontract holds the worked example that the demo runs: the contract
// of OrderPaid.v1, its three consumers, and the workspace around them. The
// programs and libraries are in the packages below: event and delivery for a
// service, cmd/evcontract for the command line.
package evcontract

import "embed"

// Example is the worked example's workspace.
//
//go:embed evcontract.yaml contracts
var Example embed.FS
