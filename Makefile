# Two targets matter: `make run` and `make test`. Both install what is missing.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

VERSION := $(shell cat VERSION)
# A build without a commit date would differ from machine to machine.
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
LDFLAGS := -s -w -X main.version=$(VERSION)
TAGS := desktop,production,webkit2_41
GO_SOURCES := $(shell find . -name '*.go' -not -path './frontend/node_modules/*' -not -path './testdata/npm/*' 2>/dev/null)
PAGE_SOURCES := $(shell find frontend/src frontend/index.html frontend/package.json frontend/vite.config.ts -type f 2>/dev/null)

HERMES := build/bin/hermes
DESKTOP := build/bin/hermes-desktop
WASM := frontend/public/policy.wasm
PAGE := frontend/dist/index.html

.PHONY: help run test bench package cross generate page build desktop clean mutate soak \
	setup setup-test test-go test-conformance conformance test-page test-browser test-window test-generated test-package fuzz

help: ## show the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

run: setup $(HERMES) $(DESKTOP) ## set up everything and run the main job
	@if [ -n "$${DISPLAY:-}$${WAYLAND_DISPLAY:-}" ]; then exec $(DESKTOP); else exec $(HERMES) serve; fi

test: setup-test test-go test-conformance test-page test-browser test-window test-package ## set up everything and pass all tests

setup:
	@build/setup.sh window
setup-test:
	@build/setup.sh test

frontend/node_modules/.package-lock.json: frontend/package-lock.json
	cd frontend && npm ci --no-audit --no-fund
testdata/npm/node_modules/.package-lock.json: testdata/npm/package-lock.json
	cd testdata/npm && npm ci --no-audit --no-fund --ignore-scripts
testdata/conformance/node_modules/.package-lock.json: testdata/conformance/package-lock.json
	cd testdata/conformance && npm ci --no-audit --no-fund --ignore-scripts

$(WASM): $(wildcard backend/policy/*.go backend/policy/wasm/*.go)
	GOOS=wasip1 GOARCH=wasm go build -trimpath -buildmode=c-shared -ldflags "-s -w" -o $@ ./backend/policy/wasm

page: $(PAGE) ## build the page
$(PAGE): frontend/node_modules/.package-lock.json $(WASM) $(PAGE_SOURCES)
	cd frontend && npm run build

build: $(HERMES) ## build the command line
$(HERMES): $(PAGE) $(GO_SOURCES) VERSION
	CGO_ENABLED=0 go build -trimpath -ldflags "$(LDFLAGS)" -o $@ .

desktop: $(DESKTOP) ## build the window
$(DESKTOP): $(PAGE) $(GO_SOURCES) VERSION
	CGO_ENABLED=1 go build -trimpath -tags $(TAGS) -ldflags "$(LDFLAGS)" -o $@ .

test-go: testdata/npm/node_modules/.package-lock.json $(HERMES) test-generated
	go vet ./...
	# Without it every process with the race detector sleeps a second at its end.
	GORACE=atexit_sleep_ms=20 go test -race -timeout 20m ./...
	go test -count=1 -timeout 20m -run TestOneReaderProved -v .

conformance: test-conformance ## play the official conformance suite, as a client and as a server
test-conformance: $(HERMES) testdata/conformance/node_modules/.package-lock.json
	build/conformance.sh $(HERMES)

test-page: frontend/node_modules/.package-lock.json $(WASM)
	cd frontend && npm run check && npm test

test-browser: $(HERMES) testdata/npm/node_modules/.package-lock.json frontend/node_modules/.package-lock.json
	cd frontend && CHROMIUM=$${CHROMIUM:-$$(command -v chromium || command -v google-chrome)} HERMES_BIN=$(CURDIR)/$(HERMES) npm run e2e

mutate: ## compile every mutant of the policy and name those that no test kills
	go run ./build/mutate -equivalent build/mutate/policy.txt ./backend/policy

test-window: $(DESKTOP)
	go test -count=1 -tags window -run TestWindow -timeout 5m .

generate: $(HERMES) ## write the generated files: bindings, command reference, JSON schemas
	go tool wails generate module >/dev/null
	HERMES_GENERATE=1 go test -count=1 -run 'TestGenerated' . >/dev/null

test-generated: $(HERMES)
	@before=$$(build/digest.sh wailsjson); go tool wails generate module >/dev/null; after=$$(build/digest.sh wailsjson); \
	if [ "$$before" != "$$after" ]; then echo "wailsjson/ was not up to date: run make generate and commit" >&2; exit 1; fi

package: setup $(HERMES) $(DESKTOP) cross ## make the .tar.gz and the .deb
	build/package.sh $(VERSION)

cross: $(PAGE)
	GOOS=windows GOARCH=amd64 CGO_ENABLED=0 go build -trimpath -ldflags "$(LDFLAGS)" -o build/bin/hermes.exe .
	GOOS=windows GOARCH=amd64 CGO_ENABLED=0 go build -trimpath -tags desktop,production -ldflags "$(LDFLAGS) -H windowsgui" -o build/bin/hermes-desktop.exe .

test-package: package
	build/package_test.sh $(VERSION)

bench: testdata/npm/node_modules/.package-lock.json $(HERMES) $(WASM) ## print the figures beside a floor or a peer
	build/bench.sh

soak: ## reload and crash servers a thousand times; print what must not grow
	HERMES_SOAK=$${HERMES_SOAK:-1000} go test -count=1 -v -timeout 60m -run '^TestSoak$$' ./backend/mcp

fuzz: ## fuzz the readers and the writer, one minute each
	build/fuzz.sh 60s

clean: ## remove what was built
	rm -rf build/bin build/out frontend/dist/* $(WASM)
	touch frontend/dist/.gitkeep
