# All that is needed is Go: tools come through go.mod. The race detector alone
# needs a C compiler besides, and the tests run without it where there is none.
GO ?= go
FUZZTIME ?= 20s
RACE ?= $(shell [ "$$($(GO) env CGO_ENABLED)" = 1 ] && command -v $$($(GO) env CC) >/dev/null && echo -race)

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build bin/aeroload
	$(GO) build -o bin/aeroload ./cmd/aeroload

.PHONY: run
run: ## Run the quickstart on the embedded server
	$(GO) run ./cmd/aeroload --embedded --workload-stages examples/quickstart.yaml

.PHONY: test
test: ## Run all tests, with the race detector if there is a C compiler
	$(GO) test $(RACE) -timeout 20m ./...

.PHONY: lint
lint: ## Check formatting, go vet, staticcheck, and go.mod
	@files=$$(gofmt -l .); if [ -n "$$files" ]; then echo "gofmt would change:"; echo "$$files"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(GO) mod tidy -diff

# go test sometimes reports the end of the fuzzing time itself as a failure,
# "context deadline exceeded" and nothing else.
.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME (20s) each
	@for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "$$pkg $$target"; \
			out=$$($(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$pkg 2>&1) || \
				echo "$$out" | grep -q '^    context deadline exceeded$$' || \
				{ echo "$$out"; exit 1; }; \
		done; \
	done

.PHONY: aa
aa: build ## Compare 100 pairs of equal runs, for a quarter of an hour, and count the false alarms
	scripts/aa.sh bin/aeroload 100

.PHONY: bench
bench: ## Run all benchmarks
	$(GO) test -run '^$$' -bench . -benchmem ./...
