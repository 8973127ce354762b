//go:build amd64 || arm64

package rt

// gaddr is the address of what the runtime keeps about the calling goroutine.
func gaddr() uintptr

// goid tells goroutines that are alive apart.
func goid() int64 { return int64(gaddr()) }
