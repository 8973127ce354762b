// Package repl is the kernel in a terminal: cells are typed and shown there.
package repl

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"

	"example.org/godp/kernel/history"
	"example.org/godp/kernel/notebook"
	"example.org/godp/kernel/worker/protocol"
)

// Config of a REPL. All fields but Plots and Banner are required.
type Config struct {
	Start   func(stdin io.Reader) (*notebook.Process, error) // starts a worker
	History history.History
	Stdin   *os.File
	Stdout  *os.File
	Stderr  *os.File
	Colour  bool   // the terminal shows colours
	Edit    bool   // Stdin and Stdout are a terminal on which lines can be edited
	Plots   string // folder for pictures; empty for one in the folder for temporary files
	Banner  string // first line on a terminal
}

// editor reads cells.
type editor interface {
	// read returns the next cell; io.EOF at the end, errInterrupt when the user has given the cell up.
	read(n int) (string, error)
}

var errInterrupt = errors.New("interrupted")

// repl is a running REPL.
type repl struct {
	cfg     Config
	k       *notebook.Process
	stdin   io.Reader // of the cells
	input   *input    // the same, if it is a terminal
	printer *notebook.Printer
	past    []protocol.PastCell
	first   int // the first cell of this worker

	mu   sync.Mutex
	late []protocol.Message // came while a cell was being typed
}

// Run reads cells and runs them until the end of the input. It reports whether all have succeeded.
//
// On a terminal Ctrl-C stops the running cell and keeps the session, or gives up the cell being typed; a second one ends the worker of a cell that does not
// stop. Ctrl-D on an empty line leaves. Anywhere else (a pipe, a file) lines are gathered until they make a cell; there are no prompts, and what
// is printed is that of the cells.
func Run(cfg Config) (ok bool, err error) {
	r := &repl{cfg: cfg, input: &input{}}
	pictures := &pictures{dir: cfg.Plots, inline: cfg.Edit}
	r.printer = notebook.NewPrinter(notebook.Options{Stdout: cfg.Stdout, Stderr: cfg.Stderr, Colour: cfg.Colour, Live: cfg.Edit}, r.label, pictures.show)
	var e editor
	if cfg.Edit {
		r.input.file, r.stdin = cfg.Stdin, r.input
		e = newLineEditor(r)
	} else {
		lines := bufio.NewReader(cfg.Stdin)
		r.stdin = lines // the cells read what follows them
		e = &plainEditor{r: r, lines: lines}
	}
	if err := r.start(); err != nil {
		return false, err
	}
	defer func() { r.k.Close() }()
	if cfg.Edit && cfg.Banner != "" {
		fmt.Fprintln(cfg.Stdout, cfg.Banner)
	}
	ok = true
	for n := 1; ; {
		code, err := e.read(n)
		r.flushLate()
		switch {
		case err == errInterrupt:
			continue
		case err != nil && err != io.EOF:
			return false, err
		}
		if strings.TrimSpace(code) != "" {
			ok = r.run(n, code) && ok
			n++
		}
		if err == io.EOF {
			if cfg.Edit {
				fmt.Fprintln(cfg.Stdout)
			}
			return ok, nil
		}
	}
}

// start starts a worker.
func (r *repl) start() error {
	k, err := r.cfg.Start(r.stdin)
	if err != nil {
		return err
	}
	k.Stuck = func() {
		fmt.Fprintln(r.cfg.Stderr, "[godp: the cell has not stopped yet. Ctrl-C again ends its process: variables, functions and imports will be lost.]")
	}
	k.Idle = func(m protocol.Message) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.late = append(r.late, m)
	}
	if len(r.past) > 0 {
		k.SetPast(r.past)
	}
	r.k, r.first = k, 0
	return nil
}

// flushLate shows what came while a cell was being typed.
func (r *repl) flushLate() {
	r.mu.Lock()
	late := r.late
	r.late = nil
	r.mu.Unlock()
	for _, m := range late {
		r.printer.Message(m)
	}
	r.printer.End()
}

// run runs a cell and reports whether it has succeeded.
func (r *repl) run(n int, code string) bool {
	r.cfg.History.Add(n, code)
	if r.first == 0 {
		r.first = n
	}
	ctx, cancel := context.WithCancel(context.Background())
	interrupts := make(chan os.Signal, 4)
	signal.Notify(interrupts, os.Interrupt)
	done := make(chan struct{})
	go func() {
		for again := false; ; again = true {
			select {
			case <-interrupts:
				cancel()
				r.input.cancel()
				if again {
					r.k.Kill("the cell did not stop, so its process was ended")
				}
			case <-done:
				return
			}
		}
	}()
	r.input.allow()
	r.printer.Begin(n)
	failure, err := r.k.Execute(ctx, n, code, func(m protocol.Message) {
		if v, ok := m.(*protocol.Result); ok {
			r.cfg.History.SetOutput(n, plainText(v.Data))
		}
		r.printer.Message(m)
	})
	close(done)
	signal.Stop(interrupts)
	cancel()
	r.input.cancel()
	switch {
	case err != nil:
		r.printer.Fail(&protocol.Failure{Name: "WorkerExit", Value: err.Error(), Traceback: []string{red + "WorkerExit" + reset + ": " + err.Error()}})
		r.printer.End()
		return r.replace()
	case failure != nil:
		r.printer.Fail(failure)
	default:
		r.past = append(r.past, protocol.PastCell{N: n, Code: code})
	}
	r.printer.End()
	return failure == nil
}

// replace starts a worker in the place of one that has died. It returns false: the cell has failed.
func (r *repl) replace() bool {
	lost := fmt.Sprintf("Variables, functions and imports are lost; run the cells from In[%d] on again.", r.first)
	if len(r.past) > 0 {
		lost += " %restore replays the declarations of all cells that have succeeded."
	}
	r.k.Close()
	if err := r.start(); err != nil {
		fmt.Fprintf(r.cfg.Stderr, "[godp: the process of the cells has ended and cannot be replaced: %v]\n", err)
		return false
	}
	fmt.Fprintf(r.cfg.Stderr, "[godp: the process of the cells has ended and was replaced. %s]\n", lost)
	return false
}

// label stands before the value of cell n.
func (r *repl) label(n int) string {
	if !r.cfg.Edit {
		return ""
	}
	if !r.cfg.Colour {
		return fmt.Sprintf("Out[%d]: ", n)
	}
	return fmt.Sprintf("%sOut[%d]:%s ", red, n, reset)
}

// plainEditor gathers lines until they make a cell.
type plainEditor struct {
	r     *repl
	lines *bufio.Reader
}

func (e *plainEditor) read(int) (string, error) {
	var code strings.Builder
	for {
		line, err := e.lines.ReadString('\n')
		code.WriteString(line)
		if err != nil {
			return code.String(), err
		}
		if strings.TrimSpace(code.String()) == "" {
			return "", nil
		}
		if status, _ := e.r.k.IsComplete(strings.TrimSuffix(code.String(), "\n")); status != "incomplete" {
			return strings.TrimRight(code.String(), "\n"), nil
		}
	}
}
