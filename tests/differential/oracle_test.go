package differential

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// result is what a program did.
type result struct {
	Stdout string `json:",omitempty"`
	Stderr string `json:",omitempty"`
	Code   int    `json:",omitempty"`
}

// recorded is what Go made of a program, and of which text of it.
type recorded struct {
	Hash string
	result
	Unfit string `json:",omitempty"` // why the program cannot be compared
}

const oracleFile = "testdata/oracle.json.gz"

func readOracle(t *testing.T) map[string]recorded {
	m := map[string]recorded{}
	b, err := os.ReadFile(oracleFile)
	if errors.Is(err, os.ErrNotExist) {
		return m
	}
	if err == nil {
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(b)); err == nil {
			err = json.NewDecoder(z).Decode(&m)
		}
	}
	if err != nil {
		t.Fatalf("%s: %v", oracleFile, err)
	}
	return m
}

func writeOracle(t *testing.T, m map[string]recorded) {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	e := json.NewEncoder(z)
	e.SetIndent("", " ")
	if err := errors.Join(e.Encode(m), z.Close(), os.WriteFile(oracleFile, b.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
}

// consult fills in what Go makes of the programs, from the record or, with -oracle, by running them. It returns the
// programs that can be compared and the number of those whose outcome nobody knows.
func consult(t *testing.T, ps []*program) (known []*program, unknown int) {
	record := readOracle(t)
	var todo []*program
	for _, p := range ps {
		if r, ok := record[p.name]; p.want == nil && (!ok || r.Hash != p.hash() || r.Unfit != "") {
			todo = append(todo, p)
		}
	}
	if *oracles && len(todo) > 0 {
		t.Logf("running %d programs through Go", len(todo))
		var mu sync.Mutex
		parallel(todo, func(p *program) {
			r := ask(t, p)
			mu.Lock()
			defer mu.Unlock()
			record[p.name] = r
		})
		if *only == "" {
			for name := range record {
				if !slices.ContainsFunc(ps, func(p *program) bool { return p.name == name }) {
					delete(record, name)
				}
			}
		}
		writeOracle(t, record)
	}
	for _, p := range ps {
		if p.want == nil {
			r, ok := record[p.name]
			if !ok || r.Hash != p.hash() {
				unknown++
				continue
			}
			if r.Unfit != "" {
				continue
			}
			p.want = &r.result
		}
		known = append(known, p)
	}
	return known, unknown
}

// ask builds a program with Go and runs it twice.
func ask(t *testing.T, p *program) recorded {
	r := recorded{Hash: p.hash()}
	dir := t.TempDir()
	src, bin := filepath.Join(dir, "main.go"), filepath.Join(dir, "main")
	if err := os.WriteFile(src, []byte(p.source), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-o", bin, src).CombinedOutput(); err != nil {
		r.Unfit = "does not compile: " + strings.ReplaceAll(string(out), dir, "")
		return r
	}
	defer os.Remove(bin)
	here := func() *exec.Cmd { c := exec.Command(bin); c.Dir = dir; return c } // some write files
	first, ended := run(here(), *limit)
	again, _ := run(here(), *limit)
	first.Stderr, again.Stderr = withoutStacks(first.Stderr), withoutStacks(again.Stderr)
	switch {
	case !ended:
		r.Unfit = "does not end"
	case first != again:
		r.Unfit = "prints something else each time"
	case len(first.Stdout)+len(first.Stderr) > 1<<20:
		r.Unfit = "prints too much"
	case strings.Contains(first.Stdout+first.Stderr, dir) || strings.Contains(first.Stdout, "main.go"):
		r.Unfit = "prints where it stands"
	default:
		r.result = first
	}
	return r
}

// withoutStacks is what a program that panicked said before the stacks of its goroutines.
func withoutStacks(stderr string) string {
	text, _, cut := strings.Cut(stderr, "\n\ngoroutine ")
	if cut {
		text += "\n"
	}
	return text
}

// bounded keeps the first megabytes that are written to it, and swallows the rest.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	if room := 4<<20 - b.Len(); room > 0 {
		b.Buffer.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}

// parallel calls f for each program on as many goroutines as there are processors.
func parallel(ps []*program, f func(*program)) {
	next := make(chan *program)
	var wg sync.WaitGroup
	for range workers() {
		wg.Go(func() {
			for p := range next {
				f(p)
			}
		})
	}
	for _, p := range ps {
		next <- p
	}
	close(next)
	wg.Wait()
}
