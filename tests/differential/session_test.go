package differential

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"strings"
	"time"

	"example.org/godp/kernel/display"
	"example.org/godp/kernel/session"
	"example.org/godp/stdlib"
)

// runSession runs the cells as the kernel does.
func runSession(cells []string) int { return runCells(cells, false) }

// runDebugged runs the cells with a debugger attached that stops nowhere.
func runDebugged(cells []string) int { return runCells(cells, true) }

func runCells(cells []string, debugged bool) int {
	symbols := stdlib.Symbols()
	maps.Copy(symbols, map[string]map[string]reflect.Value{displayPath + "/display": display.Symbols()})
	s, err := session.New(session.Config{
		Symbols: symbols, Export: stdlib.Export, Doc: stdlib.Doc, AutoImport: stdlib.AutoImport,
		Generic: stdlib.GenericSource, WrapperFor: stdlib.WrapperFor,
		Stdout: os.Stdout, Stderr: os.Stderr, Stdin: os.Stdin,
		OnPanic: func(e *session.Error) { // ends a Go program
			if e.Name == "exit" {
				code := 0
				fmt.Sscanf(e.Value, "exit status %d", &code)
				os.Exit(code)
			}
			fmt.Fprintln(os.Stderr, "panic: "+e.Value)
			os.Exit(2)
		},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if debugged {
		for _, command := range []string{"initialize", "attach"} {
			s.Debug(fmt.Appendf(nil, `{"type":"request","command":%q}`, command), func(json.RawMessage) {})
		}
	}
	for n, c := range cells {
		out := s.Execute(context.Background(), n+1, c, session.Options{})
		if e := out.Err; e != nil {
			switch {
			case e.Name == "exit":
				code := 0
				fmt.Sscanf(e.Value, "exit status %d", &code)
				return code
			case e.Name == "Goexit": // the other goroutines go on, and may end the program
				time.Sleep(still / 2)
				fmt.Fprintln(os.Stderr, "fatal error: no goroutines (main called runtime.Goexit) - deadlock!")
				return 2
			case e.Name == "panic" || e.Name == "error":
				fmt.Fprintln(os.Stderr, "panic: "+e.Value)
				return 2
			}
			fmt.Fprintln(os.Stderr, e.Name+": "+plain(strings.Join(e.Traceback, "\n")))
			return exitRefused
		}
		if out.Result != nil {
			fmt.Println("Out: " + out.Result.Text())
		}
	}
	return 0
}
