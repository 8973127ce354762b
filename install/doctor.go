package install

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"
)

// Doctor finds out why the kernel does not show up or start.
type Doctor struct {
	Version  string                          // of this program
	SelfTest func(ctx context.Context) error // runs a cell in a real worker; nil to leave that out
	// Start starts a kernel as Jupyter would, with the spec's command line and environment, and ends it again; usually
	// [TryStart], nil to leave that out.
	Start func(ctx context.Context, s Spec) error
	// Folders that the kernel writes to besides Jupyter's, by what for.
	Folders map[string]string

	out  io.Writer
	bad  int
	warn int
	sys  system
}

// system is the machine as the doctor sees it. Tests put another one here.
type system struct {
	readDir func(dir string) ([]os.DirEntry, error)
	write   func(dir string) error // writes and removes a file of 64 KiB
	free    func(dir string) (bytes uint64, ok bool)
	dial    func(address string) (net.Conn, error)
}

func (s system) orReal() system {
	if s.readDir == nil {
		s.readDir = os.ReadDir
	}
	if s.write == nil {
		s.write = tryWrite
	}
	if s.free == nil {
		s.free = freeSpace
	}
	if s.dial == nil {
		s.dial = func(address string) (net.Conn, error) { return net.DialTimeout("tcp", address, 2*time.Second) }
	}
	return s
}

// Run makes all examinations, writes one line for each finding, and says what to do. It returns the number of findings
// that keep the kernel from working.
func (d *Doctor) Run(ctx context.Context, w io.Writer) int {
	d.out, d.bad, d.warn, d.sys = w, 0, 0, d.sys.orReal()
	exe, err := os.Executable()
	if err != nil {
		d.fail("the program's own file cannot be found: "+err.Error(), "")
	} else {
		d.ok("godp %s, %s, %s/%s, %s", d.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH, exe)
	}
	specs := d.specs(ctx, exe)
	d.jupyter(ctx, specs)
	d.folders()
	d.ports()
	d.data()
	if d.SelfTest != nil {
		start := time.Now()
		if err := d.SelfTest(ctx); err != nil {
			d.fail("running a cell: "+err.Error(), "this is a fault of godp itself or of the limits set for processes here (ulimit -v, -u); try: ulimit -a")
		} else {
			d.ok("a cell runs (started and run in %v)", time.Since(start).Round(time.Millisecond))
		}
	}
	switch {
	case d.bad > 0:
		fmt.Fprintf(w, "\n%d of these keep the kernel from working.\n", d.bad)
	case d.warn > 0:
		fmt.Fprintf(w, "\nThe kernel should work; see the remarks above.\n")
	default:
		fmt.Fprintf(w, "\nAll is well.\n")
	}
	return d.bad
}

func (d *Doctor) ok(format string, args ...any) { fmt.Fprintf(d.out, "ok    "+format+"\n", args...) }

func (d *Doctor) note(text, do string) {
	d.warn++
	d.finding("note ", text, do)
}

func (d *Doctor) fail(text, do string) {
	d.bad++
	d.finding("FAIL ", text, do)
}

func (d *Doctor) finding(mark, text, do string) {
	fmt.Fprintf(d.out, "%s %s\n", mark, text)
	if do != "" {
		fmt.Fprintf(d.out, "      -> %s\n", do)
	}
}

// JupyterPath is where Jupyter looks for data, in its order: $JUPYTER_PATH, then the active environment's and the
// user's folder, then the system's.
func JupyterPath() []string {
	var path []string
	add := func(dirs ...string) {
		for _, dir := range dirs {
			if dir != "" && !slices.Contains(path, dir) {
				path = append(path, dir)
			}
		}
	}
	add(filepath.SplitList(os.Getenv("JUPYTER_PATH"))...)
	for _, v := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if p := os.Getenv(v); p != "" {
			add(filepath.Join(p, "share", "jupyter"))
		}
	}
	if u, err := UserDataDir(); err == nil {
		add(u)
	}
	if prefix := jupyterPrefix(); prefix != "" {
		add(filepath.Join(prefix, "share", "jupyter"))
	}
	add("/usr/local/share/jupyter", "/usr/share/jupyter")
	return path
}

// jupyterPrefix is the folder of the Python environment whose jupyter would be started, "" where there is none.
func jupyterPrefix() string {
	j, err := exec.LookPath("jupyter")
	if err != nil {
		return ""
	}
	return filepath.Dir(filepath.Dir(j))
}
