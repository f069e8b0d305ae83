#!/bin/bash
# Prints the figures of docs/BENCHMARKS.md. Each stands beside a floor or a peer
# measured in the same run; compare within one run only. Nothing is asserted, but
# a benchmark that fails is shown, and the script ends with 1.
set -uo pipefail
benchtime=${BENCHTIME:-1s}
processes=${PROCESSES:-10x}
failed=0
bench() { # bench TITLE TIME PATTERN PACKAGE...
	echo "== $1"
	go test -run '^$' -vet=off -timeout 30m -bench "$3" -benchtime "$2" "${@:4}" |
		grep -E '^(Benchmark|FAIL|panic:|--- )|_test\.go:[0-9]+:' || failed=1
}
echo "== machine: $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg 2>/dev/null || echo unknown), $(go version | cut -d' ' -f3-)"
bench "policy verdict, natively and in wazero" "$benchtime" . ./backend/policy/...
echo "== policy verdict from JavaScript"
node frontend/src/policy/bench.mjs || failed=1
bench "one tool call: through the manager beside bare go-sdk; 100 servers beside their processes" "$benchtime" . ./backend/mcp/
bench "agent: overhead per round without model and tool time; split; the guards" "$benchtime" . ./backend/agent/ ./backend/guard/
bench "store: a turn and a session of 5,000 messages beside one flush of the disk" "$benchtime" . ./backend/store/
bench "registry (tool_search on 10,000 tools), pins and provider" "$benchtime" . ./backend/registry/ ./backend/pin/ ./backend/provider/
bench "configuration: load and change beside parser and write; file edit to changed tools" "$benchtime" . ./backend/config/ ./backend/host/
bench "whole processes: hermes mcp list beside its floors; the one-shot job beside a bare client" "$processes" 'List$|OneShot' .
bench "the headline at 300 ms a pass; ten calls of 300 ms at once and one by one" 3x 'Headline|TenSlowCalls' .
bench "20 idle servers beside none" 1x 'Idle' .
exit $failed
