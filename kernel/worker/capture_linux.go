package worker

import "syscall"

func newPipe() (r, w int, err error) {
	var p [2]int
	err = syscall.Pipe2(p[:], syscall.O_CLOEXEC)
	return p[0], p[1], err
}

func dup2(from, to int) error { return syscall.Dup3(from, to, 0) }

// growPipe asks for a 1 MiB buffer, the most that an ordinary user may have. Without it all still works.
func growPipe(fd int) {
	const setPipeSize = 1031 // F_SETPIPE_SZ
	syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), setPipeSize, 1<<20)
}
