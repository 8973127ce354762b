package dp

import (
	"bytes"
	"strings"
	"testing"
)

func TestLIBSVMFormat(t *testing.T) {
	d, err := ReadLIBSVM(strings.NewReader("+1 1:0.5 3:-0.25 # first\n\n-1 2:1e-1\n1\n"), 4, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	if d.Len() != 3 || d.Dim() != 4 || !d.Sparse() || len(d.Leaks()) != 0 {
		t.Fatalf("got %d×%d, sparse %v, leaks %v", d.Len(), d.Dim(), d.Sparse(), d.Leaks())
	}
	if r := d.Row(0); r[0] != 0.5 || r[1] != 0 || r[2] != -0.25 || d.Label(0) != 1 || d.Label(1) != -1 || d.Row(1)[1] != 0.1 {
		t.Errorf("wrong rows: %v %v", d.Row(0), d.Row(1))
	}
	var b bytes.Buffer
	if err := WriteLIBSVM(&b, d); err != nil {
		t.Fatal(err)
	}
	if want := "1 1:0.5 3:-0.25\n-1 2:0.1\n1\n"; b.String() != want {
		t.Errorf("wrote %q, want %q", b.String(), want)
	}
	c, err := ReadLIBSVM(strings.NewReader("red 1:1\nblue 2:3\n"), 0, []string{"red", "blue"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if c.Class(1) != 1 || c.Row(1)[1] > 1 || len(c.Leaks()) != 1 {
		t.Errorf("classes: %d, row %v, leaks %v", c.Class(1), c.Row(1), c.Leaks())
	}
}

func TestLIBSVMErrors(t *testing.T) {
	for in, want := range map[string]string{
		"2 1:1\n":              "line 1: label \"2\"",
		"1 1:1\n1 2:1 2:3\n":   "line 2: index 2 after 2",
		"1 0:1\n":              "index \"0\"",
		"1 1:x\n":              "value \"x\"",
		"1 1:nan\n":            "value \"nan\"",
		"1 1\n":                "index:value",
		"":                     "no rows",
		"1 9:1\n":              "above dim = 4",
		"1 99999999999999:1\n": "index",
	} {
		if _, err := ReadLIBSVM(strings.NewReader(in), 4, nil, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one that says %q", in, err, want)
		}
	}
}

// Whatever is accepted survives a round trip unchanged.
func FuzzReadLIBSVM(f *testing.F) {
	f.Add("+1 1:0.5 3:-0.25 # first\n-1 2:1e-1\n1\n")
	f.Add("-1 qid:3 1:1 2:2\n")
	f.Add("1 1:1e-320 2:0x1p-3\n\n\r\n-1\t5:-0")
	f.Fuzz(func(t *testing.T, in string) {
		d, err := ReadLIBSVM(strings.NewReader(in), 0, nil, 1)
		if err != nil || d.Dim() > 1<<16 {
			return
		}
		var a, b bytes.Buffer
		if err := WriteLIBSVM(&a, d); err != nil {
			t.Fatal(err)
		}
		e, err := ReadLIBSVM(bytes.NewReader(a.Bytes()), d.Dim(), nil, 1)
		if err != nil {
			t.Fatalf("%v, reading back %q", err, a.String())
		}
		if err := WriteLIBSVM(&b, e); err != nil {
			t.Fatal(err)
		}
		if a.String() != b.String() {
			t.Fatalf("%q became %q", a.String(), b.String())
		}
	})
}
