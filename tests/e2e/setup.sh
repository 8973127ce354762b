#!/usr/bin/env bash
# Sets up what "make lab" (argument: lab) and "make test" (argument: test) need, once:
#   .venv                    JupyterLab and its kin, pinned
#   tests/e2e/node_modules   playwright-core, pinned; for test only
#   a Chromium               an installed one, else from the system's packages if we may; for test only
# The path of the browser is written to build/e2e/chromium.
set -eu
what=${1:?usage: setup.sh lab|test}
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/tests/e2e
cd "$root"
mkdir -p build/e2e

say() { echo "setup: $*" >&2; }
die() { say "$*"; exit 1; }

# apt installs Debian packages where that is possible without asking anybody.
apt() {
	[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
	say "installing $* (apt-get)"
	apt-get -qq update >&2 || true
	DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends "$@" >&2
}

command -v python3 >/dev/null || apt python3 || die "python3 is missing: install Python 3.10 or newer"
stamp=$(cat "$here"/requirements.in "$here"/requirements.txt | cksum)
if [ "$(cat .venv/godp-stamp 2>/dev/null)" != "$stamp" ]; then
	say "making .venv"
	python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || die "$(python3 --version) is too old: JupyterLab needs Python 3.10 or newer"
	python3 -m venv --clear .venv 2>/dev/null || { rm -rf .venv; apt python3-venv && python3 -m venv .venv; } ||
		die "python3 -m venv does not work: install the package python3-venv (Debian, Ubuntu) or a complete Python"
	export PIP_DISABLE_PIP_VERSION_CHECK=1
	for try in 1 2 3; do
		# The pins were made with one version of Python; another one may need other versions of some packages.
		.venv/bin/pip install -q -r "$here/requirements.txt" >&2 && break
		.venv/bin/pip install -q -r "$here/requirements.in" >&2 && break
		[ $try = 3 ] && die "the Python packages could not be installed"
		sleep 5
	done
	echo "$stamp" >.venv/godp-stamp
fi
[ "$what" = test ] || exit 0

command -v npm >/dev/null || apt nodejs npm || die "npm is missing: install Node.js 18 or newer"
if ! cmp -s "$here/package-lock.json" "$here/node_modules/.godp-lock"; then
	say "installing playwright-core"
	for try in 1 2 3; do
		(cd "$here" && npm ci --silent --no-audit --no-fund >&2) && break
		[ $try = 3 ] && die "npm could not install playwright-core"
		sleep 5
	done
	cp "$here/package-lock.json" "$here/node_modules/.godp-lock"
fi

browser() {
	for b in "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable \
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" /Applications/Chromium.app/Contents/MacOS/Chromium; do
		[ -n "$b" ] && command -v "$b" && return 0
	done
	return 1
}
browser >build/e2e/chromium || { apt chromium && browser >build/e2e/chromium; } ||
	die "no Chromium or Chrome found: install one, or name it in the environment variable CHROMIUM"
