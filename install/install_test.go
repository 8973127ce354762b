package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// home gives the test a home folder and environment of its own.
func home(t *testing.T) string {
	dir := t.TempDir()
	for _, v := range []string{"JUPYTER_DATA_DIR", "JUPYTER_PATH", "JUPYTER_RUNTIME_DIR", "XDG_DATA_HOME", "VIRTUAL_ENV", "CONDA_PREFIX"} {
		t.Setenv(v, "")
	}
	t.Setenv("HOME", dir)
	t.Setenv("PATH", filepath.Join(dir, "bin"))
	return dir
}

// program makes a file that can be executed.
func program(t *testing.T, file, script string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestInstallWhere(t *testing.T) {
	dir := home(t)
	exe := program(t, filepath.Join(dir, "godp"), "exit 0")
	t.Setenv("VIRTUAL_ENV", filepath.Join(dir, "venv"))
	user, err := userDataDir("linux")
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, ".local", "share", "jupyter"); user != want {
		t.Errorf("user folder %s, want %s", user, want)
	}
	if mac, _ := userDataDir("darwin"); mac != filepath.Join(dir, "Library", "Jupyter") {
		t.Errorf("user folder on macOS %s", mac)
	}
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Prefix: filepath.Join(dir, "p")}, "p/share/jupyter/kernels/godp"},
		{Options{SysPrefix: true}, "venv/share/jupyter/kernels/godp"},
		{Options{SysPrefix: true, Name: "Go-DP.2"}, "venv/share/jupyter/kernels/go-dp.2"},
	} {
		c.o.Executable = exe
		got, err := Install(c.o)
		if err != nil || got != filepath.Join(dir, c.want) {
			t.Errorf("%+v: %s, %v; want %s", c.o, got, err, c.want)
		}
	}
	t.Setenv("JUPYTER_DATA_DIR", filepath.Join(dir, "data"))
	if got, err := Install(Options{User: true, Executable: exe}); err != nil || got != filepath.Join(dir, "data/kernels/godp") {
		t.Errorf("JUPYTER_DATA_DIR: %s, %v", got, err)
	}
	t.Setenv("JUPYTER_DATA_DIR", "")
	t.Setenv("XDG_DATA_HOME", filepath.Join(dir, "xdg"))
	if got, _ := userDataDir("linux"); got != filepath.Join(dir, "xdg", "jupyter") {
		t.Errorf("XDG_DATA_HOME: %s", got)
	}
}

func TestInstallWhat(t *testing.T) {
	dir := home(t)
	exe := program(t, filepath.Join(dir, "a <b>&c", "godp"), "exit 0")
	for range 2 { // the second replaces the first
		got, err := Install(Options{Prefix: dir, Executable: exe, DisplayName: "Go <x>", Memory: "2GiB", NoShell: true, NoHistory: true})
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(got, "kernel.json"))
		if err != nil {
			t.Fatal(err)
		}
		var spec map[string]any
		if err := json.Unmarshal(b, &spec); err != nil {
			t.Fatal(err)
		}
		argv, _ := json.Marshal(spec["argv"])
		want, _ := json.Marshal([]string{exe, "kernel", "--memory", "2GiB", "--no-shell", "--no-history", "{connection_file}"})
		if string(argv) != string(want) || spec["display_name"] != "Go <x>" || spec["language"] != "go" || spec["interrupt_mode"] != "message" {
			t.Errorf("spec %s", b)
		}
		for name, size := range map[string]int{"logo-32x32.png": 32, "logo-64x64.png": 64} {
			b, err := os.ReadFile(filepath.Join(got, name))
			if err != nil {
				t.Fatal(err)
			}
			if m, err := png.Decode(bytes.NewReader(b)); err != nil || m.Bounds().Dx() != size || m.Bounds().Dy() != size {
				t.Errorf("%s: %v, %v", name, m, err)
			}
		}
	}
	o := Options{Prefix: dir}
	if _, err := Uninstall(o); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "share/jupyter/kernels/godp")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after uninstall: %v", err)
	}
	if _, err := Uninstall(o); err == nil || !strings.Contains(err.Error(), `no kernel "godp" is installed in`) {
		t.Errorf("uninstalled twice: %v", err)
	}
}

func TestInstallRefuses(t *testing.T) {
	dir := home(t)
	exe := program(t, filepath.Join(dir, "godp"), "exit 0")
	file := filepath.Join(dir, "file")
	os.WriteFile(file, nil, 0o644)
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{User: true, SysPrefix: true}, "only one of"},
		{Options{SysPrefix: true}, "no Python environment is active"},
		{Options{User: true, Name: "../x"}, `--name "../x"`},
		{Options{Prefix: dir, Memory: "lots"}, "--memory lots"},
		{Options{Prefix: file}, "not a directory"},
		{Options{Prefix: dir, Executable: "/tmp/go-build123/b001/exe/godp"}, "go build -o godp"},
	} {
		if c.o.Executable == "" {
			c.o.Executable = exe
		}
		if _, err := Install(c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want one with %q", c.o, err, c.want)
		}
	}
	// The kernel of somebody else under our name is not removed.
	other := filepath.Join(dir, "share/jupyter/kernels/godp")
	os.MkdirAll(other, 0o755)
	os.WriteFile(filepath.Join(other, "kernel.json"), []byte(`{"argv": ["python", "-m", "x"], "language": "python"}`), 0o644)
	if _, err := Uninstall(Options{Prefix: dir}); err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("another program's kernel: %v", err)
	}
}

func TestParseBytes(t *testing.T) {
	for s, want := range map[string]uint64{"4GiB": 4 << 30, "512MB": 512e6, "1.5g": 3 << 29, "268435456": 1 << 28, "100 MiB": 100 << 20} {
		if got, err := ParseBytes(s); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"", "GiB", "4 apples", "1", "-4GiB", "1.2.3G", "99999999T"} {
		if got, err := ParseBytes(s); err == nil {
			t.Errorf("%q: %d, want an error", s, got)
		}
	}
}
