package history

import (
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// recorded is a log for tests.
type recorded struct {
	mu    sync.Mutex
	lines []string
}

func (r *recorded) printf(format string, a ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, fmt.Sprintf(format, a...))
}

func (r *recorded) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.lines, "\n")
}

// short is a list of entries as session/line input=output.
func short(entries []Entry) string {
	var out []string
	for _, e := range entries {
		s := fmt.Sprintf("%d/%d %s", e.Session, e.Line, e.Input)
		if e.HasOut {
			s += "=" + e.Output
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func want(t *testing.T, what string, got []Entry, want string) {
	t.Helper()
	if s := short(got); s != want {
		t.Errorf("%s: %q, want %q", what, s, want)
	}
}

func TestSessionsAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a folder?", "ü%.sqlite")
	var log recorded
	a := NewSQLite(path, log.printf)
	if _, err := os.Stat(path); err == nil {
		t.Error("the file was made before there was anything to write")
	}
	a.Add(1, "x := 1")
	a.Add(2, "x + 1")
	a.SetOutput(2, "2")
	want(t, "at once", a.Tail(10), "1/1 x := 1; 1/2 x + 1=2")
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	b := NewSQLite(path, log.printf)
	want(t, "session before, before this one has begun", b.Range(-1, 1, 0), "1/1 x := 1; 1/2 x + 1=2")
	b.Add(1, "y[0]")
	b.Add(2, "x + 1")
	b.Add(3, "z")
	want(t, "tail", b.Tail(4), "1/2 x + 1=2; 2/1 y[0]; 2/2 x + 1; 2/3 z")
	want(t, "this session", b.Range(0, 1, 3), "2/1 y[0]; 2/2 x + 1")
	want(t, "from the middle", b.Range(0, 2, 0), "2/2 x + 1; 2/3 z")
	want(t, "the session before", b.Range(-1, 1, 0), "1/1 x := 1; 1/2 x + 1=2")
	want(t, "session 1", b.Range(1, 2, 10), "1/2 x + 1=2")
	want(t, "no such session", b.Range(-7, 0, 0), "")
	want(t, "search", b.Search("x*", 0, false), "1/1 x := 1; 1/2 x + 1=2; 2/2 x + 1")
	want(t, "the last two", b.Search("x*", 2, false), "1/2 x + 1=2; 2/2 x + 1")
	want(t, "unique", b.Search("x*", 0, true), "1/1 x := 1; 2/2 x + 1")
	want(t, "a bracket is a bracket", b.Search("*[0]", 0, false), "2/1 y[0]")
	want(t, "one character", b.Search("?", 0, false), "2/3 z")
	want(t, "all", b.Search("", 3, true), "2/1 y[0]; 2/2 x + 1; 2/3 z")
	want(t, "none", b.Tail(0), "")
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if log.String() != "" {
		t.Errorf("logged: %s", &log)
	}
	st, err := os.Stat(path)
	if err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v: %v", st.Mode(), err)
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path}).String())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var n, commands int
	if err := db.QueryRow(`SELECT COUNT(end), SUM(num_cmds) FROM sessions`).Scan(&n, &commands); err != nil || n != 2 || commands != 5 {
		t.Errorf("%d sessions ended with %d commands, %v", n, commands, err)
	}
}

func TestAKernelThatRunsNothingLeavesNoSession(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.sqlite")
	var log recorded
	NewSQLite(path, log.printf).Close()
	if _, err := os.Stat(path); err == nil {
		t.Error("there is a file")
	}
}

// Several kernels write at once: nothing is lost, and every one has a session of its own.
func TestKernelsShareTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.sqlite")
	const kernels, rounds = 6, 10
	var log recorded
	var wg sync.WaitGroup
	for k := range kernels {
		wg.Go(func() {
			h := newSQLite(path, log.printf)
			for i := 1; i <= rounds; i++ {
				h.Add(i, fmt.Sprint("cell ", k, " ", i))
				h.Range(0, i, 0) // writes
			}
			h.busy = busyFor
			h.Close()
		})
	}
	wg.Wait()
	h := NewSQLite(path, log.printf)
	defer h.Close()
	for s := 1; s <= kernels; s++ {
		entries := h.Range(s, 1, 0)
		if len(entries) != rounds {
			t.Errorf("session %d has %d cells", s, len(entries))
			continue
		}
		for _, e := range entries[1:] {
			if e.Input[:6] != entries[0].Input[:6] {
				t.Errorf("session %d has cells of several kernels: %s", s, short(entries))
			}
		}
	}
	if log.String() != "" {
		t.Errorf("logged: %s", &log)
	}
}

// Whatever is wrong with the file, it is said once and this session's cells are there.
func TestUnusableFiles(t *testing.T) {
	root := os.Geteuid() == 0 // may write anything
	for name, prepare := range map[string]func(t *testing.T, path string) *sqliteHistory{
		"corrupt": func(t *testing.T, path string) *sqliteHistory {
			os.WriteFile(path, []byte(strings.Repeat("this is no database ", 1000)), 0o600)
			return nil
		},
		"cut": func(t *testing.T, path string) *sqliteHistory {
			h := NewSQLite(path, t.Logf)
			for i := range 500 {
				h.Add(i, strings.Repeat("x", 100))
			}
			h.Close()
			os.Truncate(path, 9000)
			return nil
		},
		"read-only": func(t *testing.T, path string) *sqliteHistory {
			h := NewSQLite(path, t.Logf)
			h.Add(1, "x")
			h.Close()
			os.Chmod(path, 0o400)
			if root { // another thing that cannot be written, by root either
				os.Remove(path)
				os.Mkdir(path, 0o500)
			}
			return nil
		},
		"no folder": func(t *testing.T, path string) *sqliteHistory {
			os.WriteFile(path, nil, 0o600)
			return newSQLite(filepath.Join(path, "h.sqlite"), nil)
		},
		"other tables": func(t *testing.T, path string) *sqliteHistory {
			db, _ := sql.Open("sqlite", path)
			defer db.Close()
			if _, err := db.Exec("CREATE TABLE history (a, b)"); err != nil {
				t.Fatal(err)
			}
			return nil
		},
		"full": func(t *testing.T, path string) *sqliteHistory { // SQLite reports it as it does a full disk
			h := newSQLite(path, nil)
			h.pages = 8
			return h
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "h.sqlite")
			h := prepare(t, path)
			if h == nil {
				h = newSQLite(path, nil)
			}
			var log recorded
			h.log = log.printf
			h.Add(1, "first")
			h.SetOutput(1, "1")
			h.Add(2, strings.Repeat("y", 100_000))
			if got := h.Tail(10); len(got) != 2 || got[0].Input != "first" || got[0].Output != "1" || len(got[1].Input) != 100_000 {
				t.Errorf("tail has %d entries", len(got))
			}
			h.Add(3, "third")
			want(t, "search", h.Search("*ir*", 0, true), "1/1 first=1; 1/3 third")
			want(t, "range", h.Range(0, 3, 0), "1/3 third")
			if err := h.Close(); err != nil {
				t.Error(err)
			}
			if n := strings.Count(log.String(), "history: "); n != 1 || !strings.Contains(log.String(), "kept in memory only") {
				t.Errorf("logged %d times: %s", n, &log)
			}
		})
	}
}

// A kernel that holds the file for long delays the others' writes; their cells are not lost, and not waited for.
func TestBusyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.sqlite")
	var log recorded
	h := newSQLite(path, log.printf)
	h.busy = 10e6
	h.Add(1, "before")
	want(t, "before", h.Tail(1), "1/1 before")
	other, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	tx, err := other.Begin()
	if err != nil {
		t.Fatal(err)
	}
	h.Add(2, "while")
	want(t, "while it is busy", h.Tail(2), "1/1 before")
	tx.Rollback()
	want(t, "after", h.Tail(2), "1/1 before; 1/2 while")
	h.Close()
	if log.String() != "" {
		t.Errorf("logged: %s", &log)
	}
}

func TestPath(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", "/data")
	for _, tc := range []struct{ variable, want string }{{"", "/data/godp/history.sqlite"}, {"off", ""}, {"/x/y", "/x/y"}} {
		t.Setenv(Variable, tc.variable)
		if got, err := Path(); got != tc.want || err != nil {
			t.Errorf("%s=%q: %q, %v", Variable, tc.variable, got, err)
		}
	}
	t.Setenv(Variable, "off")
	if _, ok := Open(t.Logf).(*memory); !ok {
		t.Error("off is not in memory")
	}
}

// What a cell pays for its history.
func BenchmarkAdd(b *testing.B) {
	h := NewSQLite(filepath.Join(b.TempDir(), "h.sqlite"), b.Logf)
	n := 0
	for b.Loop() {
		n++
		h.Add(n, "1 + 1")
		h.SetOutput(n, "2")
	}
	h.Close()
}

func ExampleHistory() {
	h := NewMemory()
	h.Add(1, "x := 20")
	h.Add(2, "x + 1")
	h.SetOutput(2, "21")
	for _, e := range h.Search("x +*", 0, false) {
		fmt.Println(e.Session, e.Line, e.Input, "=", e.Output)
	}
	// Output: 1 2 x + 1 = 21
}
