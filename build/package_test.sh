#!/bin/sh
# Unpacks what `make package` made and runs it from there.
set -eu
version=$1
arch=$(go env GOARCH)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "package test: $*" >&2; exit 1; }

deb=build/out/hermes_${version}_${arch}.deb
[ -f "$deb" ] || fail "$deb is missing"
dpkg-deb -x "$deb" "$dir/deb"
for file in usr/bin/hermes usr/bin/hermes-desktop usr/share/applications/hermes.desktop usr/share/icons/hicolor/256x256/apps/hermes.png; do
	[ -s "$dir/deb/$file" ] || fail "$deb has no $file"
done
desktop-file-validate "$dir/deb/usr/share/applications/hermes.desktop"
HERMES_HOME="$dir/home" "$dir/deb/usr/bin/hermes" version | grep -q "hermes $version" || fail "the packaged hermes does not say its version"
HERMES_HOME="$dir/home" "$dir/deb/usr/bin/hermes" demo | grep -q "model passes" || fail "the packaged demo does not run"
[ ! -e "$dir/home" ] || fail "the demo wrote into the home"

tar -xzf "build/out/hermes_${version}_linux_${arch}.tar.gz" -C "$dir"
HERMES_HOME="$dir/home" "$dir/hermes_${version}_linux_${arch}/hermes" version | grep -q "hermes $version" || fail "the hermes of the tar.gz does not say its version"

for exe in build/bin/hermes.exe build/bin/hermes-desktop.exe; do
	head -c 2 "$exe" | grep -q MZ || fail "$exe is no Windows program"
done
echo "package test: ok"
