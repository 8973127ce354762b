# godp: make lab | test | bench | generate | dist

.PHONY: build lab test bench generate dist clean

build:
	go build -o build/godp .

# JupyterLab on the notebooks, in an environment of its own (.venv).
lab: build
	tests/e2e/setup.sh lab
	VIRTUAL_ENV="$(CURDIR)/.venv" build/godp install --sys-prefix
	.venv/bin/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) --ServerApp.root_dir=notebooks

# Every test: the code, then the installed kernel with the real clients and a real browser.
test:
	go vet ./...
	go test -timeout 15m ./...
	tests/e2e/run.sh


# Benchmarks of the Go packages, then the kernel beside ipykernel.
bench: build
	go test -run '^$$' -bench . ./...
	tests/e2e/setup.sh lab
	VIRTUAL_ENV="$(CURDIR)/.venv" build/godp install --sys-prefix
	.venv/bin/python tests/bench/kernel.py

# Everything that is generated from something else.
generate:
	go generate ./...

# Release archives with their checksums.
dist:
	rm -rf dist && mkdir -p dist
	set -e; for target in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64; do \
		name=godp-$${target%/*}-$${target#*/}; mkdir -p dist/$$name; \
		CGO_ENABLED=0 GOOS=$${target%/*} GOARCH=$${target#*/} go build -trimpath -ldflags '-s -w' -o dist/$$name/godp .; \
		cp LICENSE README.md dist/$$name/; tar -C dist -czf dist/$$name.tar.gz $$name; rm -rf dist/$$name; \
	done; cd dist && (command -v sha256sum >/dev/null && sha256sum *.tar.gz || shasum -a 256 *.tar.gz) > SHA256SUMS

clean:
	rm -rf build dist .venv tests/e2e/node_modules
