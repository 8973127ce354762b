package main

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// trim gives back the pages of the program's file that its start has read and that nothing needs any more: mostly what the
// initialisation of packages touches once. What is needed after all is mapped again from the system's cache, in
// microseconds. Only the parts of the file that cannot be written are let go, so nothing can be lost.
func trim() {
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); { // 00400000-01a2b000 r-xp 00000000 08:01 1234   /usr/bin/godp
		fields := strings.Fields(lines.Text())
		if len(fields) < 6 || fields[5] != exe || len(fields[1]) != 4 || fields[1][1] == 'w' {
			continue
		}
		from, to, _ := strings.Cut(fields[0], "-")
		a, err1 := strconv.ParseUint(from, 16, 64)
		b, err2 := strconv.ParseUint(to, 16, 64)
		if err1 == nil && err2 == nil {
			syscall.Syscall(syscall.SYS_MADVISE, uintptr(a), uintptr(b-a), syscall.MADV_DONTNEED)
		}
	}
}
