package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/godp/install"
	"example.org/godp/kernel/worker"
)

// asGodp is an environment variable that makes the test binary the program.
const asGodp = "GODP_TEST_PROGRAM"

// TestMain lets the test binary be the program, so that it can start itself as a worker.
func TestMain(m *testing.M) {
	if os.Getenv(asGodp) != "" || len(os.Args) > 1 && os.Args[1] == "worker" {
		os.Exit(dispatch(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// godp runs a subcommand and returns what it prints.
func godp(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	read := func(f **os.File) (restore func() string) {
		old := *f
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		*f = w
		text := make(chan string)
		go func() {
			b, _ := io.ReadAll(r)
			text <- string(b)
		}()
		return func() string { w.Close(); *f = old; return <-text }
	}
	out, err := read(&os.Stdout), read(&os.Stderr)
	status = dispatch(args)
	return out(), err(), status
}

func TestCommandLine(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args   string
		status int
		want   string // in stdout or stderr
	}{
		{"", 2, "Usage:"},
		{"help", 0, "godp run [-o OUT.ipynb]"},
		{"frobnicate", 2, `unknown subcommand "frobnicate"`},
		{"version", 0, "godp " + version + " (go1."},
		{"--version", 0, "yaegi"},
		{"version extra", 2, "1 arguments given"},
		{"run", 2, "0 arguments given"},
		{"run -h", 0, "Usage: godp run"},
		{"run --nonsense x", 2, "flag provided but not defined"},
		{"run " + dir + "/missing.ipynb", 1, "no such file"},
		{"run --memory tiny x.go", 2, `"tiny" is not an amount of memory`},
		{"install --user --sys-prefix", 1, "only one of"},
		{"install --name a/b", 1, "a kernel's name consists of"},
		{"kernel", 2, "0 arguments given"},
		{"kernel " + dir + "/missing.json", 1, "missing.json"},
		{"data", 2, "0 arguments given"},
		{"data eat", 2, `unknown action "eat"`},
		{"data fetch mnist", 1, `unknown data set "mnist"`},
		{"worker", 2, "not by hand"},
	} {
		stdout, stderr, status := godp(t, strings.Fields(c.args)...)
		if status != c.status || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("godp %s: status %d, want %d, and %q in\n%s%s", c.args, status, c.status, c.want, stdout, stderr)
		}
	}
}

func TestRunCommand(t *testing.T) {
	dir := t.TempDir()
	src := filepath.Join(dir, "cells.go")
	text := "// %%\nx := 6\n// %%\nfmt.Println(x * 7)\n// %% fails\npanic(\"stop\")\n// %%\nfmt.Println(\"after\")\n"
	if err := os.WriteFile(src, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, status := godp(t, "run", src)
	if status != 1 || stdout != "42\n" || !strings.Contains(stderr, "panic: stop\nIn[3]:1:1\n    panic(\"stop\")\n    ^") {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
	out := filepath.Join(dir, "out.ipynb")
	stdout, _, status = godp(t, "run", src, "--allow-errors", "-o", out) // flags may follow
	if status != 0 || stdout != "42\nafter\n" {
		t.Errorf("errors allowed: status %d, stdout %q", status, stdout)
	}
	b, err := os.ReadFile(out)
	if err != nil || !json.Valid(b) || !bytes.Contains(b, []byte(`"ename": "panic"`)) {
		t.Errorf("notebook written: %v\n%s", err, b)
	}
	if b, _ := os.ReadFile(src); string(b) != text {
		t.Error("the source was touched")
	}
}

func TestRunWithAndWithoutShell(t *testing.T) {
	src := filepath.Join(t.TempDir(), "cells.go")
	if err := os.WriteFile(src, []byte("// %%\nx := 6\n!echo shell\n// %%\n%%bash\nread line || echo nothing to read\n// %%\nfmt.Println(x)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if stdout, stderr, status := godp(t, "run", src); status != 0 || stdout != "shell\nnothing to read\n6\n" {
		t.Errorf("with a shell: status %d, %q, %q", status, stdout, stderr)
	}
	stdout, stderr, status := godp(t, "run", "--no-shell", src)
	if status != 1 || stdout != "" || !strings.Contains(stderr, "In[1]:2:1: shell commands are switched off") {
		t.Errorf("without: status %d, %q, %q", status, stdout, stderr)
	}
}

func TestInstallCommand(t *testing.T) {
	dir := t.TempDir()
	// The test's own program lies in a temporary folder, from where nothing is installed.
	if _, stderr, status := godp(t, "install", "--prefix", dir); status == 0 && strings.Contains(os.Args[0], "go-build") || status != 0 && !strings.Contains(stderr, "go build") {
		t.Errorf("from a temporary file: status %d, %q", status, stderr)
	}
	exe := filepath.Join(dir, "godp")
	if err := os.WriteFile(exe, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	spec, err := install.Install(install.Options{Prefix: dir, Executable: exe})
	if err != nil {
		t.Fatal(err)
	}
	if stdout, _, status := godp(t, "uninstall", "--prefix", dir); status != 0 || stdout != "Removed "+spec+"\n" {
		t.Errorf("uninstall: status %d, %q", status, stdout)
	}
}

func TestDataCommand(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	defer srv.Close()
	t.Setenv("GODP_DATA", t.TempDir())
	if stdout, _, status := godp(t, "data", "list"); status != 0 || strings.Count(stdout, "missing") != 4 {
		t.Errorf("list: status %d, %q", status, stdout)
	}
	if _, stderr, status := godp(t, "data", "fetch", "adult", "--url", srv.URL); status != 1 || strings.Count(stderr, "404 Not Found") != 3 {
		t.Errorf("fetch: status %d, %q", status, stderr)
	}
}

func TestSelfTest(t *testing.T) {
	if err := selfTest(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestPlotsHaveOneSize(t *testing.T) {
	e := start(t)
	out := e.Execute(t.Context(), 1, "plot.New()", worker.Options{})
	if out.Err != nil || out.Result == nil {
		t.Fatalf("%+v", out.Err)
	}
	size, _ := out.Result.Metadata["image/png"].(map[string]any)
	svg, _ := out.Result.Data["image/svg+xml"].(string)
	if size["width"] != 480 || size["height"] != 336 || !strings.Contains(svg, `width="360pt"`) {
		t.Errorf("PNG %v, SVG %.200s", size, svg)
	}
}
