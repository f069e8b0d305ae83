#!/bin/sh
# Prints the figures of docs/BENCHMARKS.md. Each stands beside a floor or a peer
# measured in the same run; compare within one run only. Nothing is asserted.
set -eu
benchtime=${BENCHTIME:-1s}
echo "== machine: $(nproc) cores, $(go version | cut -d' ' -f3-)"
echo "== policy verdict, natively and in wazero"
go test -run '^$' -bench . -benchtime "$benchtime" ./backend/policy/... | grep -E '^Benchmark' || true
echo "== policy verdict from JavaScript"
node frontend/src/policy/bench.mjs
echo "== one tool call: through the manager beside bare go-sdk"
go test -run '^$' -bench . -benchtime "$benchtime" ./backend/mcp/ | grep -E '^Benchmark' || true
echo "== agent: overhead per round without model and tool time; split"
go test -run '^$' -bench . -benchtime "$benchtime" ./backend/agent/ ./backend/store/ | grep -E '^Benchmark' || true
echo "== registry and provider"
go test -run '^$' -bench . -benchtime "$benchtime" ./backend/registry/ ./backend/provider/ | grep -E '^Benchmark' || true
echo "== configuration: load, file edit to changed tools"
go test -run '^$' -bench . -benchtime "$benchtime" ./backend/config/ ./backend/host/ | grep -E '^Benchmark' || true
echo "== whole processes: hermes mcp list beside the floor; the one-shot job beside a bare client; 20 idle servers beside none"
go test -run '^$' -bench . -benchtime "$benchtime" . | grep -E '^Benchmark' || true
