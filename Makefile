.PHONY: build test

build:
	go build -o build/godp .

test:
	go vet ./...
	go test ./...
