package front

import "syscall"

// dieWithParent has the kernel of the system kill the worker when the front dies, however it dies.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
