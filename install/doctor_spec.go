package install

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

const again = "install it again: godp install"

// specs examines all kernelspecs of this kernel that Jupyter may find. It returns the names of those that work.
func (d *Doctor) specs(ctx context.Context, exe string) (found []string) {
	names := map[string]string{}
	for _, data := range JupyterPath() {
		kernels := filepath.Join(data, "kernels")
		entries, err := d.sys.readDir(kernels)
		switch {
		case errors.Is(err, fs.ErrPermission):
			d.note(fmt.Sprintf("%s cannot be read, and Jupyter finds no kernel in it", kernels), "chmod u+rx "+kernels+", or as its owner chown it to yourself")
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			d.note(fmt.Sprintf("%s cannot be read: %v", kernels, err), "it is to be a folder of kernelspecs; move away what is there")
		}
		for _, e := range entries {
			dir := filepath.Join(kernels, e.Name())
			spec, err := ReadSpec(dir)
			if errors.Is(err, fs.ErrNotExist) {
				if strings.EqualFold(e.Name(), DefaultName) {
					d.fail(dir+" has no kernel.json", again)
				}
				continue
			}
			if err != nil {
				if strings.EqualFold(e.Name(), DefaultName) {
					d.fail(err.Error(), again)
				}
				continue
			}
			if !spec.ours() && !spec.meansUs(e.Name()) {
				continue
			}
			if first, twice := names[e.Name()]; twice {
				d.note(fmt.Sprintf("%s is hidden by %s", dir, first), "remove the one that is out of date")
				continue
			}
			names[e.Name()] = dir
			if wrong := spec.wrong(); wrong != "" {
				d.fail(fmt.Sprintf("%s/kernel.json: %s", dir, wrong), again)
				continue
			}
			if d.spec(ctx, dir, spec, exe) {
				found = append(found, e.Name())
			}
		}
	}
	if len(names) == 0 {
		d.fail("no kernelspec of godp in "+strings.Join(JupyterPath(), ", "), "godp install --user, or godp install --sys-prefix inside the environment in which Jupyter runs")
	}
	return found
}

// meansUs recognises a spec of this kernel that somebody has changed.
func (s Spec) meansUs(name string) bool {
	return len(s.Argv) > 0 && strings.HasPrefix(filepath.Base(s.Argv[0]), "godp") || strings.EqualFold(name, DefaultName) && s.Language != "python"
}

// wrong says what in a spec keeps the kernel from starting or from being shown, "" for nothing.
func (s Spec) wrong() string {
	switch {
	case len(s.Argv) == 0:
		return "argv is empty: there is no program to start"
	case len(s.Argv) < 2 || s.Argv[1] != "kernel":
		return fmt.Sprintf("argv is %q: after the program comes the word kernel", s.Argv)
	case !slices.Contains(s.Argv, "{connection_file}"):
		return fmt.Sprintf("argv is %q: it lacks {connection_file}, so the kernel is not told its ports", s.Argv)
	case s.Language != "go":
		return fmt.Sprintf("language is %q: front ends match notebooks by it, and it is to be \"go\"", s.Language)
	}
	return ""
}

func (d *Doctor) spec(ctx context.Context, dir string, s Spec, exe string) bool {
	program := s.Argv[0]
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
	case errors.Is(err, fs.ErrNotExist):
		d.fail(fmt.Sprintf("%s: the program %s does not exist", dir, program), again)
		return false
	case err != nil:
		d.fail(fmt.Sprintf("%s: the program %s cannot be reached: %v", dir, program, err), "put it where you may read it and "+again)
		return false
	case st.IsDir() || st.Mode()&0o111 == 0:
		d.fail(fmt.Sprintf("%s: %s is not a program that may be executed", dir, program), "chmod +x "+program)
		return false
	}
	if s.InterruptMode != "message" {
		d.note(fmt.Sprintf("%s: interrupt_mode is %q; the stop button then works by signals only", dir, s.InterruptMode), again)
	}
	if mine, err := os.Stat(exe); err == nil && os.SameFile(mine, st) {
		d.ok("%s: %s (%q) starts this program", dir, filepath.Base(dir), s.DisplayName)
	} else if !d.otherProgram(dir, s, program) {
		return false
	}
	if d.Start == nil {
		return true
	}
	if err := d.Start(ctx, s); err != nil {
		d.fail(fmt.Sprintf("%s: started as Jupyter does it, %v", dir, err), again+"; what the kernel writes when it fails stands in Jupyter's log too")
		return false
	}
	d.ok("%s: started as Jupyter does it, the kernel opens its ports", dir)
	return true
}

// otherProgram examines a spec's program that is not this one.
func (d *Doctor) otherProgram(dir string, s Spec, program string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, "version").Output()
	switch {
	case errors.Is(err, syscall.ENOEXEC):
		d.fail(fmt.Sprintf("%s: %s is a program for another kind of machine, or no program", dir, program), "build godp on this machine (go build -o godp .) and "+again)
		return false
	case errors.Is(err, fs.ErrPermission):
		d.fail(fmt.Sprintf("%s: %s may not be executed: %v", dir, program, err), "its file system may be mounted noexec: move the program elsewhere and "+again)
		return false
	case errors.Is(err, fs.ErrNotExist):
		d.fail(fmt.Sprintf("%s: %s is there, but what it is started with is not (an interpreter or a loader)", dir, program), again)
		return false
	case err != nil:
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

// TryStart starts a kernel by its spec, waits until it has opened its ports, and ends it.
func TryStart(ctx context.Context, s Spec) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	dir, err := os.MkdirTemp("", "godp-doctor-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	connection := map[string]any{"transport": "tcp", "ip": "127.0.0.1", "key": "doctor", "signature_scheme": "hmac-sha256"}
	var addresses []string
	var listeners []net.Listener
	for _, port := range []string{"shell_port", "iopub_port", "stdin_port", "control_port", "hb_port"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return fmt.Errorf("no port is free: %w", err)
		}
		listeners = append(listeners, l)
		addresses = append(addresses, l.Addr().String())
		connection[port] = l.Addr().(*net.TCPAddr).Port
	}
	for _, l := range listeners { // all at the end, so that the ports differ
		l.Close()
	}
	raw, _ := json.Marshal(connection)
	file := filepath.Join(dir, "connection.json")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		return err
	}
	argv := slices.Clone(s.Argv)
	for i, a := range argv {
		argv[i] = strings.NewReplacer("{connection_file}", file, "{resource_dir}", dir).Replace(a)
	}
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = os.Environ()
	for k, v := range s.Env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	cmd.Stderr = &said
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 3 * time.Second
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("it cannot be started: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for len(addresses) > 0 {
		if c, err := net.DialTimeout("tcp", addresses[0], time.Second); err == nil {
			c.Close()
			addresses = addresses[1:]
			continue
		}
		select {
		case err := <-ended:
			if err == nil {
				err = errors.New("exit status 0")
			}
			return fmt.Errorf("the program ends at once: %v: %s", err, strings.TrimSpace(said.String()))
		case <-ctx.Done():
			<-ended
			return fmt.Errorf("the kernel does not open its ports: %s", strings.TrimSpace(said.String()))
		case <-time.After(10 * time.Millisecond):
		}
	}
	cancel()
	<-ended
	return nil
}
