// A module of its own, as a team elsewhere has one. Generated code imports
// package event, and google.golang.org/protobuf for the Protobuf event; the rest
// is what SQLite needs.
module example.com/warehouse

go 1.26.7

require (
	github.com/evcontract/evcontract v0.0.0
	google.golang.org/protobuf v1.36.13-0.20261016172727-e9ee2a76ab8e
)

require (
	github.com/dustin/go-humanize v1.1.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/mattn/go-isatty v0.0.24 // indirect
	github.com/ncruces/go-strftime v1.1.0 // indirect
	github.com/remyoudompheng/bigfft v0.0.0-20230129092748-24d4a6f8daec // indirect
	golang.org/x/sys v0.50.0 // indirect
	modernc.org/libc v1.80.1 // indirect
	modernc.org/mathutil v1.7.1 // indirect
	modernc.org/memory v1.12.1 // indirect
	modernc.org/sqlite v1.62.0 // indirect
)

// A team elsewhere has no such line: its go.mod names a version.
replace github.com/evcontract/evcontract => ../..
