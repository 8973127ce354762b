package install

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// jupyters are all programs called jupyter that could be meant: those on the PATH in its order, then that of an active environment
// which is not on the PATH, and that of pip install --user.
func jupyters() (onPath, elsewhere []string) {
	seen := map[string]bool{}
	add := func(list *[]string, dir string) {
		p := filepath.Join(dir, "jupyter")
		st, err := os.Stat(p)
		if err != nil || st.IsDir() || st.Mode()&0o111 == 0 {
			return
		}
		real, err := filepath.EvalSymlinks(p)
		if err != nil {
			real = p
		}
		if !seen[real] {
			seen[real] = true
			*list = append(*list, p)
		}
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if filepath.IsAbs(dir) {
			add(&onPath, dir)
		}
	}
	for _, v := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if p := os.Getenv(v); p != "" {
			add(&elsewhere, filepath.Join(p, "bin"))
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		add(&elsewhere, filepath.Join(home, ".local", "bin"))
	}
	return onPath, elsewhere
}

// jupyter asks every jupyter that could be meant what it finds.
func (d *Doctor) jupyter(ctx context.Context, specs []string) {
	onPath, elsewhere := jupyters()
	if len(onPath) == 0 {
		if len(elsewhere) > 0 {
			d.note(fmt.Sprintf("no program \"jupyter\" on the PATH, but there is %s", elsewhere[0]), fmt.Sprintf("PATH=%s:$PATH", filepath.Dir(elsewhere[0])))
		} else {
			d.note("no program \"jupyter\" on the PATH", "fine if Jupyter runs elsewhere; otherwise: python3 -m pip install jupyterlab, and activate its environment")
		}
	}
	if len(onPath) > 1 {
		d.note(fmt.Sprintf("there are several Jupyters: %s; the first is the one that the command jupyter starts", strings.Join(onPath, ", ")), "the kernel is needed in the one that you use; each is looked at below")
	}
	if len(onPath) > 0 && len(elsewhere) > 0 && active(elsewhere[0]) {
		d.note(fmt.Sprintf("an environment is active, but the command jupyter starts %s and not its own, %s", onPath[0], elsewhere[0]), "activate the environment again (its bin folder comes first on the PATH then)")
	}
	for i, j := range append(slices.Clone(onPath), elsewhere...) {
		d.askJupyter(ctx, j, specs, i == 0 && len(onPath) > 0)
	}
}

// active reports whether a program is that of the environment that is active.
func active(program string) bool {
	for _, v := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if p := os.Getenv(v); p != "" && filepath.Dir(program) == filepath.Join(p, "bin") {
			return true
		}
	}
	return false
}

// askJupyter asks one jupyter. Only for the one that is used by default it is a failure that it does not find the kernel.
func (d *Doctor) askJupyter(ctx context.Context, j string, specs []string, used bool) {
	problem := d.note
	if used {
		problem = d.fail
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, j, "kernelspec", "list", "--json").Output()
	var list struct {
		Specs map[string]struct {
			Dir string `json:"resource_dir"`
		} `json:"kernelspecs"`
	}
	if errors.Is(err, fs.ErrNotExist) {
		problem(fmt.Sprintf("%s cannot be started: the Python that it was made for is gone", j), "make the environment again, and install jupyterlab and godp in it")
		return
	}
	if err == nil {
		err = json.Unmarshal(out, &list)
	}
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) && len(exit.Stderr) > 0 {
			err = fmt.Errorf("%w: %s", err, lastLine(string(exit.Stderr)))
		}
		d.note(fmt.Sprintf("%s kernelspec list does not work: %v", j, err), "python3 -m pip install --upgrade jupyterlab jupyter_client")
		return
	}
	for _, name := range specs {
		if s, ok := list.Specs[name]; ok {
			d.ok("%s finds kernel %q in %s", j, name, s.Dir)
		} else {
			problem(fmt.Sprintf("%s does not find kernel %q", j, name), fmt.Sprintf("it belongs to another environment; install with: godp install --prefix %s", filepath.Dir(filepath.Dir(j))))
		}
	}
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}
