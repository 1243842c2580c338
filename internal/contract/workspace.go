package contract

import "github.com/evcontract/evcontract/internal/source"

// WorkspaceFile is the name of the manifest at a workspace's root.
const WorkspaceFile = "evcontract.yaml"

// Workspace is the manifest evcontract.yaml.
type Workspace struct {
	Pos           source.Pos                   `yaml:",pos"`
	Contracts     source.At[string]            `yaml:"contracts"`   // the folder of event and consumer manifests
	ProtoPaths    []source.At[string]          `yaml:"proto_paths"` // where imports are looked up
	Against       source.At[string]            `yaml:"against"`     // the default base of check
	Compatibility source.At[Compatibility]     `yaml:"compatibility"`
	Window        Window                       `yaml:"window"`
	Writers       source.At[Writers]           `yaml:"writers"`
	Formats       source.At[Formats]           `yaml:"formats"`
	Defaults      Defaults                     `yaml:"defaults"`
	Repos         map[string]Repo              `yaml:"repos"`
	Environments  map[string]source.At[string] `yaml:"environments"`
	Deploy        source.At[string]            `yaml:"deploy"` // the command that deploys a service, with {service}, {ref} and {environment}; for change records
	Generate      Generate                     `yaml:"generate"`
	Lint          Lint                         `yaml:"lint"`
	Waivers       []Waiver                     `yaml:"waivers"`
}

// Window is how far back an event may still be read, and a release rolled back.
type Window struct {
	Pos       source.Pos          `yaml:",pos"`
	Retention source.At[Duration] `yaml:"retention"`
	Rollback  source.At[Duration] `yaml:"rollback"`
}

// Defaults is what a consumer says unless it says otherwise.
type Defaults struct {
	Pos        source.Pos          `yaml:",pos"`
	Retry      Retry               `yaml:"retry"`
	Quarantine Quarantine          `yaml:"quarantine"`
	SLO        SLO                 `yaml:"slo"`
	Remember   source.At[Duration] `yaml:"remember"`
}

// Repo is another repository on disk.
type Repo struct {
	Pos  source.Pos        `yaml:",pos"`
	Path source.At[string] `yaml:"path"`
	Tags source.At[string] `yaml:"tags"`
}

// Generate says what is generated where.
type Generate struct {
	Pos source.Pos  `yaml:",pos"`
	Go  *GenerateGo `yaml:"go"`
}

// GenerateGo is where Go code goes, and what its types are.
type GenerateGo struct {
	Pos      source.Pos          `yaml:",pos"`
	Out      source.At[string]   `yaml:"out"`      // folder, relative to the workspace
	Package  source.At[string]   `yaml:"package"`  // package name; the folder's by default
	Optional source.At[Optional] `yaml:"optional"` // what may be absent
	Integer  source.At[Integer]  `yaml:"integer"`  // without bounds
	Decimal  source.At[string]   `yaml:"decimal"`  // a Go type for numbers: example.com/decimal.Decimal; empty: json.Number
	Base64   source.At[Base64]   `yaml:"base64"`   // text that stands for bytes
	Unknown  source.At[Unknown]  `yaml:"unknown"`  // what becomes of members that an open object doesn't name
}

// Lint turns rules off or changes how bad they are.
type Lint struct {
	Pos      source.Pos                   `yaml:",pos"`
	Disable  []source.At[string]          `yaml:"disable"`
	Severity map[string]source.At[string] `yaml:"severity"`
}

// Waiver accepts a finding until a day.
type Waiver struct {
	Pos         source.Pos        `yaml:",pos"`
	Fingerprint source.At[string] `yaml:"fingerprint"`
	Rule        source.At[string] `yaml:"rule"`
	At          source.At[string] `yaml:"at"` // OrderPaid.v1/coupon
	Reason      source.At[string] `yaml:"reason"`
	Owner       source.At[string] `yaml:"owner"`
	Until       source.At[Day]    `yaml:"until"`
}
