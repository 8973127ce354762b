package notebook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"example.org/godp/kernel/display"
	"example.org/godp/kernel/session"
	"example.org/godp/kernel/worker"
	"example.org/godp/kernel/worker/protocol"
)

// engine runs cells of a tiny language: one word per line.
type engine struct{ s worker.Streams }

func (e engine) Execute(ctx context.Context, n int, code string, opt worker.Options) (out worker.Outcome) {
	var h *display.Handle
	for _, line := range strings.Split(code, "\n") {
		verb, arg, _ := strings.Cut(line, " ")
		switch verb {
		case "print":
			fmt.Fprintln(e.s.Stdout, arg)
		case "partial":
			fmt.Fprint(e.s.Stdout, arg)
		case "warn":
			fmt.Fprintln(e.s.Stderr, arg)
		case "html":
			h = display.HTML(arg)
		case "update":
			h.Update(arg)
		case "clear":
			display.Clear(arg == "wait")
		case "value":
			b := display.Render(arg)
			out.Result = &b
		case "ask":
			var name string
			fmt.Fscanln(e.s.Stdin, &name)
			fmt.Fprintln(e.s.Stdout, "hello", name)
		case "fail":
			return worker.Outcome{Err: &worker.Error{Name: "error", Value: arg, Traceback: []string{"\x1b[31merror\x1b[0m: " + arg, "In[1]:1"}}}
		case "loop":
			fmt.Fprintln(e.s.Stdout, "looping")
			<-ctx.Done()
			return worker.Outcome{Err: &worker.Error{Name: "interrupted", Value: "interrupted"}}
		case "hang":
			fmt.Fprintln(e.s.Stdout, "hanging")
			select {}
		case "crash":
			go panic("boom")
			select {}
		case "exit":
			os.Exit(5)
		}
	}
	return out
}
func (engine) Call(_, _ context.Context, f func()) worker.Outcome {
	f()
	return worker.Outcome{}
}
func (engine) Expression(context.Context, int, string) (display.Bundle, *worker.Error) {
	return display.Bundle{}, nil
}
func (engine) Describe(any) *worker.Error                            { return nil }
func (engine) Look(context.Context, string) (worker.Outcome, string) { return worker.Outcome{}, "" }
func (engine) SetPast([]session.PastCell)                            {}
func (engine) Debug(json.RawMessage, func(json.RawMessage))          {}
func (engine) IsComplete(string) (string, string)                    { return "complete", "" }
func (engine) Complete(string, int) worker.Completion                { return worker.Completion{} }
func (engine) Inspect(string, int, int) (display.Bundle, bool)       { return display.Bundle{}, false }

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "worker" {
		os.Exit(worker.Main(worker.Config{New: func(s worker.Streams) (worker.Engine, error) { return engine{s}, nil }}))
	}
	os.Exit(m.Run())
}

// run executes cells, and returns the text printed, the notebook in short and the error.
func run(t *testing.T, ctx context.Context, stdin string, o Options, cells ...string) (printed, outputs string, err error) {
	t.Helper()
	p, err := StartProcess(strings.NewReader(stdin), os.Args[0], "worker")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	nb := ParseGo("// %%\n" + strings.Join(cells, "\n// %%\n"))
	for i, c := range nb.Cells {
		if rest, ok := strings.CutPrefix(c.Source, "#"); ok { // the test's way to set a tag
			tag, src, _ := strings.Cut(rest, "\n")
			nb.Cells[i].tags, nb.Cells[i].Source = []string{tag}, src
		}
	}
	var text bytes.Buffer
	if o.Stdout == nil {
		o.Stdout, o.Stderr = &text, &text
	}
	err = nb.Run(ctx, p, o)
	var b strings.Builder
	for _, c := range nb.Cells {
		raw, _ := json.Marshal(c.Outputs)
		fmt.Fprintf(&b, "%d %s\n", c.Count, raw)
	}
	return text.String(), b.String(), err
}

func TestRun(t *testing.T) {
	printed, outputs, err := run(t, t.Context(), "Ann\n", Options{},
		"print a\nprint b\nwarn c\nvalue d", "html <i>e</i>\nupdate <b>f</b>\npartial g\nvalue h", "ask", "print gone\nclear wait\nprint kept", "#skip-execution\nprint never")
	if err != nil {
		t.Fatal(err)
	}
	if want := "a\nb\nc\nd\ne\ng\nh\nf\nhello Ann\ngone\nkept\n"; printed != want {
		t.Errorf("printed\n%s\nwant\n%s", printed, want)
	}
	want := `1 [{"name":"stdout","output_type":"stream","text":"a\nb\n"},{"name":"stderr","output_type":"stream","text":"c\n"},{"data":{"text/plain":"d"},"execution_count":1,"metadata":{},"output_type":"execute_result"}]
2 [{"data":{"text/html":"\u003cb\u003ef\u003c/b\u003e","text/plain":"f"},"metadata":{},"output_type":"display_data"},{"name":"stdout","output_type":"stream","text":"g"},{"data":{"text/plain":"h"},"execution_count":2,"metadata":{},"output_type":"execute_result"}]
3 [{"name":"stdout","output_type":"stream","text":"hello Ann\n"}]
4 [{"name":"stdout","output_type":"stream","text":"kept\n"}]
0 null
`
	if outputs != want {
		t.Errorf("outputs\n%s\nwant\n%s", outputs, want)
	}
}

func TestRunStopsAtAnError(t *testing.T) {
	printed, outputs, err := run(t, t.Context(), "", Options{}, "print a", "#raises-exception\nfail expected", "partial x\nfail real", "print never")
	var e *CellError
	if !errors.As(err, &e) || e.Cell != 3 || e.Failure.Value != "real" {
		t.Fatalf("error %v", err)
	}
	if want := "a\nerror: expected\nIn[1]:1\nx\nerror: real\nIn[1]:1\n"; printed != want {
		t.Errorf("printed %q, want %q", printed, want)
	}
	if !strings.Contains(outputs, `"evalue":"real"`) || !strings.HasSuffix(outputs, "\n0 []\n") {
		t.Errorf("outputs\n%s", outputs)
	}
	printed, _, err = run(t, t.Context(), "", Options{AllowErrors: true}, "fail x", "print on")
	if err != nil || !strings.HasSuffix(printed, "on\n") {
		t.Errorf("errors allowed: %q, %v", printed, err)
	}
}

// cancelOn cancels a context when text is written.
type cancelOn struct {
	got    bytes.Buffer
	text   string
	cancel func()
}

func (w *cancelOn) Write(p []byte) (int, error) {
	n, err := w.got.Write(p)
	if strings.Contains(w.got.String(), w.text) {
		w.cancel()
	}
	return n, err
}

func TestRunIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := &cancelOn{text: "looping", cancel: cancel}
	_, outputs, err := run(t, ctx, "", Options{Stdout: w, Stderr: w, AllowErrors: true}, "loop", "print never")
	if !errors.Is(err, context.Canceled) || !strings.Contains(outputs, `"ename":"interrupted"`) || strings.Contains(outputs, "never") {
		t.Errorf("error %v, outputs %s", err, outputs)
	}
	ctx, cancel = context.WithCancel(t.Context())
	w = &cancelOn{text: "hanging", cancel: cancel}
	if _, _, err = run(t, ctx, "", Options{Stdout: w, Stderr: w}, "hang"); err == nil || !strings.Contains(err.Error(), "did not stop") {
		t.Errorf("a cell that does not stop: %v", err)
	}
}

func TestRunSurvivesTheInterpreter(t *testing.T) {
	if _, _, err := run(t, t.Context(), "", Options{}, "print a", "crash"); err == nil || !strings.Contains(err.Error(), "cell 2 (In[2]): the interpreter died: panic: boom") {
		t.Errorf("crash: %v", err)
	}
	if _, _, err := run(t, t.Context(), "", Options{}, "exit"); err == nil || !strings.Contains(err.Error(), "exit status 5") {
		t.Errorf("exit: %v", err)
	}
	if _, err := StartProcess(nil, "/nonexistent/godp"); err == nil || !strings.Contains(err.Error(), "/nonexistent/godp") {
		t.Errorf("no such program: %v", err)
	}
	if _, err := StartProcess(nil, "true"); err == nil || !strings.Contains(err.Error(), "the interpreter ended") {
		t.Errorf("a program that is no worker: %v", err)
	}
}

func TestRunRefusesOtherLanguages(t *testing.T) {
	nb, err := Parse([]byte(`{"nbformat": 4, "cells": [], "metadata": {"kernelspec": {"language": "python"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := nb.Run(t.Context(), nil, Options{}); err == nil || !strings.Contains(err.Error(), "written in python") {
		t.Errorf("error %v", err)
	}
}

func TestStreamsCutInsideACharacter(t *testing.T) {
	r := newRecorder(Options{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}})
	c := &Cell{}
	r.begin(c, 1)
	for _, b := range []byte("é€") {
		r.message(&protocol.Stream{Name: "stdout", Text: []byte{b}})
	}
	if len(c.Outputs) != 1 || c.Outputs[0]["text"] != "é€" {
		t.Errorf("outputs %v", c.Outputs)
	}
}

// On a terminal a display of one line moves as long as nothing is printed after it; what is saved is the last state.
func TestLiveUpdates(t *testing.T) {
	for live, want := range map[bool]string{
		true:  "0%\n\x1b[1A\x1b[2K50%\nprinted\n100%\n",
		false: "0%\nprinted\n100%\n",
	} {
		var out strings.Builder
		r := newRecorder(Options{Stdout: &out, Stderr: &out, Live: live})
		c := &Cell{}
		r.begin(c, 1)
		show := func(update bool, text string) {
			r.message(&protocol.Display{Update: update, Bundle: protocol.Bundle{Data: json.RawMessage(fmt.Sprintf(`{"text/plain":%q}`, text)), Transient: json.RawMessage(`{"display_id":"a"}`)}})
		}
		show(false, "0%")
		show(true, "50%")
		r.message(&protocol.Stream{Name: protocol.Stdout, Text: []byte("printed\n")})
		show(true, "100%")
		r.end()
		if got := out.String(); got != want {
			t.Errorf("live %v: %q, want %q", live, got, want)
		}
		if got := c.Outputs[0]["data"].(map[string]any)["text/plain"]; got != "100%" || len(c.Outputs) != 2 {
			t.Errorf("saved: %v", c.Outputs)
		}
	}
}
