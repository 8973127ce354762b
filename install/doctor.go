package install

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Doctor finds out why the kernel does not show up or start.
type Doctor struct {
	Version  string                          // of this program
	SelfTest func(ctx context.Context) error // runs a cell in a real worker; nil to leave that out

	out  io.Writer
	bad  int
	warn int
}

// Run makes all examinations, writes one line for each finding, and says what to do. It returns the number of findings
// that keep the kernel from working.
func (d *Doctor) Run(ctx context.Context, w io.Writer) int {
	d.out, d.bad, d.warn = w, 0, 0
	exe, err := os.Executable()
	if err != nil {
		d.fail("the program's own file cannot be found: "+err.Error(), "")
	} else {
		d.ok("godp %s, %s, %s/%s, %s", d.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH, exe)
	}
	specs := d.specs(exe)
	d.jupyter(ctx, specs)
	d.folders()
	d.ports()
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

// specs examines all kernelspecs of this kernel that Jupyter may find.
func (d *Doctor) specs(exe string) (found []string) {
	names := map[string]string{}
	for _, data := range JupyterPath() {
		entries, err := os.ReadDir(filepath.Join(data, "kernels"))
		if errors.Is(err, os.ErrPermission) {
			d.note(fmt.Sprintf("%s cannot be read", filepath.Join(data, "kernels")), "chmod a+rx "+filepath.Join(data, "kernels"))
		}
		for _, e := range entries {
			dir := filepath.Join(data, "kernels", e.Name())
			spec, err := ReadSpec(dir)
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			if err != nil {
				if strings.EqualFold(e.Name(), DefaultName) {
					d.fail(err.Error(), "install it again: godp install")
				}
				continue
			}
			if !spec.ours() {
				continue
			}
			if first, again := names[e.Name()]; again {
				d.note(fmt.Sprintf("%s is hidden by %s", dir, first), "remove the one that is out of date")
				continue
			}
			names[e.Name()] = dir
			if d.spec(dir, spec, exe) {
				found = append(found, e.Name())
			}
		}
	}
	if len(names) == 0 {
		d.fail("no kernelspec of godp in "+strings.Join(JupyterPath(), ", "), "godp install --user, or godp install --sys-prefix inside the environment in which Jupyter runs")
	}
	return found
}

func (d *Doctor) spec(dir string, s Spec, exe string) bool {
	program := s.Argv[0]
	again := "install it again: godp install"
	if !filepath.IsAbs(program) {
		p, err := exec.LookPath(program)
		if err != nil {
			d.fail(fmt.Sprintf("%s: the program %q is not an absolute path and not on the PATH", dir, program), again)
			return false
		}
		program = p
	}
	st, err := os.Stat(program)
	switch {
	case err != nil:
		d.fail(fmt.Sprintf("%s: the program %s does not exist", dir, program), again)
		return false
	case st.IsDir() || st.Mode()&0o111 == 0:
		d.fail(fmt.Sprintf("%s: %s is not a program that may be executed", dir, program), "chmod +x "+program)
		return false
	}
	if mine, err := os.Stat(exe); err == nil && os.SameFile(mine, st) {
		d.ok("%s: %s (%q) starts this program", dir, filepath.Base(dir), s.DisplayName)
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, "version").Output()
	if err != nil {
		d.fail(fmt.Sprintf("%s: %s does not run: %v", dir, program, err), again)
		return false
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if !strings.Contains(first, d.Version) {
		d.note(fmt.Sprintf("%s: starts %s, which says %q and is not this program", dir, program, first), "godp install replaces it by this one")
		return true
	}
	d.ok("%s: %s (%q) starts another copy of this version, %s", dir, filepath.Base(dir), s.DisplayName, program)
	return true
}

// jupyter asks the jupyter on the PATH what it finds.
func (d *Doctor) jupyter(ctx context.Context, specs []string) {
	j, err := exec.LookPath("jupyter")
	if err != nil {
		d.note("no program \"jupyter\" on the PATH", "fine if Jupyter runs elsewhere; otherwise: python3 -m pip install jupyterlab, and activate its environment")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, j, "kernelspec", "list", "--json").Output()
	var list struct {
		Specs map[string]struct {
			Dir string `json:"resource_dir"`
		} `json:"kernelspecs"`
	}
	if err == nil {
		err = json.Unmarshal(out, &list)
	}
	if err != nil {
		d.note(fmt.Sprintf("%s kernelspec list does not work: %v", j, err), "python3 -m pip install --upgrade jupyter_client")
		return
	}
	for _, name := range specs {
		if s, ok := list.Specs[name]; ok {
			d.ok("%s finds kernel %q in %s", j, name, s.Dir)
		} else {
			d.fail(fmt.Sprintf("%s does not find kernel %q", j, name), fmt.Sprintf("it belongs to another environment; install with: godp install --prefix %s", filepath.Dir(filepath.Dir(j))))
		}
	}
}

// folders sees whether Jupyter can write its connection files.
func (d *Doctor) folders() {
	dir := os.Getenv("JUPYTER_RUNTIME_DIR")
	if dir == "" {
		data, err := UserDataDir()
		if err != nil {
			d.fail("the user has no home folder: "+err.Error(), "set HOME or JUPYTER_DATA_DIR")
			return
		}
		dir = filepath.Join(data, "runtime")
	}
	existing := dir
	for {
		if _, err := os.Stat(existing); err == nil || existing == filepath.Dir(existing) {
			break
		}
		existing = filepath.Dir(existing)
	}
	f, err := os.CreateTemp(existing, ".godp-doctor-*")
	if err != nil {
		d.fail(fmt.Sprintf("connection files cannot be written to %s: %v", dir, err), "chown it to yourself, or set JUPYTER_RUNTIME_DIR to a folder that you may write to")
		return
	}
	f.Close()
	os.Remove(f.Name())
	d.ok("connection files can be written to %s", dir)
}

// ports sees whether the five sockets of a kernel can be opened and reached.
func (d *Doctor) ports() {
	for range 5 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			d.fail("no port can be opened on 127.0.0.1: "+err.Error(), "a sandbox or the firewall forbids it; Jupyter can use files instead: --KernelManager.transport=ipc")
			return
		}
		defer l.Close()
		c, err := net.DialTimeout("tcp", l.Addr().String(), 2*time.Second)
		if err != nil {
			d.fail("a port on 127.0.0.1 cannot be reached: "+err.Error(), "allow connections of this machine with itself in the firewall")
			return
		}
		c.Close()
	}
	d.ok("five ports can be opened on 127.0.0.1")
}
