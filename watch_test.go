package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestRunWatch(t *testing.T) {
	dir := t.TempDir()
	file, out := filepath.Join(dir, "n.go"), filepath.Join(dir, "out.ipynb")
	save := func(text string) {
		t.Helper()
		if err := os.WriteFile(file+".new", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil { // as editors do
			t.Fatal(err)
		}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var shown lockedBuffer
	cmd := exec.Command(exe, "run", "--watch", "-o", out, file)
	cmd.Env = append(os.Environ(), asGodp+"=1")
	cmd.Stdout, cmd.Stderr = &shown, &shown
	save("x := time.Now().UnixNano()\nfmt.Println(\"first\", x)\n---\ny := 1\n---\nfmt.Println(\"sum\", y + 1)\n")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	got := ""
	expect := func(text string) string {
		t.Helper()
		for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			got += shown.take()
			if i := strings.Index(got, text); i >= 0 {
				before := got[:i]
				got = got[i+len(text):]
				return before
			}
		}
		t.Fatalf("%q was not printed; there is %q", text, got)
		return ""
	}
	expect("first ")
	expect("sum 2\n")
	// From the changed cell on: the one before it is not run again.
	save("x := time.Now().UnixNano()\nfmt.Println(\"first\", x)\n---\ny := 10\n---\nfmt.Println(\"sum\", y + 1)\n")
	if between := expect("sum 11\n"); !strings.Contains(between, "from cell 2 on") || strings.Contains(between, "first ") {
		t.Errorf("printed %q", between)
	}
	// A change of what went before is run from the start.
	save("x := 5\nfmt.Println(\"first\", x)\n---\ny := 10\n---\nx++\nfmt.Println(\"sum\", x + y)\n")
	expect("first 5\n")
	expect("sum 16\n")
	save("x := 5\nfmt.Println(\"first\", x)\n---\ny := 11\n---\nx++\nfmt.Println(\"sum\", x + y)\n")
	if between := expect("sum 17\n"); !strings.Contains(between, "all cells run again, since x may have been changed") || !strings.Contains(between, "first 5") {
		t.Errorf("printed %q", between)
	}
	// Errors are shown, and mended.
	save("x := 5\n---\nx.y\n")
	expect("In[2]:1:3: x.y undefined")
	expect("cell 2 (In[2]) failed")
	save("x := 5\n---\nfmt.Println(x * 2)\n")
	expect("10\n")
	// A save stops cells that run.
	save("fmt.Println(\"looping\")\nfor {}\n")
	expect("looping\n")
	save("fmt.Println(\"no longer\")\n")
	expect("the file has changed")
	expect("no longer\n")
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		b, err := os.ReadFile(out)
		if err == nil && bytes.Contains(b, []byte("no longer")) && bytes.Contains(b, []byte(`"execution_count": 1`)) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%s holds %q, %v", out, b, err)
		}
	}
	cmd.Process.Signal(syscall.SIGINT)
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case <-done:
		if s := cmd.ProcessState.ExitCode(); s != 130 {
			t.Errorf("status %d", s)
		}
	case <-time.After(10 * time.Second):
		t.Error("it does not end")
	}
}
