package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"example.org/godp/kernel/notebook"
)

// watching is "godp run --watch".
type watching struct {
	file    string
	out     string // written after each run, if not empty
	options notebook.Options
	start   func() (*notebook.Process, error)
	stop    <-chan os.Signal
	clear   bool // the terminal is cleared before each run

	k      *notebook.Process
	before *notebook.Notebook // what has run in k
}

// How often a watched file is looked at, and for how long it must stay as it is.
const (
	watchEvery  = 100 * time.Millisecond
	watchSettle = 60 * time.Millisecond
)

var errChanged = errors.New("the file has changed")

// leavesArguments are the packages whose functions and methods change nothing that they are given, as their documentation promises.
var leavesArguments = map[string]bool{"dp": true, "plots": true}

// stamp tells one state of a file from another.
type stamp struct {
	time time.Time
	size int64
}

func stampOf(file string) (stamp, bool) {
	st, err := os.Stat(file)
	if err != nil { // editors replace a file by taking it away for a moment
		return stamp{}, false
	}
	return stamp{st.ModTime(), st.Size()}, true
}

// changed returns when the file is another than at the stamp and no longer being written.
func (w *watching) changed(ctx context.Context, last stamp) stamp {
	for {
		select {
		case <-ctx.Done():
			return last
		case <-time.After(watchEvery):
		}
		now, ok := stampOf(w.file)
		if !ok || now == last {
			continue
		}
		time.Sleep(watchSettle)
		if again, ok := stampOf(w.file); ok && again == now {
			return now
		}
	}
}

// run runs the file whenever it is saved, until an interrupt comes while nothing runs. It returns the exit status.
func (w *watching) run() int {
	defer func() {
		if w.k != nil {
			w.k.Close()
		}
	}()
	last, ok := stampOf(w.file)
	if !ok {
		_, err := os.Stat(w.file)
		return fail(err)
	}
	for {
		ctx, cancel := context.WithCancelCause(context.Background())
		watch, stopWatch := context.WithCancel(context.Background())
		next := make(chan stamp, 1)
		go func() { // a save while cells run stops them
			s := w.changed(watch, last)
			if watch.Err() == nil {
				cancel(errChanged)
			}
			next <- s
		}()
		ended := make(chan error, 1)
		go func() { ended <- w.once(ctx) }()
		stop, ran := false, false
		for !ran {
			select {
			case err := <-ended:
				ran = true
				w.report(err)
			case <-w.stop:
				if stop { // the second time
					stopWatch()
					return 130
				}
				stop = true
				cancel(errInterrupted)
			}
		}
		select {
		case <-w.stop:
			stopWatch()
			return 130
		case last = <-next:
		}
		stopWatch()
		cancel(nil)
	}
}

// once runs the file, from the first changed cell on if that shows what all of it would.
func (w *watching) once(ctx context.Context) error {
	now, err := notebook.Open(w.file)
	if w.clear {
		io.WriteString(w.options.Stdout, "\x1b[H\x1b[2J\x1b[3J")
	}
	head := fmt.Sprintf("godp: %s, %s", w.file, time.Now().Format("15:04:05"))
	if err != nil {
		fmt.Fprintln(w.options.Stderr, head)
		return err
	}
	first := 0
	if w.before != nil {
		why := ""
		if first, why = notebook.FirstToRun(w.before, now, leavesArguments); first == 0 && why != "" {
			head += ": all cells run again, since " + why
		}
	}
	if first == 0 {
		if w.k != nil {
			w.k.Close()
			w.k = nil
		}
		w.before = nil
		if w.k, err = w.start(); err != nil {
			return err
		}
	} else {
		now.Keep(w.before, first)
		if first == len(now.Cells) {
			head += ": no code has changed"
		} else {
			head += fmt.Sprintf(": from cell %d on", first+1)
		}
	}
	fmt.Fprintln(w.options.Stderr, head)
	o := w.options
	o.From = first
	err = now.Run(ctx, w.k, o)
	w.before = now
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	var cell *notebook.CellError
	if err != nil && !errors.As(err, &cell) { // cells that were stopped or have died leave nothing to build on
		w.before = nil
	}
	if w.out != "" {
		err = errors.Join(err, now.Save(w.out))
	}
	return err
}

// report says how a run has ended, where its cells have not.
func (w *watching) report(err error) {
	var cell *notebook.CellError
	switch {
	case err == nil:
	case errors.Is(err, errChanged):
		fmt.Fprintln(w.options.Stderr, "godp: the file has changed; it is run again")
	case errors.Is(err, errInterrupted):
		fmt.Fprintln(w.options.Stderr, "godp: interrupted; save the file to run it again, Ctrl-C ends")
	case errors.As(err, &cell):
		fmt.Fprintf(w.options.Stderr, "godp: %s: cell %d (In[%d]) failed\n", w.file, cell.Cell, cell.Count)
	default:
		fmt.Fprintf(w.options.Stderr, "godp: %s: %v\n", w.file, err)
	}
}
