package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// piped runs "godp repl" with text on a pipe.
func piped(t *testing.T, text string) (stdout, stderr string, status int) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	cmd := exec.Command(exe, "repl", "--plots", t.TempDir())
	cmd.Env = append(os.Environ(), asGodp+"=1", "GODP_HISTORY=off")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), &out, &errs
	err = cmd.Run()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func TestReplOnAPipe(t *testing.T) {
	out, errs, status := piped(t, "x := 20\nfunc f(n int) int {\n\treturn 2 * n\n}\n\nf(x) + 2\nfmt.Println(\n\"hi\")\nvar a, b int\nfmt.Scan(&a, &b)\n30 12\na + b\n%%bash\necho from bash\n\ny := 1")
	if want := "42\nhi\n42\nfrom bash\n"; out != want || errs != "" || status != 0 {
		t.Errorf("printed %q and %q, status %d; want %q", out, errs, status, want)
	}
	// An error is shown with its place, the rest is run, and the status tells.
	out, errs, status = piped(t, "x := 1\nx.y\nx + 1\nfunc f( {\n")
	if out != "2\n" || status != 1 || !strings.Contains(errs, "In[2]:1:3: x.y undefined") || !strings.Contains(errs, "In[4]:1:") || strings.Contains(errs, "\x1b") {
		t.Errorf("printed %q and %q, status %d", out, errs, status)
	}
	if out, errs, status = piped(t, ""); out != "" || errs != "" || status != 0 {
		t.Errorf("nothing: %q, %q, %d", out, errs, status)
	}
}
