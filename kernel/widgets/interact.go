package widgets

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"example.org/godp/kernel/comm"
	"example.org/godp/kernel/display"
)

// Arg says how a parameter of the function of [Interact] is set. A parameter without an Arg gets a widget by its type: float64 a
// slider from 0 to 1, an integer a slider from 0 to 10, bool a checkbox, string a text field.
type Arg struct {
	Name string // of the parameter. Required, unless the Args are those of the first parameters in their order.

	Label string // beside the widget; default Name. TeX between dollar signs is typeset.

	Min, Max float64 // bounds of a number; with both zero the default
	Step     float64 // of a slider; for Log in the exponent of ten. Zero means about a hundredth of the range, for Log 0.1.
	Log      bool    // a logarithmic slider; Min and Max are positive
	Format   string  // of the number beside a slider, in the syntax of d3-format

	Choices any // []string, []float64 or []int: the parameter is chosen from a menu

	Value any // at first: a number (for Log moved to the nearest step), bool or string. Default: the middle of a range (for Log, of the exponents), the first choice.

	Delayed bool   // the function is called when the slider is let go or the text is entered, not on the way
	Widget  Widget // a widget of one's own in place of all the above, but for Name
}

// Interaction is a function with the widgets that set its parameters and the area that shows what it returns. It is a widget itself.
type Interaction struct {
	base
	f      function
	params []param
	out    *OutputArea
	button *PushButton // nil unless the function waits for it
	owner  uint64

	mu      sync.Mutex
	queued  bool // a run waits, and will see the newest values
	cancel  context.CancelFunc
	started time.Time // of the run under way, zero if there is none
	timer   *time.Timer
	stale   bool // the run under way is no longer wanted
}

// patience is how long a run may take that newer values have made stale. Shorter ones end and are shown, so the page
// follows while a slider is dragged; a longer one is stopped, and the newest values come next.
const patience = 500 * time.Millisecond

// Interact shows a widget for each parameter of f, calls f, and calls it again whenever a widget is changed; the results, what f
// prints and shows, and its panics are shown below, each time in the place of the last.
//
//	widgets.Interact(func(eps, h float64) any {
//		return dp.… // a plot, a table, a text
//	}, widgets.Arg{Name: "eps", Label: "ε", Min: 0.01, Max: 10, Log: true}, widgets.Arg{Name: "h", Min: 0.1, Max: 2})
//
// f is a function: one declared in a cell, a function literal, or a variable. Its parameters are numbers, bools, strings or []string; it may
// return any values; an error that is not nil is shown as an error. Calls never overlap, and follow the rule for handlers in the package
// comment; the first is part of the cell. Values that change while f runs are skipped but for the last; a run of more than
// half a second is stopped for it (not in the middle of compiled code, other than that of package dp, and not while goroutines that cells
// have started are running, since they would stop too).
//
// The names of the parameters are those that f has where it is written. A function that comes out of compiled code has none; its parameters
// are called x1, x2, …
func Interact(f any, args ...Arg) {
	it := interaction("Interact", f, args, false)
	it.show()
	it.first()
}

// InteractManual is [Interact] for functions that take long: f is called when a button is clicked.
func InteractManual(f any, args ...Arg) {
	interaction("InteractManual", f, args, true).show()
}

// Interactive is [Interact] without showing anything: the widget that it returns can be put into a box.
func Interactive(f any, args ...Arg) *Interaction {
	it := interaction("Interactive", f, args, false)
	it.first()
	return it
}

func interaction(what string, f any, args []Arg, manual bool) *Interaction {
	fn := functionOf(what, f)
	it := &Interaction{f: fn, params: paramsOf(what, fn, args), owner: comm.Owner()}
	var children []Widget
	for _, p := range it.params {
		children = append(children, p.widget)
	}
	if manual {
		it.button = Button("Run")
		children = append(children, it.button)
	}
	it.out = Output()
	it.base = VBox(append(children, it.out)...).With(Class("widget-interact")).base
	mu.Lock()
	defer mu.Unlock()
	if manual {
		it.button.m.onCustom = func(parent uint64, _ json.RawMessage) { it.changed(parent) }
		return it
	}
	for _, p := range it.params {
		p.m.links = append(p.m.links, it.changed)
	}
	return it
}

// show shows the widgets. Where there is only text it tells the parameters.
func (it *Interaction) show() {
	data := it.MIME()
	mu.Lock()
	var values []string
	for _, p := range it.params {
		format := "%s: %v"
		if isFloat(p.typ) {
			format = "%s: %.4g"
		}
		values = append(values, fmt.Sprintf(format, p.name, p.value()))
	}
	mu.Unlock()
	data["text/plain"] = "Interact(" + strings.Join(values, ", ") + ")"
	display.Send(display.Bundle{Data: data})
}

// Output is the area that shows what the function returns.
func (it *Interaction) Output() *OutputArea { return it.out }

// Update calls the function again with the present values, as a change of one of them would.
func (it *Interaction) Update() {
	mu.Lock()
	defer mu.Unlock()
	it.changed(comm.Owner())
}

// first is the run in the cell itself.
func (it *Interaction) first() {
	it.mu.Lock()
	it.started = time.Now()
	it.mu.Unlock()
	done := false
	defer func() {
		if !done { // the cell is being stopped
			it.ended(&comm.Failure{Name: "interrupted", Value: "the cell was interrupted"})
		}
	}()
	it.call()
	done = true
	it.ended(nil)
}

// changed posts a run with the newest values. mu is held.
func (it *Interaction) changed(parent uint64) {
	it.mu.Lock()
	defer it.mu.Unlock()
	if it.queued {
		return
	}
	it.queued = true
	if !it.started.IsZero() && it.timer == nil {
		cancel := it.cancel
		it.timer = time.AfterFunc(patience-time.Since(it.started), func() {
			it.mu.Lock()
			it.stale = true
			it.mu.Unlock()
			if cancel != nil {
				cancel()
			}
		})
	}
	if parent == 0 {
		parent = comm.Owner()
	}
	ctx, cancel := context.WithCancel(context.Background())
	comm.Post(&comm.Task{Parent: parent, Owner: it.owner, Context: ctx, Done: it.ended, Run: func() {
		it.mu.Lock()
		it.queued, it.cancel, it.started, it.stale = false, cancel, time.Now(), false
		it.mu.Unlock()
		it.call()
	}})
}

// call calls the function and gathers what comes of it.
func (it *Interaction) call() {
	it.out.begin()
	mu.Lock()
	args := make([]reflect.Value, len(it.params))
	for i, p := range it.params {
		args[i] = p.value()
	}
	mu.Unlock()
	var problem *comm.Failure
	it.out.run(func() {
		defer func() {
			if p := recover(); p != nil {
				if problem = comm.Describe(p); problem == nil {
					panic(p)
				}
			}
		}()
		for _, v := range it.f.Call(args) {
			if err, ok := v.(error); ok {
				problem = &comm.Failure{Name: "error", Value: err.Error()}
			} else if v != nil {
				showQuickly(v)
			}
		}
	})
	if problem != nil {
		it.out.fail(problem)
	}
}

// showQuickly shows a value; of a picture that can be had in two forms, only the smaller one to send.
func showQuickly(v any) {
	b := display.Render(v)
	if len(b.Data) == 0 {
		return
	}
	if _, ok := b.Data["image/png"]; ok {
		data := map[string]any{}
		for k, x := range b.Data {
			if k != "image/svg+xml" {
				data[k] = x
			}
		}
		b.Data = data
	}
	display.Send(b)
}

// ended shows what the run has made, unless newer values have made it stale.
func (it *Interaction) ended(f *comm.Failure) {
	it.mu.Lock()
	stale := it.stale || f != nil && f.Superseded
	if it.timer != nil {
		it.timer.Stop()
		it.timer = nil
	}
	if it.cancel != nil {
		it.cancel()
	}
	it.cancel, it.started, it.stale = nil, time.Time{}, false
	it.mu.Unlock()
	if f != nil && !stale {
		it.out.fail(f)
	}
	it.out.end(!stale)
}

// Close takes the widgets off the page.
func (it *Interaction) Close() {
	mu.Lock()
	defer mu.Unlock()
	for _, p := range it.params {
		p.m.close()
	}
	it.out.m.close()
	if it.button != nil {
		it.button.m.close()
	}
	it.m.close()
}
