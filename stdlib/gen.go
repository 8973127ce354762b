package stdlib

//go:generate go run ./internal/gen
