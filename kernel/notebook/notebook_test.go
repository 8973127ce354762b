package notebook

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRoundTripKeepsEverything(t *testing.T) {
	want, err := os.ReadFile("testdata/jupyter.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	nb, err := Parse(want)
	if err != nil {
		t.Fatal(err)
	}
	if nb.Language() != "go" || len(nb.Cells) != 4 || nb.Cells[1].Source != "x := 1 < 2 && true\nx" || !nb.Cells[1].HasTag("mine") || nb.Cells[1].Count != 7 {
		t.Errorf("read %+v", nb.Cells[1])
	}
	file := filepath.Join(t.TempDir(), "out.ipynb")
	if err := nb.Save(file); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// The only liberty: a source that was one string becomes a list of lines, as Jupyter writes it.
	want = bytes.Replace(want, []byte(`"source": "one string"`), []byte("\"source\": [\n    \"one string\"\n   ]"), 1)
	if !bytes.Equal(got, want) {
		t.Errorf("written\n%s\nwant\n%s", got, want)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".godp-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestNotANotebook(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"", "is empty"},
		{"{\n \"cells\": [\n", "line 3 is not JSON: unexpected end"},
		{"package main\n", "line 1 is not JSON"},
		{"{\"a\": 1,\n\n}", "line 3 is not JSON"},
		{"[1, 2]", "a JSON object is expected"},
		{"{}", `"nbformat" is missing`},
		{`{"nbformat": "4"}`, `"nbformat" is missing or not a number`},
		{`{"nbformat": 3, "worksheets": []}`, "has format 3"},
		{`{"nbformat": 4}`, `"cells" is missing`},
		{`{"nbformat": 4, "cells": [{"cell_type": "code", "source": ""}, {"source": "x"}]}`, `cell 2 of 2: the field "cell_type"`},
		{`{"nbformat": 4, "cells": [{"cell_type": "code", "source": 3}]}`, `cell 1 of 1: the field "source"`},
		{`{"nbformat": 4, "cells": [{"cell_type": "code", "source": "", "outputs": {}}]}`, `the field "outputs"`},
	} {
		if _, err := Parse([]byte(c.src)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want one with %q", c.src, err, c.want)
		}
	}
	file := filepath.Join(t.TempDir(), "bad.ipynb")
	os.WriteFile(file, []byte("hello"), 0o644)
	if _, err := Open(file); err == nil || !strings.Contains(err.Error(), "bad.ipynb: not a notebook") {
		t.Errorf("error %v does not name the file", err)
	}
}

func FuzzParse(f *testing.F) {
	b, _ := os.ReadFile("testdata/jupyter.ipynb")
	f.Add(b)
	f.Add([]byte(`{"nbformat": 4, "cells": [{"cell_type": "code", "source": ["a", "b"], "metadata": 3}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		nb, err := Parse(b)
		if err != nil {
			return
		}
		var one, two bytes.Buffer
		if err := nb.Write(&one); err != nil {
			t.Fatalf("read but not written: %v", err)
		}
		again, err := Parse(one.Bytes())
		if err != nil {
			t.Fatalf("written but not read: %v\n%s", err, one.Bytes())
		}
		if again.Write(&two); !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Fatalf("not stable:\n%s\n%s", one.Bytes(), two.Bytes())
		}
	})
}

func TestParseGo(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      []string // type: source
	}{
		{"no separator", "x := 1\nx\n", []string{"code: x := 1\nx"}},
		{"percent", "// %%\na := 1\n// %% a title\nb := 2\n\n//%%\nc := 3", []string{"code: a := 1", "code: b := 2", "code: c := 3"}},
		{"dashes", "a := 1\n---\nb := 2\n---  \n", []string{"code: a := 1", "code: b := 2", "code: "}},
		{"dashes in another language", "// %%\n%%bash\necho a\n---\necho b\n// %%\nx := 1\n---\ny", []string{"code: %%bash\necho a\n---\necho b", "code: x := 1", "code: y"}},
		{"dashes after another language", "%%writefile x.yaml\na: 1\n---\ny", []string{"code: %%writefile x.yaml\na: 1", "code: y"}},
		{"markdown", "// %% [markdown]\n// # Title\n//\n// text\n// %%\nx", []string{"markdown: # Title\n\ntext", "code: x"}},
		{"not separators", "// 50 %% off\n x --- y\n//%%%\n", []string{"code: // 50 %% off\n x --- y\n//%%%"}},
		{"program", "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println() }\n", []string{"code: \n\nimport \"fmt\"\n\nfunc main() { fmt.Println() }\nmain()"}},
		{"package clause", "// Comment.\npackage x // why\n\n1+1", []string{"code: // Comment.\n\n\n1+1"}},
		{"CRLF", "a\r\n// %%\r\nb\r\n", []string{"code: a", "code: b"}},
		{"empty", "", []string{"code: "}},
	} {
		nb := ParseGo(c.src)
		var got []string
		for _, cell := range nb.Cells {
			got = append(got, cell.Type+": "+cell.Source)
		}
		if strings.Join(got, "\n|\n") != strings.Join(c.want, "\n|\n") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		var b bytes.Buffer
		if err := nb.Write(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(b.Bytes()); err != nil {
			t.Errorf("%s: as a notebook: %v", c.name, err)
		}
	}
	nb := ParseGo("// %% fails tags=[\"raises-exception\"]\npanic(1)")
	if !nb.Cells[0].HasTag("raises-exception") {
		t.Error("the tag in a percent line is lost")
	}
}
