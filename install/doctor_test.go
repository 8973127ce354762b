package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/godp/install/datasets"
)

// examine returns the doctor's report and its number of failures.
func examine(t *testing.T, d Doctor) (string, int) {
	t.Helper()
	var b bytes.Buffer
	d.Version = "1.2.3"
	n := d.Run(t.Context(), &b)
	return b.String(), n
}

// expect wants a number of failures and these texts in the report. A text that begins with "no " must not be there.
func expect(t *testing.T, when string, d Doctor, wantN int, want ...string) {
	t.Helper()
	report, n := examine(t, d)
	if n != wantN {
		t.Errorf("%s: %d failures, want %d:\n%s", when, n, wantN, report)
	}
	for _, w := range want {
		if not, ok := strings.CutPrefix(w, "no "); ok && !strings.HasPrefix(w, "no kernelspec") && !strings.HasPrefix(w, "no program") {
			if strings.Contains(report, not) {
				t.Errorf("%s: %q is in\n%s", when, not, report)
			}
		} else if !strings.Contains(report, w) {
			t.Errorf("%s: %q is not in\n%s", when, w, report)
		}
	}
}

// installed makes a home with a program that says it is version 1.2.3 and an installed kernel that starts it.
func installed(t *testing.T) (dir, exe, spec string) {
	t.Helper()
	dir = home(t)
	exe = program(t, filepath.Join(dir, "godp"), "echo godp 1.2.3")
	spec, err := Install(Options{User: true, Executable: exe})
	if err != nil {
		t.Fatal(err)
	}
	return dir, exe, spec
}

func TestDoctorWithoutKernel(t *testing.T) {
	home(t)
	expect(t, "nothing installed", Doctor{}, 1, "FAIL  no kernelspec of godp in", "-> godp install --user", `note  no program "jupyter"`, "python3 -m pip install jupyterlab", "ok    five ports")
}

func TestDoctorOnPrograms(t *testing.T) {
	dir, exe, spec := installed(t)
	expect(t, "installed", Doctor{SelfTest: func(context.Context) error { return nil }}, 0, "ok    "+spec+`: godp ("Go (godp)") starts another copy`, "ok    a cell runs")
	program(t, exe, "echo godp 1.0.0")
	expect(t, "old version", Doctor{SelfTest: func(context.Context) error { return errors.New("no memory") }}, 1, `says "godp 1.0.0"`, "FAIL  running a cell: no memory", "ulimit -a")
	os.WriteFile(exe, []byte("\x7fELF of another machine"), 0o755)
	expect(t, "another machine's program", Doctor{}, 1, "another kind of machine", "go build -o godp .")
	os.WriteFile(exe, []byte("#!/there/is/none\n"), 0o755)
	expect(t, "no loader", Doctor{}, 1, "what it is started with is not")
	program(t, exe, "exit 3")
	expect(t, "a program that fails", Doctor{}, 1, "does not run: exit status 3")
	os.Chmod(exe, 0o644)
	expect(t, "not executable", Doctor{}, 1, "-> chmod +x "+exe)
	os.Remove(exe)
	expect(t, "program gone", Doctor{}, 1, "does not exist", again)
	os.Mkdir(exe, 0o755)
	expect(t, "a folder", Doctor{}, 1, "is not a program that may be executed")
	_ = dir
}

func TestDoctorOnSpecs(t *testing.T) {
	_, exe, spec := installed(t)
	file := filepath.Join(spec, "kernel.json")
	for _, c := range []struct{ when, spec, want string }{
		{"no JSON", "{", "is not a kernelspec"},
		{"empty argv", `{"argv": [], "language": "go"}`, "argv is empty"},
		{"no subcommand", `{"argv": ["` + exe + `", "{connection_file}"], "language": "go"}`, "after the program comes the word kernel"},
		{"no connection file", `{"argv": ["` + exe + `", "kernel", "x"], "language": "go"}`, "it lacks {connection_file}"},
		{"another language", `{"argv": ["` + exe + `", "kernel", "{connection_file}"], "language": "golang"}`, `it is to be "go"`},
		{"program not on the PATH", `{"argv": ["godp-of-nobody", "kernel", "{connection_file}"], "language": "go"}`, "not on the PATH"},
	} {
		os.WriteFile(file, []byte(c.spec), 0o644)
		n := 1
		if c.when == "no JSON" {
			n = 2 // and none is left
		}
		expect(t, c.when, Doctor{}, n, c.want, "-> "+again)
	}
	os.WriteFile(file, []byte(`{"argv": ["`+exe+`", "kernel", "{connection_file}"], "language": "go", "interrupt_mode": "signal"}`), 0o644)
	expect(t, "interrupts by signal", Doctor{}, 0, `note  `+spec+`: interrupt_mode is "signal"`)
	os.Remove(file)
	expect(t, "no kernel.json", Doctor{}, 2, "has no kernel.json")

	// Another one before it on Jupyter's path hides a kernel.
	dir := t.TempDir()
	t.Setenv("JUPYTER_PATH", dir)
	hiding := filepath.Join(dir, "kernels", "godp")
	os.MkdirAll(hiding, 0o755)
	good := []byte(`{"argv": ["` + exe + `", "kernel", "{connection_file}"], "language": "go", "interrupt_mode": "message"}`)
	os.WriteFile(file, good, 0o644)
	os.WriteFile(filepath.Join(hiding, "kernel.json"), good, 0o644)
	expect(t, "two of a name", Doctor{}, 0, spec+" is hidden by "+hiding)

	denied := func(string) ([]os.DirEntry, error) {
		return nil, &fs.PathError{Op: "open", Path: "x", Err: syscall.EACCES}
	}
	expect(t, "unreadable folders", Doctor{sys: system{readDir: denied}}, 1, filepath.Join(dir, "kernels")+" cannot be read", "chmod u+rx", "FAIL  no kernelspec")
	os.RemoveAll(dir)
	os.MkdirAll(dir, 0o755)
	os.WriteFile(filepath.Join(dir, "kernels"), nil, 0o644)
	expect(t, "a file instead of a folder", Doctor{}, 0, "it is to be a folder")
}

func TestDoctorOnStarting(t *testing.T) {
	_, exe, spec := installed(t)
	expect(t, "a kernel that ends at once", Doctor{Start: TryStart}, 1, "started as Jupyter does it, the program ends at once: exit status 0")
	program(t, exe, "[ $1 = version ] && echo godp 1.2.3 && exit; echo unknown flag >&2; exit 2")
	expect(t, "a kernel that says why", Doctor{Start: TryStart}, 1, "exit status 2: unknown flag")
	started := func(ctx context.Context, s Spec) error {
		if len(s.Argv) != 3 || s.Argv[0] != exe {
			t.Errorf("started as %q", s.Argv)
		}
		return nil
	}
	expect(t, "a kernel that starts", Doctor{Start: started}, 0, spec+": started as Jupyter does it, the kernel opens its ports")
}

func TestDoctorOnJupyter(t *testing.T) {
	dir, _, _ := installed(t)
	finds := `echo '{"kernelspecs": {"godp": {"resource_dir": "/there"}}}'`
	jupyter := program(t, filepath.Join(dir, "bin", "jupyter"), finds)
	expect(t, "with jupyter", Doctor{}, 0, `finds kernel "godp" in /there`, "All is well.")
	program(t, jupyter, `echo '{"kernelspecs": {}}'`)
	expect(t, "another environment", Doctor{}, 1, `does not find kernel "godp"`, "--prefix "+dir)
	program(t, jupyter, "echo first >&2; echo ModuleNotFoundError: jupyter_client >&2; exit 1")
	expect(t, "a broken jupyter", Doctor{}, 0, "kernelspec list does not work: exit status 1: ModuleNotFoundError: jupyter_client", "pip install --upgrade")
	os.WriteFile(jupyter, []byte("#!/gone/python\n"), 0o755)
	expect(t, "its Python is gone", Doctor{}, 1, "the Python that it was made for is gone")
	program(t, jupyter, finds)

	// A second one on the PATH, which does not find the kernel, is worth a note; it need not be used.
	other := t.TempDir()
	program(t, filepath.Join(other, "jupyter"), `echo '{"kernelspecs": {}}'`)
	path := os.Getenv("PATH")
	t.Setenv("PATH", path+string(filepath.ListSeparator)+other)
	expect(t, "several", Doctor{}, 0, "there are several Jupyters: "+jupyter+", "+filepath.Join(other, "jupyter"), filepath.Join(other, "jupyter")+` does not find kernel "godp"`, "looked at below")
	t.Setenv("PATH", path)

	// An environment is active, but another jupyter comes first.
	env := t.TempDir()
	program(t, filepath.Join(env, "bin", "jupyter"), finds)
	t.Setenv("VIRTUAL_ENV", env)
	expect(t, "not activated", Doctor{}, 0, "an environment is active, but the command jupyter starts "+jupyter)
	os.Remove(jupyter)
	expect(t, "not on the PATH", Doctor{}, 0, `no program "jupyter" on the PATH, but there is `+filepath.Join(env, "bin", "jupyter"), "PATH="+filepath.Join(env, "bin"))
}

func TestDoctorOnTheMachine(t *testing.T) {
	dir, _, _ := installed(t)
	writes := func(err error) system { return system{write: func(string) error { return err }} }
	at := func(err error) error { return &fs.PathError{Op: "write", Path: "x", Err: err} }
	expect(t, "a full disk", Doctor{sys: writes(at(syscall.ENOSPC))}, 2, "connection files cannot be written", "temporary files cannot be written", "full", "df -h")
	expect(t, "a used-up quota", Doctor{sys: writes(at(syscall.EDQUOT))}, 2, "or your share of it is full")
	expect(t, "read-only", Doctor{sys: writes(at(syscall.EROFS))}, 2, "mounted read-only", "JUPYTER_RUNTIME_DIR", "TMPDIR")
	expect(t, "no permission", Doctor{sys: writes(at(syscall.EACCES))}, 2, fmt.Sprintf("permission denied (you are user %d)", os.Getuid()), "chown")
	expect(t, "something else", Doctor{sys: writes(at(syscall.EIO))}, 2, "input/output error")
	expect(t, "little room", Doctor{sys: system{free: func(string) (uint64, bool) { return 3 << 20, true }}}, 0, "only 3 MiB are free")
	history := filepath.Join(dir, "state", "history")
	expect(t, "its own folders", Doctor{Folders: map[string]string{"the history": history}}, 0, "ok    the history can be written to "+history)
	if _, err := os.Stat(history); err == nil {
		t.Error("the doctor has made a folder")
	}
	file := filepath.Join(dir, "file")
	os.WriteFile(file, nil, 0o644)
	t.Setenv("JUPYTER_RUNTIME_DIR", filepath.Join(file, "runtime"))
	expect(t, "a file in the way", Doctor{}, 1, "FAIL  connection files cannot be written to "+filepath.Join(file, "runtime"))
	t.Setenv("JUPYTER_RUNTIME_DIR", dir)

	refused := func(string) (net.Conn, error) { return nil, syscall.ECONNREFUSED }
	expect(t, "a firewall that refuses", Doctor{sys: system{dial: refused}}, 1, "cannot be reached: connection refused", "interface lo", "transport=ipc")
	swallows := func(string) (net.Conn, error) {
		a, b := net.Pipe()
		go func() { b.Read(make([]byte, 10)); time.Sleep(10 * time.Millisecond); b.Close() }()
		return a, nil
	}
	expect(t, "a firewall that swallows", Doctor{sys: system{dial: swallows}}, 1, "nothing gets through")
}

func TestDoctorOnData(t *testing.T) {
	dir, _, _ := installed(t)
	data := filepath.Join(dir, "sets")
	t.Setenv("GODP_DATA", data)
	expect(t, "no data", Doctor{}, 0, "the data set adult is not in "+data, "godp data fetch adult", "godp data fetch kdd", "stand-in", "no damaged")
	f := datasets.Files[0]
	os.MkdirAll(filepath.Join(data, f.Set), 0o755)
	os.WriteFile(f.File(data), []byte("half"), 0o644)
	expect(t, "damaged", Doctor{}, 0, "the data set adult is damaged", "-> godp data fetch adult")
}
