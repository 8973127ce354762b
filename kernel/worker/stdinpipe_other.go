//go:build !linux

package worker

import (
	"context"
	"os"
)

// stdinPipe is nothing where the system does not tell who waits for a descriptor: compiled code that reads os.Stdin
// finds its end there. fmt.Scan and display.Input ask in any case.
type stdinPipe struct{}

func (in *input) captureDescriptor() error {
	f, err := os.Open(os.DevNull)
	if err == nil {
		os.Stdin = f
	}
	return err
}

func (in *input) watchPipe(context.Context) func() { return func() {} }
func (in *input) interrupt()                       {}
