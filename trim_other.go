//go:build !linux

package main

// trim does nothing here.
func trim() {}
