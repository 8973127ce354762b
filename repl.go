package main

import (
	"io"
	"os"
	"slices"

	"example.org/godp/kernel/notebook"
	"example.org/godp/kernel/repl"
	"golang.org/x/sys/unix"
)

// runRepl runs cells that are typed in a terminal.
func runRepl(args []string) int {
	fs, parse := flags("repl")
	plots := fs.String("plots", "", "save plots in `DIR` (default a new folder for temporary files)")
	m, noShell := memoryFlag(fs), shellFlag(fs)
	var noHistory bool
	historyFlag(fs, &noHistory)
	if _, status := parse(args, 0, 0); status >= 0 {
		return status
	}
	if *plots != "" {
		if err := os.MkdirAll(*plots, 0o755); err != nil {
			return fail(err)
		}
	}
	cmd, err := self(slices.Concat([]string{"worker"}, m.args(), noShell.args())...)
	if err != nil {
		return fail(err)
	}
	edit := canEdit(os.Stdin) && canEdit(os.Stdout) && os.Getenv("TERM") != "dumb"
	h := openHistory(noHistory || !edit)
	defer h.Close()
	ok, err := repl.Run(repl.Config{
		Start: func(stdin io.Reader) (*notebook.Process, error) {
			return notebook.StartProcess(stdin, cmd[0], cmd[1:]...)
		},
		History: h,
		Stdin:   os.Stdin,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
		Colour:  isTerminal(os.Stdout),
		Edit:    edit,
		Plots:   *plots,
		Banner:  "godp " + version + ": Go cells. Tab completes, %help lists directives, Ctrl-C stops a cell, Ctrl-D leaves.",
	})
	if err != nil {
		return fail(err)
	}
	if !ok && !edit {
		return 1
	}
	return 0
}

// canEdit reports whether f is a terminal: the only files that have a size in lines and columns.
func canEdit(f *os.File) bool {
	_, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	return err == nil
}
