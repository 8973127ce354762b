// Package safe stands in for the functions of the standard library that would end the kernel's process from a cell.
package safe

import (
	"fmt"
	"log"
)

// Exit panics with Status(code) where os.Exit would end the process.
func Exit(code int) { panic(Status(code)) }

// LogFatal is log.Fatal with Exit(1) for its end.
func LogFatal(v ...any) { log.Output(2, fmt.Sprint(v...)); Exit(1) }

// LogFatalf is log.Fatalf with Exit(1) for its end.
func LogFatalf(format string, v ...any) { log.Output(2, fmt.Sprintf(format, v...)); Exit(1) }

// LogFatalln is log.Fatalln with Exit(1) for its end.
func LogFatalln(v ...any) { log.Output(2, fmt.Sprintln(v...)); Exit(1) }

// Status is the panic value of a cell that asked the process to exit.
type Status int

// ExitCode returns the code given to os.Exit.
func (s Status) ExitCode() int { return int(s) }

// String says what happened, for the case that nobody recovers it.
func (s Status) String() string { return fmt.Sprintf("os.Exit(%d)", int(s)) }
