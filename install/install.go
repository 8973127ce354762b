// Package install puts the kernel where Jupyter looks for kernels, takes it away again, and finds out why a kernel does
// not show up or start.
package install

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

//go:generate go run ./logo

//go:embed logo-32x32.png logo-64x64.png
var logos embed.FS

// Options say what is installed and where. At most one of User, SysPrefix and Prefix may be set; none means User.
type Options struct {
	User        bool   // into the data folder of the user
	SysPrefix   bool   // into the Python or conda environment that is active
	Prefix      string // into PREFIX/share/jupyter
	Name        string // folder name of the kernel, default "godp"
	DisplayName string // name shown by front ends, default "Go (godp)"
	Memory      string // heap limit of a kernel, such as "4GiB"; empty means three quarters of the machine's memory
	NoShell     bool   // switch !command and %%bash off; no sandbox, Go code can still do what the user may do
	NoHistory   bool   // do not keep the cells that are run in the user's history file
	Executable  string // the program to start, default the running one
}

// Defaults of Options.
const (
	DefaultName        = "godp"
	DefaultDisplayName = "Go (godp)"
)

// Spec is the content of kernel.json.
type Spec struct {
	Argv          []string          `json:"argv"`
	DisplayName   string            `json:"display_name"`
	Language      string            `json:"language"`
	InterruptMode string            `json:"interrupt_mode"`
	Env           map[string]string `json:"env,omitempty"`
	Metadata      map[string]any    `json:"metadata,omitempty"`
}

var validName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// Install writes the kernelspec and returns its folder. An older one of the same name is replaced.
func Install(o Options) (dir string, err error) {
	if o.Name == "" {
		o.Name = DefaultName
	}
	if o.DisplayName == "" {
		o.DisplayName = DefaultDisplayName
	}
	if dir, err = o.dir(); err != nil {
		return "", err
	}
	exe := o.Executable
	if exe == "" {
		if exe, err = os.Executable(); err != nil {
			return "", fmt.Errorf("finding the program's own file: %w", err)
		}
	}
	if exe, err = filepath.Abs(exe); err != nil {
		return "", err
	}
	if isTemporary(exe) {
		return "", fmt.Errorf("%s is a temporary file, which would be gone when Jupyter wants to start it: build the program first (go build -o godp .) and install from there", exe)
	}
	spec := Spec{
		Argv:          []string{exe, "kernel"},
		DisplayName:   o.DisplayName,
		Language:      "go",
		InterruptMode: "message",
		Metadata:      map[string]any{"debugger": true},
	}
	if o.Memory != "" {
		if _, err := ParseBytes(o.Memory); err != nil {
			return "", fmt.Errorf("--memory %s: %w", o.Memory, err)
		}
		spec.Argv = append(spec.Argv, "--memory", o.Memory)
	}
	if o.NoShell {
		spec.Argv = append(spec.Argv, "--no-shell")
	}
	if o.NoHistory {
		spec.Argv = append(spec.Argv, "--no-history")
	}
	spec.Argv = append(spec.Argv, "{connection_file}")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", explain(err)
	}
	var doc bytes.Buffer
	enc := json.NewEncoder(&doc)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(spec); err != nil {
		return "", err
	}
	files := map[string][]byte{"kernel.json": doc.Bytes()}
	for _, name := range []string{"logo-32x32.png", "logo-64x64.png"} {
		if files[name], err = logos.ReadFile(name); err != nil {
			return "", err
		}
	}
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			return "", explain(err)
		}
	}
	return dir, nil
}

// Uninstall removes a kernelspec that Install has written and returns its folder.
func Uninstall(o Options) (dir string, err error) {
	if o.Name == "" {
		o.Name = DefaultName
	}
	if dir, err = o.dir(); err != nil {
		return "", err
	}
	spec, err := ReadSpec(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("no kernel %q is installed in %s", o.Name, filepath.Dir(dir))
	}
	if err != nil {
		return "", err
	}
	if !spec.ours() {
		return "", fmt.Errorf("%s is a kernel of another program (%s); it is left alone", dir, strings.Join(spec.Argv, " "))
	}
	return dir, explain(os.RemoveAll(dir))
}

// ours tells a spec that Install has written from that of another kernel.
func (s Spec) ours() bool {
	return len(s.Argv) >= 3 && s.Argv[1] == "kernel" && s.Argv[len(s.Argv)-1] == "{connection_file}" && s.Language == "go"
}

// ReadSpec reads DIR/kernel.json.
func ReadSpec(dir string) (Spec, error) {
	var s Spec
	file := filepath.Join(dir, "kernel.json")
	b, err := os.ReadFile(file)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return s, fmt.Errorf("%s is not a kernelspec: %w", file, err)
	}
	return s, nil
}

func explain(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w (use --user to install for yourself, or --prefix DIR for a folder that you may write to)", err)
	}
	return err
}

// isTemporary reports whether exe is what "go run" has built and will delete.
func isTemporary(exe string) bool {
	return strings.Contains(exe, string(filepath.Separator)+"go-build")
}

// dir is the folder of the kernelspec.
func (o Options) dir() (string, error) {
	if !validName.MatchString(o.Name) {
		return "", fmt.Errorf("--name %q: a kernel's name consists of letters, digits, '.', '_' and '-'", o.Name)
	}
	data, err := o.dataDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(data, "kernels", strings.ToLower(o.Name)), nil
}

func (o Options) dataDir() (string, error) {
	n := 0
	for _, set := range []bool{o.User, o.SysPrefix, o.Prefix != ""} {
		if set {
			n++
		}
	}
	switch {
	case n > 1:
		return "", errors.New("only one of --user, --sys-prefix and --prefix can be used")
	case o.Prefix != "":
		prefix, err := filepath.Abs(o.Prefix)
		return filepath.Join(prefix, "share", "jupyter"), err
	case o.SysPrefix:
		for _, v := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
			if p := os.Getenv(v); p != "" {
				return filepath.Join(p, "share", "jupyter"), nil
			}
		}
		return "", errors.New("--sys-prefix: no Python environment is active (VIRTUAL_ENV and CONDA_PREFIX are not set); activate one, or name its folder with --prefix")
	}
	return UserDataDir()
}

// UserDataDir is Jupyter's data folder of the user: $JUPYTER_DATA_DIR, else ~/Library/Jupyter on macOS, else
// $XDG_DATA_HOME/jupyter, else ~/.local/share/jupyter.
func UserDataDir() (string, error) {
	if d := os.Getenv("JUPYTER_DATA_DIR"); d != "" {
		return d, nil
	}
	return userDataDir(runtime.GOOS)
}

func userDataDir(goos string) (string, error) {
	home, homeErr := os.UserHomeDir()
	if goos == "darwin" {
		return filepath.Join(home, "Library", "Jupyter"), homeErr
	}
	if x := os.Getenv("XDG_DATA_HOME"); x != "" {
		return filepath.Join(x, "jupyter"), nil
	}
	return filepath.Join(home, ".local", "share", "jupyter"), homeErr
}

// ParseBytes reads an amount of memory: a number of bytes, or a number with KiB, MiB, GiB, TiB, KB, MB, GB, TB, K, M, G or T.
func ParseBytes(s string) (uint64, error) {
	t := strings.TrimSpace(s)
	i := 0
	for i < len(t) && (t[i] >= '0' && t[i] <= '9' || t[i] == '.') {
		i++
	}
	x, err := strconv.ParseFloat(t[:i], 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not an amount of memory such as 4GiB or 512MB", s)
	}
	unit := map[string]float64{"": 1, "b": 1, "k": 1 << 10, "kib": 1 << 10, "kb": 1e3, "m": 1 << 20, "mib": 1 << 20, "mb": 1e6,
		"g": 1 << 30, "gib": 1 << 30, "gb": 1e9, "t": 1 << 40, "tib": 1 << 40, "tb": 1e12}
	u, ok := unit[strings.ToLower(strings.TrimSpace(t[i:]))]
	if !ok {
		return 0, fmt.Errorf("%q: unknown unit %q (use KiB, MiB, GiB or TiB)", s, strings.TrimSpace(t[i:]))
	}
	const least = 64 << 20
	if x*u < least || x*u > 1<<60 {
		return 0, fmt.Errorf("%q: a kernel needs between 64 MiB and 1 EiB", s)
	}
	return uint64(x * u), nil
}
