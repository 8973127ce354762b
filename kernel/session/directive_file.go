package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

// savedCell is a cell that has succeeded.
type savedCell struct{ name, code string }

// fileName is an argument that names a file: quotes are taken off, and a leading ~ is the home folder.
func fileName(arg string) string {
	if n := len(arg); n >= 2 && (arg[0] == '"' || arg[0] == '\'') && arg[n-1] == arg[0] {
		return arg[1 : n-1]
	}
	if arg == "~" || strings.HasPrefix(arg, "~/") {
		if home, err := os.UserHomeDir(); err == nil {
			return home + arg[1:]
		}
	}
	return arg
}

// cd is %cd.
func (s *Session) cd(x *call) Outcome {
	dir := fileName(x.arg)
	if dir == "" {
		dir = fileName("~")
	}
	if err := os.Chdir(dir); err != nil {
		return x.fail(err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return x.fail(err)
	}
	fmt.Fprintln(s.cfg.Stdout, dir)
	return Outcome{}
}

// env is %env. What is set holds for cells and commands of this kernel, until it ends.
func (s *Session) env(x *call) Outcome {
	name, value, set := strings.Cut(x.arg, "=")
	name = strings.TrimSpace(name)
	switch {
	case set:
		if err := os.Setenv(name, strings.TrimSpace(value)); err != nil {
			return x.fail(err)
		}
	case name == "":
		all := os.Environ()
		sort.Strings(all)
		fmt.Fprintln(s.cfg.Stdout, strings.Join(all, "\n"))
	default:
		v, ok := os.LookupEnv(name)
		if !ok {
			return x.fail(fmt.Errorf("the environment variable %s is not set", name))
		}
		fmt.Fprintln(s.cfg.Stdout, v)
	}
	return Outcome{}
}

const maxLoading = 20

// load is %load. The cells of the file run as those of the session do; the first that fails ends it.
func (s *Session) load(x *call) Outcome {
	file := fileName(x.arg)
	cells, err := s.cfg.Cells(file)
	if err != nil {
		return x.fail(err)
	}
	if s.loading == maxLoading {
		return x.fail(fmt.Errorf("files load each other more than %d deep", maxLoading))
	}
	s.loading++
	defer func() { s.loading-- }()
	var out Outcome
	for i, code := range cells {
		if strings.TrimSpace(code) == "" {
			continue
		}
		// The number of the cell is in the names of what the interpreter is given, which all parts of a cell share.
		if out = s.cell(x.ctx, x.n, fmt.Sprintf("%s[%d]", filepath.Base(file), i+1), code, x.opt); out.Err != nil {
			return out
		}
	}
	return out
}

// remember keeps a successful cell for %save, without its %save.
func (s *Session) remember(name, code string) {
	if mayHaveDirectives(code) {
		lines := strings.Split(code, "\n")
		for _, p := range s.parts(code) {
			if p.name == "%save" {
				lines[p.line-1] = ""
			}
		}
		code = strings.Join(lines, "\n")
	}
	if code = strings.Trim(code, "\n"); strings.TrimSpace(code) != "" {
		s.saved = append(s.saved, savedCell{name, code})
	}
}

// separator matches a line inside a cell that a file of cells takes for the start of another one.
var separator = regexp.MustCompile(`(?m)^(//\s*%%(\s.*)?|---\s*)$`)

// percentSeparator is separator for a cell of another language, in which lines of dashes are its own.
var percentSeparator = regexp.MustCompile(`(?m)^//\s*%%(\s.*)?$`)

// ambiguous reports whether a file of cells could not hold a cell.
func (s *Session) ambiguous(code string) bool {
	if mayHaveDirectives(code) {
		if _, text := s.withoutDirectives(code); text {
			return percentSeparator.MatchString(code)
		}
	}
	return separator.MatchString(code)
}

// save is %save.
func (s *Session) save(x *call) Outcome {
	arg, replace := x.arg, false
	if rest, ok := strings.CutPrefix(arg, "-f "); ok {
		arg, replace = strings.TrimSpace(rest), true
	}
	file := fileName(arg)
	if !strings.HasSuffix(file, ".go") {
		return x.fail(fmt.Errorf("the name of a file of cells ends in .go; %s does not", file))
	}
	var b strings.Builder
	n := 0
	for _, c := range s.saved {
		if s.ambiguous(c.code) {
			fmt.Fprintf(s.cfg.Stderr, "note: %s is left out: it has a line that would start another cell in the file (// %%%% or ---)\n", c.name)
			continue
		}
		n++
		fmt.Fprintf(&b, "// %%%%\n%s\n", c.code)
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if replace {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(file, flags, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return x.fail(fmt.Errorf("%s exists; %%save -f %s replaces it", file, arg))
	}
	if err == nil {
		_, err = f.WriteString(b.String())
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return x.fail(err)
	}
	fmt.Fprintf(s.cfg.Stdout, "%d cells written to %s\n", n, file)
	return Outcome{}
}

// writeFile is %%writefile.
func (s *Session) writeFile(x *call) Outcome {
	file, body := fileName(x.arg), x.body
	if body != "" && !strings.HasSuffix(body, "\n") {
		body += "\n"
	}
	if err := os.WriteFile(file, []byte(body), 0o644); err != nil {
		return x.fail(err)
	}
	fmt.Fprintf(s.cfg.Stdout, "%d bytes written to %s\n", len(body), file)
	return Outcome{}
}
