#!/bin/sh
# Makes build/out/hermes_VERSION_linux_ARCH.tar.gz and hermes_VERSION_ARCH.deb.
# The same sources give the same bytes: times come from SOURCE_DATE_EPOCH.
set -eu
version=$1
arch=$(go env GOARCH)
out=build/out
name=hermes_${version}_linux_${arch}
rm -rf "$out"
mkdir -p "$out/$name/icons"
cp build/bin/hermes build/bin/hermes-desktop LICENSE README.md CHANGELOG.md build/linux/hermes.desktop "$out/$name/"
cp build/linux/icons/*.png "$out/$name/icons/"
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-0}" -C "$out" -cf - "$name" | gzip -n -9 >"$out/$name.tar.gz"
rm -rf "${out:?}/$name"

export ARCH="$arch" VERSION="$version"
go build -C build/tools -o "$PWD/build/bin/nfpm" github.com/goreleaser/nfpm/v2/cmd/nfpm
build/bin/nfpm package -f build/linux/nfpm.yaml -p deb -t "$out/" >&2
ls -l "$out" | awk 'NR>1 {print $5, $9}'
