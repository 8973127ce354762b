package notebook

import (
	"context"
	"fmt"
	"io"

	"example.org/godp/kernel/worker/protocol"
)

// Kernel executes cells one after the other. Execute sends what the cell shows to show, in order, and returns the
// cell's failure (nil if it succeeded) or the reason why the kernel can run no more cells.
type Kernel interface {
	Execute(ctx context.Context, n int, code string, show func(protocol.Message)) (*protocol.Failure, error)
}

// Options say how a notebook is run.
type Options struct {
	Stdout, Stderr io.Writer // where the text of the outputs goes as it comes; nil: nowhere
	AllowErrors    bool      // go on after a cell that fails
	Colour         bool      // keep terminal colours in tracebacks
	From           int       // index of the first cell to run: those before it have run in this session, and keep their outputs
	Live           bool      // Stdout is a terminal, in which a line can be written over: progress bars move
}

// CellError is the failure of a cell that ended a run.
type CellError struct {
	Cell    int // position among all cells of the notebook, from 1
	Count   int // execution count
	Failure protocol.Failure
}

func (e *CellError) Error() string {
	return fmt.Sprintf("cell %d (In[%d]) failed: %s: %s", e.Cell, e.Count, e.Failure.Name, e.Failure.Value)
}

// Run executes the code cells in order and replaces their outputs. It stops at the first cell that fails, with a
// *CellError, unless the cell is tagged raises-exception or errors are allowed; the outputs so far are kept, and
// cells after it keep none. Cells tagged skip-execution are left alone.
func (nb *Notebook) Run(ctx context.Context, k Kernel, o Options) error {
	if l := nb.Language(); l != "" && l != "go" {
		return fmt.Errorf("this notebook is written in %s; godp runs Go", l)
	}
	if o.Stdout == nil {
		o.Stdout = io.Discard
	}
	if o.Stderr == nil {
		o.Stderr = io.Discard
	}
	rec := newRecorder(o)
	for i, c := range nb.Cells {
		if i >= o.From && c.Type == "code" && !c.HasTag("skip-execution") {
			c.Count, c.Outputs = 0, []Output{}
		}
	}
	widgets := widgetStates{}
	defer func() { nb.setWidgets(widgets) }()
	show := func(m protocol.Message) {
		if c, ok := m.(*protocol.Comm); ok {
			widgets.message(c)
			return
		}
		rec.message(m)
	}
	n := 0
	for i, c := range nb.Cells {
		if c.Type != "code" || c.HasTag("skip-execution") || isBlank(c.Source) {
			continue
		}
		if n++; i < o.From {
			continue
		}
		rec.begin(c, n)
		f, err := k.Execute(ctx, n, c.Source, show)
		if f != nil {
			rec.fail(f)
		}
		rec.end()
		if err != nil {
			return fmt.Errorf("cell %d (In[%d]): %w", i+1, n, err)
		}
		if f != nil && !o.AllowErrors && !c.HasTag("raises-exception") {
			return &CellError{Cell: i + 1, Count: n, Failure: *f}
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	if len(widgets) > 0 { // handlers that the last cell has set off run before this
		if _, err := k.Execute(ctx, n+1, "", show); err != nil {
			return err
		}
	}
	return nil
}

func isBlank(s string) bool {
	for _, r := range s {
		if r != ' ' && r != '\t' && r != '\n' && r != '\r' {
			return false
		}
	}
	return true
}
