package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"example.org/godp/kernel/notebook"
	"example.org/godp/kernel/worker"
	"example.org/godp/kernel/worker/protocol"
)

// runWorker is the process in which cells run.
func runWorker(args []string) int {
	fs, parse := flags("worker")
	m, noShell := memoryFlag(fs), shellFlag(fs)
	if _, status := parse(args, 0, 0); status >= 0 {
		return status
	}
	engine := newEngine
	if *noShell {
		engine = newEngineNoShell
	}
	return worker.Main(worker.Config{New: engine, Limits: worker.Limits{Heap: m.bytes}, Info: "godp " + version + ", " + interpreter(), Started: trim})
}

// runNotebook runs a notebook in a worker of its own.
func runNotebook(args []string) int {
	fs, parse := flags("run")
	out := fs.String("o", "", "write the executed notebook to `OUT.ipynb` (the source is not touched)")
	allow := fs.Bool("allow-errors", false, "go on after a cell that fails")
	watch := fs.Bool("watch", false, "run it again whenever it is saved, from the first changed cell on where that gives the same; Ctrl-C ends")
	m, noShell := memoryFlag(fs), shellFlag(fs)
	rest, status := parse(args, 1, 1)
	if status >= 0 {
		return status
	}
	options := notebook.Options{Stdout: os.Stdout, Stderr: os.Stderr, AllowErrors: *allow, Colour: isTerminal(os.Stderr), Live: isTerminal(os.Stdout)}
	if *watch {
		sig := make(chan os.Signal, 2)
		signal.Notify(sig, os.Interrupt, syscall.SIGTERM)
		w := watching{file: rest[0], out: *out, options: options, clear: isTerminal(os.Stdout), stop: sig,
			start: func() (*notebook.Process, error) { return startWorker(slices.Concat(m.args(), noShell.args())...) }}
		return w.run()
	}
	nb, err := notebook.Open(rest[0])
	if err != nil {
		return fail(err)
	}
	// The first interrupt stops the cell, so that what has been computed can be written; the second ends everything.
	ctx, cancel := context.WithCancelCause(context.Background())
	sig := make(chan os.Signal, 2)
	signal.Notify(sig, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-sig
		cancel(errInterrupted)
		<-sig
		os.Exit(130)
	}()
	k, err := startWorker(slices.Concat(m.args(), noShell.args())...)
	if err != nil {
		return fail(err)
	}
	defer k.Close()
	err = nb.Run(ctx, k, options)
	if *out != "" {
		if err := nb.Save(*out); err != nil {
			return fail(err)
		}
	}
	var cell *notebook.CellError
	switch {
	case errors.Is(context.Cause(ctx), errInterrupted):
		fmt.Fprintln(os.Stderr, "godp: interrupted")
		return 130
	case errors.As(err, &cell): // its traceback has been printed
		fmt.Fprintf(os.Stderr, "godp: %s: cell %d (In[%d]) failed\n", rest[0], cell.Cell, cell.Count)
		return 1
	case err != nil:
		return fail(fmt.Errorf("%s: %w", rest[0], err))
	}
	return 0
}

var errInterrupted = errors.New("interrupted")

func startWorker(args ...string) (*notebook.Process, error) {
	cmd, err := self(append([]string{"worker"}, args...)...)
	if err != nil {
		return nil, err
	}
	return notebook.StartProcess(os.Stdin, cmd[0], cmd[1:]...)
}

func isTerminal(f *os.File) bool {
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// selfTest runs a cell in a worker.
func selfTest(ctx context.Context) error {
	k, err := startWorker()
	if err != nil {
		return err
	}
	defer k.Close()
	got := ""
	f, err := k.Execute(ctx, 1, "1 + 1", func(m protocol.Message) {
		if r, ok := m.(*protocol.Result); ok {
			got = string(r.Data)
		}
	})
	if err == nil && f != nil {
		err = fmt.Errorf("%s: %s", f.Name, f.Value)
	}
	if err == nil && got != `{"text/plain":"2"}` {
		err = fmt.Errorf("1 + 1 gives %q", got)
	}
	return err
}
