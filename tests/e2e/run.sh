#!/usr/bin/env bash
# Runs the end-to-end tests: the kernel as a person installs it, driven by the real clients. Call "make test".
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
tests/e2e/setup.sh test
go build -o build/godp .

# Nothing of the person's own Jupyter is read or written.
work=$root/build/e2e
rm -rf "$work/prefix" "$work/config" "$work/data" "$work/home"
mkdir -p "$work/config" "$work/data" "$work/home"
export JUPYTER_PATH=$work/prefix/share/jupyter JUPYTER_CONFIG_DIR=$work/config JUPYTER_DATA_DIR=$work/data
export JUPYTER_RUNTIME_DIR=$(mktemp -d) JUPYTER_PLATFORM_DIRS=1 IPYTHONDIR=$work/home
trap 'rm -rf "$JUPYTER_RUNTIME_DIR"' EXIT
export GODP_HISTORY=$work/home/history.sqlite
export PATH=$root/.venv/bin:$PATH PYTHONDONTWRITEBYTECODE=1
build/godp install --prefix "$work/prefix"

build/godp doctor
(cd tests/e2e && python -W ignore -m unittest -v test_clients test_conformance test_shell test_papermill)
node tests/e2e/browser.mjs
node tests/e2e/widgets.mjs
node tests/e2e/subshell.mjs
