SHELL       := bash
.SHELLFLAGS := -euo pipefail -c

.PHONY: help test lint bench demo update ci

# Which benchmarks, and for how long: make bench BENCH=Command TIME=3s
BENCH  ?= .
TIME   ?= 1s
ROUNDS ?= 7

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

test: ## Run every test with the race detector
	go test -race ./...

lint: ## gofmt, go vet, go mod tidy and golangci-lint (installed into bin/)
	bash .ci/lint

bench: ## Run the benchmarks; ends with one JSON line for each figure
	{ go test -run '^$$' -bench '$(BENCH)' -benchtime $(TIME) ./...; \
	  (cd testdata/gen && go test -run '^$$' -bench '$(BENCH)' -benchtime $(TIME) ./...); \
	  cd bench && go run . -for $(TIME) -rounds $(ROUNDS) && go run ./buf && go run ./jsontools; } | go run ./internal/figures

demo: ## The whole story on the orders example, on SQLite
	go run ./cmd/evcontract demo

update: ## Write golden files anew: look at the diff before you commit it
	UPDATE=1 go test ./...
	go run ./cmd/evcontract generate
	go run ./cmd/evcontract generate examples/warehouse

ci: ## Everything that CI runs; needs Debian or Ubuntu, as root or with sudo
	bash .ci/run
