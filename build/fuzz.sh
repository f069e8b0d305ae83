#!/bin/sh
# Fuzzes every fuzz target of the module for the given time each.
set -eu
time=${1:-30s}
grep -rl '^func Fuzz' --include='*_test.go' backend | xargs -n1 dirname | sort -u | while read -r dir; do
	grep -ho '^func Fuzz[A-Za-z0-9_]*' "$dir"/*_test.go | cut -d' ' -f2 | while read -r name; do
		go test -run '^$' -fuzz "^$name\$" -fuzztime "$time" "./$dir"
	done
done
