package front

import (
	"os"
	"strconv"
	"syscall"
	"time"
)

// watchParent ends the kernel when the Jupyter process that started it has died. Clients announce themselves in JPY_PARENT_PID;
// there may be a launcher in between, so the parent of this process need not be that one.
func (f *front) watchParent() {
	pid, err := strconv.Atoi(os.Getenv("JPY_PARENT_PID"))
	if err != nil || pid <= 1 {
		return
	}
	gone := func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH }
	if os.Getppid() == pid {
		gone = func() bool { return os.Getppid() != pid } // notices also a parent that nobody has buried
	} else if gone() {
		return // it lives in another namespace
	}
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if gone() {
				f.log.printf("process %d, which started this kernel, has died", pid)
				f.shutdown(false)
				return
			}
		case <-f.ctx.Done():
			return
		}
	}
}
