package differential

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"syscall"

	"github.com/traefik/yaegi/interp"

	"example.org/godp/stdlib"
)

// engines run a program given as cells, with the process's standard streams, and return the process's exit code.
var engines = map[string]func(cells []string) int{"session": runSession, "debugger": runDebugged, "yaegi": runYaegi}

// engineName is the engine in use.
func engineName() string {
	if *engine != "" {
		return *engine
	}
	return "session"
}

// encode writes the program as the child reads it.
func (p *program) encode() string {
	cells := p.cells
	if cells == nil {
		cells = []string{p.source, "main()"} // a cell has no package clause
		if at := packageClause.FindStringIndex(p.source); at != nil {
			cells[0] = p.source[:at[0]] + p.source[at[1]:]
		}
	}
	b, _ := json.Marshal(cells)
	return string(b)
}

// plain takes the colours out of a text.
func plain(s string) string { return colours.ReplaceAllString(s, "") }

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

var packageClause = regexp.MustCompile(`(?m)^package main\b`)

// child runs the program in the file, in this process.
func child(engine, file string) int {
	// A program that wants the memory of the whole machine ends here, not elsewhere.
	rlimit := syscall.Rlimit{Cur: 4 << 30, Max: 4 << 30}
	syscall.Setrlimit(syscall.RLIMIT_DATA, &rlimit)
	b, err := os.ReadFile(file)
	var cells []string
	if err == nil {
		err = json.Unmarshal(b, &cells)
	}
	run := engines[engine]
	if err != nil || run == nil {
		fmt.Fprintln(os.Stderr, "no program or no such engine:", engine, err)
		return 1
	}
	os.Args = os.Args[:1]
	return run(cells)
}

// runYaegi is the bare interpreter, for comparison: the whole program is given to it at once.
func runYaegi(cells []string) (code int) {
	i := interp.New(interp.Options{})
	if err := i.Use(stdlib.Symbols()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	i.Use(stdlib.Overrides())
	defer func() {
		if e := recover(); e != nil {
			fmt.Fprintln(os.Stderr, "panic:", e)
			code = 2
		}
	}()
	for n, c := range cells {
		if n == 0 {
			c = "package main\n" + c
		} else if c == "main()" {
			continue // yaegi has run it already
		}
		_, err := i.Eval(c)
		if p, ok := err.(interp.Panic); ok {
			if x, ok := p.Value.(interface{ ExitCode() int }); ok {
				return x.ExitCode()
			}
			fmt.Fprintln(os.Stderr, "panic:", p.Value)
			return 2
		} else if err != nil {
			fmt.Fprintln(os.Stderr, strings.TrimSpace(err.Error()))
			return exitRefused
		}
	}
	return 0
}
