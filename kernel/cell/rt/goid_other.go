//go:build !amd64 && !arm64

package rt

import (
	"bytes"
	"runtime"
	"strconv"
)

// goid is the goroutine's number, read from its stack trace: slow, so only used when a cell panics or recovers.
func goid() int64 {
	var b [64]byte
	n := runtime.Stack(b[:], false)
	s := bytes.TrimPrefix(b[:n], []byte("goroutine "))
	i := bytes.IndexByte(s, ' ')
	id, _ := strconv.ParseInt(string(s[:max(i, 0)]), 10, 64)
	return id
}
