//go:build unix && !linux

package front

import "syscall"

// dieWithParent: the worker notices the end of its socket and exits by itself.
func dieWithParent() *syscall.SysProcAttr { return nil }
