// Package history remembers the cells that were run: in a SQLite file that all kernels of a user share, or in memory only.
package history

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// Entry is one cell in the history.
type Entry struct {
	Session int    // number of the kernel session
	Line    int    // execution count
	Input   string // source of the cell, as it was typed
	Output  string // text/plain of its result
	HasOut  bool   // whether it had one
}

// History remembers the cells that were run. It is used by several goroutines. What it cannot do it logs: no cell fails
// because of its history.
type History interface {
	// Add appends a cell of this session. It does not wait for a disk.
	Add(line int, input string)
	// SetOutput notes the result of a cell of this session. It does not wait for a disk.
	SetOutput(line int, output string)
	// Tail returns the last n cells of all sessions, oldest first, this session's included.
	Tail(n int) []Entry
	// Range returns the cells start ≤ Line < stop of a session; stop ≤ 0 means to the end. Session 0 is this one,
	// -1 the one with the number before it, and so on.
	Range(session, start, stop int) []Entry
	// Search returns the last n cells (all for n ≤ 0) of all sessions whose input matches pattern, oldest first. In pattern * stands for
	// any text and ? for any character. With unique, of equal inputs only the latest is returned.
	Search(pattern string, n int, unique bool) []Entry
	// Close writes what is to be written.
	Close() error
}

// Variable is the environment variable that names the file of the history, or says with "off" that there is none.
const Variable = "GODP_HISTORY"

// Path is where the history is kept: the file that the environment variable GODP_HISTORY names, else godp/history.sqlite in the user's
// data folder ($XDG_DATA_HOME or ~/.local/share; ~/Library/Application Support on macOS). It is empty where the variable is "off".
func Path() (string, error) {
	switch v := os.Getenv(Variable); v {
	case "":
	case "off":
		return "", nil
	default:
		return filepath.Abs(v)
	}
	dir := os.Getenv("XDG_DATA_HOME")
	if dir == "" || !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", errors.New("there is no home folder to keep the history in; name a file in " + Variable + ", or say off")
		}
		dir = filepath.Join(home, ".local", "share")
		if runtime.GOOS == "darwin" {
			dir = filepath.Join(home, "Library", "Application Support")
		}
	}
	return filepath.Join(dir, "godp", "history.sqlite"), nil
}

// Open returns the history at Path, or one in memory where that is off or cannot be used. Nothing is opened before it is needed.
func Open(log func(format string, a ...any)) History {
	path, err := Path()
	if err != nil {
		log("history: %v; it is kept in memory only", err)
	}
	if path == "" {
		return NewMemory()
	}
	return NewSQLite(path, log)
}
