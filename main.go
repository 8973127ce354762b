// Command godp is a Jupyter kernel for Go and a laboratory for differentially private machine learning.
//
// Run it without arguments for the list of subcommands.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"example.org/godp/install"
	"example.org/godp/install/datasets"
	"example.org/godp/kernel/front"
	"example.org/godp/kernel/history"
)

// version of the program, as front ends and "godp version" show it.
const version = "0.1.0"

// A command is a subcommand of godp. run gets what follows its name and returns the exit status.
type command struct {
	name, args, about string
	hidden            bool
	run               func(args []string) int
}

func commands() []command {
	return []command{
		{name: "install", args: "[--user | --sys-prefix | --prefix DIR] [--name NAME] [--display-name TEXT] [--memory SIZE] [--no-shell] [--no-history]",
			about: "make Jupyter find the kernel", run: runInstall},
		{name: "uninstall", args: "[--user | --sys-prefix | --prefix DIR] [--name NAME]",
			about: "take the kernel out of Jupyter again", run: runUninstall},
		{name: "run", args: "[-o OUT.ipynb] [--allow-errors] [--watch] [--memory SIZE] [--no-shell] NOTEBOOK",
			about: "run a notebook, or a .go file of cells, without Jupyter", run: runNotebook},
		{name: "repl", args: "[--plots DIR] [--memory SIZE] [--no-shell] [--no-history]", about: "type cells in a terminal, or run those that come through a pipe", run: runRepl},
		{name: "data", args: "fetch [adult | kdd] | list", about: "fetch the public data sets of the notebooks", run: runData},
		{name: "doctor", about: "find out why the kernel does not show up or start", run: runDoctor},
		{name: "version", about: "print the version", run: runVersion},
		{name: "kernel", args: "[--memory SIZE] [--no-shell] [--no-history] CONNECTION_FILE", about: "be a kernel; Jupyter starts it", run: runKernel},
		{name: "worker", hidden: true, run: runWorker},
	}
}

func main() { os.Exit(dispatch(os.Args[1:])) }

func dispatch(args []string) int {
	if len(args) == 0 {
		usage(os.Stderr)
		return 2
	}
	name := args[0]
	switch name {
	case "help", "-h", "-help", "--help":
		usage(os.Stdout)
		return 0
	case "-v", "-version", "--version":
		name = "version"
	}
	for _, c := range commands() {
		if c.name == name {
			return c.run(args[1:])
		}
	}
	fmt.Fprintf(os.Stderr, "godp: unknown subcommand %q\n\n", name)
	usage(os.Stderr)
	return 2
}

func usage(w io.Writer) {
	fmt.Fprint(w, "godp is a Jupyter kernel for Go and a laboratory for differentially private machine learning.\n\nUsage:\n")
	for _, c := range commands() {
		if !c.hidden {
			fmt.Fprintf(w, "  %s\n        %s\n", strings.TrimSpace("godp "+c.name+" "+c.args), c.about)
		}
	}
}

// flags makes the flag set of a subcommand. parse returns the remaining arguments, or an exit status if the
// subcommand is not to run.
func flags(name string) (fs *flag.FlagSet, parse func(args []string, least, most int) (rest []string, status int)) {
	fs = flag.NewFlagSet("godp "+name, flag.ContinueOnError)
	fs.Usage = func() {
		for _, c := range commands() {
			if c.name == name {
				fmt.Fprintf(fs.Output(), "Usage: %s\n  %s\n", strings.TrimSpace("godp "+name+" "+c.args), c.about)
			}
		}
		fs.PrintDefaults()
	}
	return fs, func(args []string, least, most int) ([]string, int) {
		var rest []string
		for { // flags may also follow the arguments
			if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
				return nil, 0
			} else if err != nil {
				return nil, 2
			}
			if fs.NArg() == 0 {
				break
			}
			rest, args = append(rest, fs.Arg(0)), fs.Args()[1:]
		}
		if len(rest) < least || len(rest) > most {
			fmt.Fprintf(os.Stderr, "godp %s: %d arguments given\n", name, len(rest))
			fs.Usage()
			return nil, 2
		}
		return rest, -1
	}
}

// memoryFlag adds the flag --memory.
func memoryFlag(fs *flag.FlagSet) *memory {
	m := new(memory)
	fs.Var(m, "memory", "limit of the values in use in a cell, such as `4GiB` (default three quarters of the machine's)")
	return m
}

// shellFlag adds the flag --no-shell.
func shellFlag(fs *flag.FlagSet) *shellOff {
	off := new(shellOff)
	fs.BoolVar((*bool)(off), "no-shell", false, "switch !command and %%bash in cells off (no sandbox: Go code can still do what the user may do)")
	return off
}

// historyFlag adds the flag --no-history.
func historyFlag(fs *flag.FlagSet, off *bool) {
	fs.BoolVar(off, "no-history", false, "do not keep the cells in the user's history file (the environment variable "+history.Variable+" names another file, or says off)")
}

// openHistory opens the user's history, or one that is forgotten.
func openHistory(off bool) history.History {
	if off {
		return history.NewMemory()
	}
	return history.Open(func(format string, a ...any) { fmt.Fprintf(os.Stderr, "godp: "+format+"\n", a...) })
}

type shellOff bool

// args repeats the flag for another process.
func (off shellOff) args() []string {
	if !off {
		return nil
	}
	return []string{"--no-shell"}
}

type memory struct {
	text  string
	bytes uint64
}

func (m *memory) String() string { return m.text }
func (m *memory) Set(s string) (err error) {
	m.text = s
	m.bytes, err = install.ParseBytes(s)
	return err
}

// args repeats the flag for another process.
func (m *memory) args() []string {
	if m.text == "" {
		return nil
	}
	return []string{"--memory", m.text}
}

// self is the command line that starts this program again.
func self(args ...string) ([]string, error) {
	if runtime.GOOS == "linux" { // the same file even when the one at its place has been replaced
		if _, err := os.Stat("/proc/self/exe"); err == nil {
			return append([]string{"/proc/self/exe"}, args...), nil
		}
	}
	exe, err := os.Executable()
	return append([]string{exe}, args...), err
}

func fail(err error) int {
	fmt.Fprintf(os.Stderr, "godp: %v\n", err)
	return 1
}

func runInstall(args []string) int {
	fs, parse := flags("install")
	var o install.Options
	where(fs, &o)
	fs.StringVar(&o.DisplayName, "display-name", install.DefaultDisplayName, "`text` that front ends show for the kernel")
	m, noShell := memoryFlag(fs), shellFlag(fs)
	historyFlag(fs, &o.NoHistory)
	if _, status := parse(args, 0, 0); status >= 0 {
		return status
	}
	o.Memory, o.NoShell = m.text, bool(*noShell)
	dir, err := install.Install(o)
	if err != nil {
		return fail(err)
	}
	fmt.Printf("Installed kernel %q in %s\n", o.Name, dir)
	return 0
}

func runUninstall(args []string) int {
	fs, parse := flags("uninstall")
	var o install.Options
	where(fs, &o)
	if _, status := parse(args, 0, 0); status >= 0 {
		return status
	}
	dir, err := install.Uninstall(o)
	if err != nil {
		return fail(err)
	}
	fmt.Printf("Removed %s\n", dir)
	return 0
}

func where(fs *flag.FlagSet, o *install.Options) {
	fs.BoolVar(&o.User, "user", false, "for the current user (the default)")
	fs.BoolVar(&o.SysPrefix, "sys-prefix", false, "in the active Python or conda environment")
	fs.StringVar(&o.Prefix, "prefix", "", "in `DIR`/share/jupyter")
	fs.StringVar(&o.Name, "name", install.DefaultName, "`name` of the kernel")
}

func runKernel(args []string) int {
	fs, parse := flags("kernel")
	m, noShell := memoryFlag(fs), shellFlag(fs)
	var noHistory bool
	historyFlag(fs, &noHistory)
	rest, status := parse(args, 1, 1)
	if status >= 0 {
		return status
	}
	cmd, err := self(slices.Concat([]string{"worker"}, m.args(), noShell.args())...)
	if err != nil {
		return fail(err)
	}
	trimAfterStart()
	h := openHistory(noHistory)
	defer h.Close()
	err = front.Run(context.Background(), front.Config{ConnectionFile: rest[0], WorkerCommand: cmd, Version: version, Page: os.Getenv("JPY_SESSION_NAME") != "", History: h})
	if err != nil {
		return fail(err)
	}
	return 0
}

func runData(args []string) int {
	fs, parse := flags("data")
	archive := fs.String("url", datasets.Archive, "`address` of the archive")
	rest, status := parse(args, 1, 10)
	if status >= 0 {
		return status
	}
	dir, err := datasets.Dir()
	if err != nil {
		return fail(err)
	}
	for _, set := range rest[1:] {
		if set != "adult" && set != "kdd" {
			return fail(fmt.Errorf("unknown data set %q (there are adult and kdd)", set))
		}
	}
	if rest[0] != "fetch" && rest[0] != "list" {
		fmt.Fprintf(os.Stderr, "godp data: unknown action %q\n", rest[0])
		fs.Usage()
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	status = 0
	for _, f := range datasets.Files {
		if len(rest) > 1 && !slices.Contains(rest[1:], f.Set) {
			continue
		}
		if rest[0] == "list" {
			state := "here"
			if err := f.Check(dir); errors.Is(err, os.ErrNotExist) {
				state = "missing; godp data fetch " + f.Set
			} else if err != nil {
				state = err.Error()
			}
			fmt.Printf("%s: %s\n", f.File(dir), state)
			continue
		}
		fetched, err := f.Fetch(ctx, *archive, dir)
		switch {
		case err != nil:
			status = fail(err)
		case fetched:
			fmt.Printf("%s: fetched and checked\n", f.File(dir))
		default:
			fmt.Printf("%s: already here\n", f.File(dir))
		}
	}
	return status
}

func runDoctor(args []string) int {
	_, parse := flags("doctor")
	if _, status := parse(args, 0, 0); status >= 0 {
		return status
	}
	d := install.Doctor{Version: version, SelfTest: selfTest, Start: install.TryStart}
	if file, err := history.Path(); err == nil && file != "" {
		d.Folders = map[string]string{"the history of cells": filepath.Dir(file)}
	}
	if d.Run(context.Background(), os.Stdout) > 0 {
		return 1
	}
	return 0
}

func runVersion(args []string) int {
	_, parse := flags("version")
	if _, status := parse(args, 0, 0); status >= 0 {
		return status
	}
	fmt.Printf("godp %s (%s, %s/%s, interpreter %s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH, interpreter())
	return 0
}

// interpreter names the interpreter and its version.
func interpreter() string {
	const path = "github.com/traefik/yaegi"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			if d.Path == path {
				return "yaegi " + d.Version
			}
		}
	}
	return "yaegi"
}
