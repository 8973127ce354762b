package tests

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTranscripts types the cells of testdata/transcripts/*.txt into a kernel and compares what it says. A transcript reads like a session: lines
// that begin with "> " are a cell, the lines up to the next cell are what must be shown, and lines that begin with "# " are remarks.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/transcripts/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	dir := t.TempDir()
	bin := filepath.Join(dir, "godp")
	if out, err := exec.Command("go", "build", "-o", bin, "..").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			cells, want := parseTranscript(string(text))
			src, out := filepath.Join(t.TempDir(), "cells.go"), filepath.Join(t.TempDir(), "out.ipynb")
			if err := os.WriteFile(src, []byte("// %%\n"+strings.Join(cells, "\n// %%\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			log, err := exec.Command(bin, "run", "--allow-errors", "-o", out, src).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, log)
			}
			got := shown(t, out)
			if len(got) != len(want) {
				t.Fatalf("%d cells ran, want %d", len(got), len(want))
			}
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("cell %d:\n%s\n--- shows\n%s\n--- want\n%s", i+1, cells[i], got[i], want[i])
				}
			}
		})
	}
}

func parseTranscript(text string) (cells, want []string) {
	inCell := false
	for _, line := range strings.Split(text, "\n") {
		code, isCode := strings.CutPrefix(line, "> ")
		if line == ">" {
			code, isCode = "", true
		}
		switch {
		case strings.HasPrefix(line, "# "):
		case isCode && inCell:
			cells[len(cells)-1] += "\n" + code
		case isCode:
			cells, want = append(cells, code), append(want, "")
		case len(want) > 0:
			want[len(want)-1] += line + "\n"
		}
		inCell = isCode
	}
	for i := range want {
		want[i] = strings.TrimSpace(want[i])
	}
	return cells, want
}

// shown is the plain text of every cell's outputs in a notebook file.
func shown(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var nb struct {
		Cells []struct {
			Outputs []struct {
				Text   any            `json:"text"`
				Data   map[string]any `json:"data"`
				EName  string         `json:"ename"`
				EValue string         `json:"evalue"`
			} `json:"outputs"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(text, &nb); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range nb.Cells {
		var s strings.Builder
		for _, o := range c.Outputs {
			s.WriteString(joined(o.Text))
			s.WriteString(joined(o.Data["text/plain"]))
			if o.EName != "" {
				s.WriteString(o.EName + ": " + o.EValue)
			}
			if n := s.Len(); n > 0 && s.String()[n-1] != '\n' {
				s.WriteByte('\n')
			}
		}
		out = append(out, strings.TrimSpace(s.String()))
	}
	return out
}

// joined reads a notebook's multi-line string, which is a string or a list of lines.
func joined(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		s := ""
		for _, l := range v {
			if line, ok := l.(string); ok {
				s += line
			}
		}
		return s
	}
	return ""
}
