#!/usr/bin/env bash
# Plays the official conformance suite of the protocol against the program given
# as the first argument. Its test servers listen on every interface, so it runs
# in a network of its own where the system allows that.
set -euo pipefail
cd "$(dirname "$0")/.."

out=build/out/conformance
bin=$out/bin
rm -rf "$out"
mkdir -p "$bin"
cp "$1" "$bin/hermes"
go build -o "$bin/hermes-conformance" ./build/conformance/client
go build -o "$bin/changing" ./build/conformance/changing
go build -o "$bin/run" ./build/conformance/run
# The reference server of the protocol's Go library, which the suite was written for.
go build -o "$bin/everything" github.com/modelcontextprotocol/go-sdk/conformance/everything-server

alone=()
for try in "unshare -n" "unshare -rn"; do
	if $try ip link set lo up 2>/dev/null; then
		alone=($try sh -c 'ip link set lo up; exec "$0" "$@"')
		break
	fi
done
exec "${alone[@]}" "$bin/run" -bin "$bin" -out "$out"
