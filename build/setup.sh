#!/bin/sh
# Installs what the window, the packages and the browser tests need from the system.
# usage: build/setup.sh window|test
# As root or with passwordless sudo on Debian and Ubuntu it installs; anywhere
# else it prints the line to type and fails.
set -eu

want=${1:-test}
say() { printf '%s\n' "$*" >&2; }

missing_tools=""
command -v go >/dev/null 2>&1 || missing_tools="$missing_tools go(1.26)"
command -v node >/dev/null 2>&1 || missing_tools="$missing_tools node(20)"
command -v npm >/dev/null 2>&1 || missing_tools="$missing_tools npm"
if [ -n "$missing_tools" ]; then
	say "setup: missing:$missing_tools"
	say "  Go 1.26: https://go.dev/dl/    Node.js 20: https://nodejs.org/"
	exit 1
fi
major=$(node -p 'process.versions.node.split(".")[0]')
if [ "$major" -lt 20 ]; then
	say "setup: node $(node --version) is too old, Node.js 20 or newer is needed: https://nodejs.org/"
	exit 1
fi

need=""
add() { need="$need $1"; }
case $(uname -s) in
Linux) ;;
Darwin)
	xcode-select -p >/dev/null 2>&1 || { say "setup: type: xcode-select --install"; exit 1; }
	exit 0 ;;
*)
	say "setup: on Windows nothing is needed but WebView2, which Windows 11 has. On Windows 10 type: winget install Microsoft.EdgeWebView2Runtime"
	exit 0 ;;
esac

command -v pkg-config >/dev/null 2>&1 || add pkg-config
command -v cc >/dev/null 2>&1 || add build-essential
command -v git >/dev/null 2>&1 || add git
pkg-config --exists gtk+-3.0 2>/dev/null || add libgtk-3-dev
pkg-config --exists webkit2gtk-4.1 2>/dev/null || add libwebkit2gtk-4.1-dev
if [ "$want" = test ]; then
	command -v Xvfb >/dev/null 2>&1 || add xvfb
	browser=yes
	command -v chromium >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || browser=no
	# Ubuntu's package chromium is only a pointer to the snap of that name.
	if [ "$browser" = no ] && grep -qs '^ID=ubuntu' /etc/os-release; then
		if [ "$(id -u)" = 0 ] && command -v snap >/dev/null 2>&1; then
			say "setup: installing chromium (snap)"
			snap install chromium
		else
			say "setup: the browser tests need Chromium. Type: sudo snap install chromium"
			exit 1
		fi
	elif [ "$browser" = no ]; then
		add chromium
	fi
	command -v import >/dev/null 2>&1 || add imagemagick
	command -v dpkg-deb >/dev/null 2>&1 || add dpkg
	command -v desktop-file-validate >/dev/null 2>&1 || add desktop-file-utils
fi
[ -n "$need" ] || exit 0

line="apt-get install -y --no-install-recommends$need"
if command -v apt-get >/dev/null 2>&1; then
	if [ "$(id -u)" = 0 ]; then
		sudo=""
	elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
		sudo="sudo -n"
	else
		say "setup: these packages are missing:$need"
		say "  type: sudo apt-get update && sudo $line"
		exit 1
	fi
	say "setup: installing$need"
	export DEBIAN_FRONTEND=noninteractive
	$sudo apt-get update -q >/dev/null
	# shellcheck disable=SC2086
	$sudo $line >/dev/null
	exit 0
fi
say "setup: these packages are missing (Debian's names):$need"
if command -v dnf >/dev/null 2>&1; then
	say "  type: sudo dnf install -y gcc pkgconf-pkg-config git gtk3-devel webkit2gtk4.1-devel xorg-x11-server-Xvfb chromium ImageMagick dpkg desktop-file-utils"
elif command -v pacman >/dev/null 2>&1; then
	say "  type: sudo pacman -S --needed base-devel git gtk3 webkit2gtk-4.1 xorg-server-xvfb chromium imagemagick dpkg desktop-file-utils"
else
	say "  install GTK 3 and WebKitGTK 4.1 with their development files, Xvfb, Chromium and ImageMagick with your package manager"
fi
exit 1
