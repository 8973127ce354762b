package session

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// buffer can be written by several goroutines.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

// take returns what has been written since the last time.
func (b *buffer) take() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.b.Reset()
	return b.b.String()
}

// directed makes a session that knows no packages; its standard output and error go to one buffer.
func directed(t *testing.T, change func(*Config)) (run func(code string) (string, Outcome), s *Session) {
	t.Helper()
	var out buffer
	cfg := Config{Stdout: &out, Stderr: &out}
	if change != nil {
		change(&cfg)
	}
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	return func(code string) (string, Outcome) {
		n++
		o := s.Execute(t.Context(), n, code, Options{})
		return out.take(), o
	}, s
}

func value(o Outcome) string {
	switch {
	case o.Err != nil:
		return o.Err.Name + ": " + o.Err.Value
	case o.Result == nil:
		return ""
	}
	return o.Result.Text()
}

func TestDirectivesBetweenGo(t *testing.T) {
	t.Chdir(t.TempDir())
	run, _ := directed(t, nil)
	for _, c := range []struct{ code, out, value string }{
		{"x := 1\n!echo one\ny := x + 1\n!echo two\ny", "one\ntwo\n", "2"},
		{"y\n!echo last", "last\n", "2"},
		{"  !echo indented", "indented\n", ""},
		{"!echo a \\\n  b", "a b\n", ""},
		{"!echo a\r\n!echo b\r\nx", "a\nb\n", "1"},
		{"%env GODP_TEST_A=b c\n!echo $GODP_TEST_A\n%env GODP_TEST_A", "b c\nb c\n", ""},
		{"%%bash\nfor i in 1 2; do\n  echo $i\ndone\necho \"it's\" >&2", "1\n2\nit's\n", ""},
		// what only looks like a directive
		{"z := 7 \\\n", "", "CompileError"},
		{"z := 7 //\nz = z +\n!echo", "", "CompileError"},
		{"z := 17 -\n(5\n% 3)\nz", "", "CompileError"}, // Go ends the statement at 5
		{"z := 17 %\n5\nz", "", "2"},
		{"text := `\n%who\n!echo no\n`\nlen(text)", "", "15"},
		{"/*\n%who\n!echo no\n*/\nz", "", "2"},
		{"ok := true &&\n!false\nok", "", "true"},
		{"ok := false\n!ok", "", "true"},
		{"!ok", "", "true"},
		{"!(x == 2)", "", "true"},
		{"! echo ok", "ok\n", ""},
		{"if x == 1 {\n!ok\n}", "", "CompileError"},
	} {
		out, o := run(c.code)
		if v := value(o); out != c.out || v != c.value && (c.value != "CompileError" || !strings.HasPrefix(v, c.value)) {
			t.Errorf("%q: %q and %q, want %q and %q", c.code, out, v, c.out, c.value)
		}
	}
}

func TestDirectiveErrors(t *testing.T) {
	run, _ := directed(t, func(c *Config) { c.NoShell = true })
	for _, c := range []struct{ code, want, at string }{
		{"x := 1\n%tiem x", "there is no directive %tiem; did you mean %time? %help lists them", ":2:1:"},
		{"%%wriefile a", "did you mean %%writefile?", ":1:1:"},
		{"%", "the name of a directive is missing", ":1:1:"},
		{"x\n%%time\nx", "%%time must be the first line", ":2:1:"},
		{"%%time\n\n%tme x", "did you mean %time?", ":3:1:"},
		{"%%time x", "or use %time", ":1:1:"},
		{"%time", "%time needs an argument: %time STATEMENT", ":1:1:"},
		{"%reset now", `%reset takes no argument, but "now" follows it`, ":1:1:"},
		{"!ls", "shell commands are switched off", ":1:1:"},
		{"%%bash\nls", "shell commands are switched off", ":1:1:"},
		{"%load a.go", "%load is not available", ":1:1:"},
		{"%budget", "%budget is not available", ":1:1:"},
		{"%cd /nonexistent/folder", "no such file or directory", ":1:1:"},
		{"%env GODP_TEST_NOT_SET", "is not set", ":1:1:"},
		{"%save a.txt", "ends in .go", ":1:1:"},
		// places in the Go around directives
		{"%help\n\n\tx := nosuch", "undefined: nosuch", ":3:7:"},
		{"a := 1\n%help\npanic(\"there\")", "there", ":3:1"},
		{"%time panic(\"here\")", "here", ":1:7"},
		{"%time nosuch(\n1)", "undefined: nosuch", ":1:7:"},
		{"%who\nx := (", "syntax error", ":2:7:"},
	} {
		_, o := run(c.code)
		if o.Err == nil || !strings.Contains(o.Err.Value, c.want) || !strings.Contains(strings.Join(o.Err.Traceback, "\n"), c.at) {
			t.Errorf("%q: %+v, want %q at %s", c.code, o.Err, c.want, c.at)
		}
	}
	// Nothing runs before an unknown directive or a syntax error is told.
	run("before := 1\n%nosuch")
	run("before := 1\n%who\nx := )")
	if out, _ := run("%who"); strings.Contains(out, "before") {
		t.Errorf("a refused cell has declared a variable: %s", out)
	}
	// A function of the first part still knows its place when it fails later.
	run("f := func() { panic(\"late\") }\n%who\ng := 1")
	if _, o := run("f()"); o.Err == nil || !strings.Contains(strings.Join(o.Err.Traceback, "\n"), ":1:15") ||
		!strings.Contains(strings.Join(o.Err.Traceback, "\n"), `panic("late")`) {
		t.Errorf("panic in a function of an earlier part: %+v", o.Err)
	}
}

func TestStateDirectives(t *testing.T) {
	run, s := directed(t, func(c *Config) { c.Budget = func() string { return "ε spent" } })
	run("x := 1.5\nconst k = 3\ntype T struct{ A int }\nfunc f(a int) string { return \"\" }\nfunc (T) M() {}")
	out, _ := run("%who")
	if want := "var x    float64\nfunc f   (a int) string\ntype T   struct\nconst k  untyped int = 3\n"; out != want {
		t.Errorf("%%who: %q, want %q", out, want)
	}
	if out, _ := run("%budget"); out != "ε spent\n" {
		t.Errorf("%%budget: %q", out)
	}
	if out, _ := run("%help"); strings.Count(out, "\n") != len(directives)-2+1 || !strings.Contains(out, "%timeit") || strings.Contains(out, "%load") {
		t.Errorf("%%help: %s", out) // all but %load and %limit, which this session has not, and the line below the list
	}
	var m Match
	if c := s.Complete("%%time\n%bu", 10); len(c.Matches) == 1 {
		m = c.Matches[0]
	}
	if m.Text != "%budget" || m.Type != "magic" {
		t.Errorf("completion: %+v", m)
	}
	run("%reset")
	if out, _ := run("%who"); out != "nothing is declared\n" {
		t.Errorf("after %%reset: %q", out)
	}
	if _, o := run("x := \"again\"\nx"); value(o) != "again" {
		t.Errorf("after %%reset: %s", value(o))
	}
}

func TestCompleteAndInspectBesideDirectives(t *testing.T) {
	run, s := directed(t, nil)
	run("alpha := 1")
	for _, c := range []struct{ text, want string }{
		{"%ti|", "%time %timeit"},
		{"%%|", "%%time %%writefile %%bash"},
		{"x := 1\n  %wh|", "%who"},
		{"x := 1\n%%|", ""},
		{"x := `\n%wh|", ""},
		{"!echo 'it\nalp|", "alpha"},
		{"%time alp|", "alpha"},
		{"%who\nalp|", "alpha"},
	} {
		i := strings.IndexByte(c.text, '|')
		var got []string
		for _, m := range s.Complete(c.text[:i], i).Matches {
			got = append(got, m.Text)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
	if b, ok := s.Inspect("%timeit alpha", 3, 0); !ok || !strings.HasPrefix(b.Text(), "%timeit STATEMENT") {
		t.Errorf("%%timeit is described as %v", b)
	}
	if b, ok := s.Inspect("%timeit alpha", 10, 0); !ok || !strings.HasPrefix(b.Text(), "var alpha int") {
		t.Errorf("what %%timeit measures is described as %v", b)
	}
	for _, c := range []struct{ code, want string }{
		{"%who", "complete"}, {"%time f(", "incomplete"}, {"!echo '(", "complete"}, {"x := 1\n%who\nif x {", "incomplete"},
		{"%%bash\nfor i in 1; do", "incomplete"}, {"%%bash\necho\n", "complete"}, {"%%time\nx := (", "incomplete"},
	} {
		if got, _ := s.IsComplete(c.code); got != c.want {
			t.Errorf("%q is %s, want %s", c.code, got, c.want)
		}
	}
}

func TestFileDirectives(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	run, _ := directed(t, func(c *Config) {
		c.Cells = func(file string) ([]string, error) {
			b, err := os.ReadFile(file)
			return strings.Split(strings.TrimPrefix(string(b), "// %%\n"), "// %%\n"), err
		}
	})
	run("a := 20")
	run("nosuch")
	run("%who\nb := a + 1\n%save unfinished.go")
	run("s := `\n---\n`")
	out, o := run("%save cells.go")
	if b, err := os.ReadFile("cells.go"); err != nil || string(b) != "// %%\na := 20\n// %%\n%who\nb := a + 1\n" {
		t.Errorf("%%save: %v, %q, %v", err, b, o.Err)
	}
	if !strings.Contains(out, "In[4] is left out") || !strings.Contains(out, "2 cells written to cells.go") {
		t.Errorf("%%save says %q", out)
	}
	if _, o := run("%save cells.go"); o.Err == nil || !strings.Contains(o.Err.Value, "%save -f cells.go replaces it") {
		t.Errorf("%%save over a file: %+v", o.Err)
	}
	if _, o := run("%save"); o.Err == nil || !strings.Contains(o.Err.Value, "%save needs an argument: %save [-f] FILE") {
		t.Errorf("%%save without a file: %+v", o.Err)
	}
	if _, o := run("%save -f cells.go"); o.Err != nil {
		t.Errorf("%%save -f: %+v", o.Err)
	}
	run("%reset")
	if _, o := run("%load cells.go\nb * 2"); value(o) != "42" {
		t.Errorf("%%load: %s", value(o))
	}
	out, o = run("%%writefile lib.go\n// %%\nc := 1\n// %%\n\n\tc = nosuch")
	if b, err := os.ReadFile("lib.go"); err != nil || string(b) != "// %%\nc := 1\n// %%\n\n\tc = nosuch\n" || o.Err != nil {
		t.Errorf("%%%%writefile: %v, %q, %v, %s", err, b, o.Err, out)
	}
	if _, o := run("%load lib.go"); o.Err == nil || !strings.HasPrefix(o.Err.Value, "lib.go[2]:2:6: undefined: nosuch") {
		t.Errorf("%%load of a file with an error: %+v", o.Err)
	}
	run("%%writefile round.go\n%load round.go")
	if _, o := run("%load round.go"); o.Err == nil || !strings.Contains(o.Err.Value, "load each other") {
		t.Errorf("a file that loads itself: %+v", o.Err)
	}
	os.Mkdir("sub", 0o755)
	real, err := filepath.EvalSymlinks(dir)
	if out, _ := run("%cd \"sub\""); err != nil || strings.TrimSpace(out) != filepath.Join(real, "sub") {
		t.Errorf("%%cd: %q, %v", out, err)
	}
}

func TestShellEndsWithItsGroup(t *testing.T) {
	t.Chdir(t.TempDir())
	run, s := directed(t, nil)
	if _, o := run("!exit 3"); o.Err == nil || o.Err.Name != "CommandFailed" || !strings.Contains(o.Err.Value, "exit status 3") {
		t.Errorf("exit 3: %+v", o.Err)
	}
	if _, o := run("!sleep 20 &"); o.Err != nil {
		t.Errorf("a process in the background: %+v", o.Err)
	}
	// What it puts out after the command has ended is shown when it comes.
	out, o := run("!(echo early; sleep 1.2; echo late; echo later >&2) &")
	if out != "early\n" || o.Err != nil {
		t.Errorf("a process in the background: %q, %+v", out, o.Err)
	}
	late := ""
	for end := time.Now().Add(20 * time.Second); late != "late\nlater\n" && late != "later\nlate\n" && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		more, _ := run("")
		late += more
	}
	if late != "late\nlater\n" && late != "later\nlate\n" {
		t.Errorf("late output of a process in the background: %q", late)
	}
	run("%reset")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for { // until the grandchild runs
			if b, _ := os.ReadFile("pid"); bytes.HasSuffix(b, []byte("\n")) {
				break
			}
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	start := time.Now()
	o = s.Execute(ctx, 9, "%%bash\nsh -c 'echo $$ > pid; exec sleep 60'\necho after", Options{})
	if o.Err != errInterrupted || time.Since(start) > 20*time.Second {
		t.Errorf("interrupted after %v: %+v", time.Since(start), o.Err)
	}
	b, _ := os.ReadFile("pid")
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		// A killed process that nobody has waited for yet is a zombie, with an empty command line.
		if line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline"); errors.Is(err, os.ErrNotExist) || err == nil && len(line) == 0 || err != nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the grandchild of an interrupted command still runs")
		}
	}
}

func TestTimeDirectives(t *testing.T) {
	run, s := directed(t, nil)
	run("n := 0\nfunc f() int { n++; return n }")
	out, o := run("%time f()")
	if !strings.HasPrefix(out, "wall ") || !strings.Contains(out, "CPU ") || value(o) != "1" {
		t.Errorf("%%time: %q, %s", out, value(o))
	}
	if out, o := run("%%time\nf()\n%who\nf()"); strings.Count(out, "wall ") != 1 || value(o) != "3" {
		t.Errorf("%%%%time: %q, %s", out, value(o))
	}
	out, o = run("%timeit f()")
	if !strings.Contains(out, " per loop: median of ") || !strings.Contains(out, "quartiles") || o.Err != nil || o.Result != nil {
		t.Errorf("%%timeit: %q, %s", out, value(o))
	}
	if _, o := run("n > 1000"); value(o) != "true" {
		t.Errorf("%%timeit has not repeated the statement: %s", value(o))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if o := s.Execute(ctx, 20, "%timeit for {\n}", Options{}); o.Err != errInterrupted {
		t.Errorf("interrupted: %+v", o.Err)
	}
	if _, o := run("%time x := f(\n)\nx > 0"); value(o) != "true" {
		t.Errorf("after the interrupt: %s", value(o))
	}
}

func TestQuantile(t *testing.T) {
	x := []float64{7, 1, 3, 10} // R: quantile(c(1,3,7,10)) gives 1.00 2.50 5.00 7.75 10.00
	for i, want := range []float64{1, 2.5, 5, 7.75, 10} {
		if got := quantile(x, float64(i)/4); math.Abs(got-want) > 1e-12 {
			t.Errorf("quartile %d: %v, want %v", i, got, want)
		}
	}
	if got := quantile([]float64{4}, 0.25); got != 4 {
		t.Errorf("of one value: %v", got)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "abc", 3}, {"kitten", "sitting", 3}, {"tiem", "time", 1}, {"ca", "abc", 3}, {"flaw", "lawn", 2}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func FuzzParts(f *testing.F) {
	for _, s := range []string{"x := 1\n!ls\n%time f(\n1)\ny", "%%time\n%who\nx", "%%bash\n`", "!a \\", "%", "`\n%x\n`", "\r\n!a\\\r\nb\r\n", "%time\n", "é\n%é"} {
		f.Add(s)
	}
	s, err := New(Config{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, code string) {
		at := 0
		var check func([]part)
		check = func(parts []part) {
			for _, p := range parts {
				if p.from > p.to || p.to > len(code) || p.to > 0 && p.from < at {
					t.Fatalf("%q: part from %d to %d after %d", code, p.from, p.to, at)
				}
				at = max(at, p.to)
				check(p.inner)
			}
		}
		check(s.parts(code))
		if b, _ := s.withoutDirectives(code); len(b) != len(code) || strings.Count(b, "\n") != strings.Count(code, "\n") {
			t.Fatalf("%q became %q", code, b)
		}
		if !mayHaveDirectives(code) {
			if p := s.parts(code); len(p) > 1 || len(p) == 1 && p[0].name != "" {
				t.Fatalf("%q has directives %+v that a quick look does not see", code, p)
			}
		}
	})
}

// A cell without directives pays for one look at the beginnings of its lines.
func BenchmarkNoDirectives(b *testing.B) {
	code := strings.Repeat("\tx := f(a, b) + g(c) // and a comment\n", 100)
	for b.Loop() {
		if mayHaveDirectives(code) {
			b.Fatal("found one")
		}
	}
}
