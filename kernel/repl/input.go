package repl

import (
	"encoding/json"
	"errors"
	"os"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// input is the terminal, for cells that ask. A read ends when its cell does: what is typed later is for the next cell.
type input struct {
	file *os.File
	off  atomic.Bool
	mu   sync.Mutex // held while the terminal is looked at and read
}

var errNoCell = errors.New("the cell that asked for input has ended")

func (in *input) allow() { in.off.Store(false) }

// cancel ends reads. When it returns, what is typed from then on is left for others.
func (in *input) cancel() {
	in.off.Store(true)
	in.mu.Lock()
	in.mu.Unlock()
}

// Read implements io.Reader.
func (in *input) Read(p []byte) (int, error) {
	for !in.off.Load() {
		if n, err := in.look(p); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, errNoCell
}

// look waits a moment for the terminal, and reads what is there.
func (in *input) look(p []byte) (int, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(in.file.Fd()), Events: unix.POLLIN}}, 20)
	switch {
	case in.off.Load() || err == unix.EINTR:
		return 0, nil
	case n > 0:
		n, err = in.file.Read(p)
	}
	return n, err
}

// plainText is the text/plain of a bundle's data.
func plainText(data json.RawMessage) string {
	var d struct {
		Plain string `json:"text/plain"`
	}
	json.Unmarshal(data, &d)
	return d.Plain
}
