//go:build unix && !linux

package worker

import "syscall"

func newPipe() (r, w int, err error) {
	var p [2]int
	if err = syscall.Pipe(p[:]); err == nil {
		syscall.CloseOnExec(p[0])
		syscall.CloseOnExec(p[1])
	}
	return p[0], p[1], err
}

func dup2(from, to int) error { return syscall.Dup2(from, to) }

func growPipe(int) {}
