package differential

import (
	"path/filepath"
	"strings"
	"testing"

	"example.org/godp/kernel/notebook"
)

// The code of every notebook, its cells one after the other, is a Go program that Go's own checker takes. Their output
// is not compared: what they print is drawn from noise.
func TestNotebooksAreGo(t *testing.T) {
	files, err := filepath.Glob("../../notebooks/*.ipynb")
	if err != nil || len(files) == 0 {
		t.Fatal("no notebooks", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			nb, err := notebook.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			var cells []string
			for _, c := range nb.Cells {
				if c.Type == "code" && !c.HasTag("raises-exception") && !strings.HasPrefix(strings.TrimSpace(c.Source), "%") && !strings.HasPrefix(strings.TrimSpace(c.Source), "!") {
					cells = append(cells, c.Source)
				}
			}
			if _, err := translate(cells); err != nil {
				t.Error(err)
			}
		})
	}
}
