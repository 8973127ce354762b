// Package notebook reads, runs and writes Jupyter notebooks (nbformat 4) without Jupyter, and plain .go files that are
// divided into cells.
package notebook

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Notebook is a notebook in memory. What this package does not know is kept as it was read, so that running a notebook
// changes its outputs and nothing else.
type Notebook struct {
	Cells  []*Cell
	fields map[string]json.RawMessage // all but "cells"
}

// Cell is one cell of a notebook.
type Cell struct {
	Type    string // "code", "markdown" or "raw"
	Source  string
	Count   int      // execution count, 0 for none
	Outputs []Output // of a code cell

	tags   []string
	fields map[string]json.RawMessage // all but the ones above
}

// Output is one output of a code cell in the form of nbformat: output_type "stream", "display_data", "execute_result"
// or "error", and the fields that belong to it.
type Output map[string]any

// HasTag reports whether the cell's metadata has the tag.
func (c *Cell) HasTag(tag string) bool { return slices.Contains(c.tags, tag) }

// Open reads a notebook from a file: cells of Go where the name ends in .go, nbformat otherwise.
func Open(name string) (*Notebook, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(name, ".go") {
		return ParseGo(string(b)), nil
	}
	nb, err := Parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return nb, nil
}

// Parse reads a notebook in nbformat 4.
func Parse(b []byte) (*Notebook, error) {
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	if len(bytes.TrimSpace(b)) == 0 {
		return nil, errors.New("the file is empty, so it is not a notebook")
	}
	nb := &Notebook{}
	if err := json.Unmarshal(b, &nb.fields); err != nil {
		return nil, notJSON(b, err)
	}
	var format struct {
		Major *int `json:"nbformat"`
		Minor int  `json:"nbformat_minor"`
	}
	if err := json.Unmarshal(b, &format); err != nil || format.Major == nil {
		return nil, errors.New(`not a notebook: the field "nbformat" is missing or not a number`)
	}
	if *format.Major != 4 {
		return nil, fmt.Errorf("the notebook has format %d; only format 4 is understood. Convert it with: jupyter nbconvert --to notebook --nbformat 4", *format.Major)
	}
	var cells []map[string]json.RawMessage
	if err := json.Unmarshal(nb.fields["cells"], &cells); err != nil {
		return nil, errors.New(`not a notebook: the field "cells" is missing or not a list of objects`)
	}
	delete(nb.fields, "cells")
	for i, f := range cells {
		c, err := parseCell(f)
		if err != nil {
			return nil, fmt.Errorf("cell %d of %d: %w", i+1, len(cells), err)
		}
		nb.Cells = append(nb.Cells, c)
	}
	return nb, nil
}

func notJSON(b []byte, err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		before := b[:min(int(syntax.Offset), len(b))]
		line := bytes.Count(before, []byte("\n")) + 1
		return fmt.Errorf("not a notebook: line %d is not JSON: %v", line, err)
	}
	return fmt.Errorf("not a notebook: a JSON object is expected: %v", err)
}

func parseCell(f map[string]json.RawMessage) (*Cell, error) {
	c := &Cell{fields: f}
	if err := json.Unmarshal(f["cell_type"], &c.Type); err != nil {
		return nil, errors.New(`the field "cell_type" is missing or not a string`)
	}
	var err error
	if c.Source, err = joined(f["source"]); err != nil {
		return nil, errors.New(`the field "source" is missing or neither a string nor a list of strings`)
	}
	var meta struct {
		Tags []string `json:"tags"`
	}
	json.Unmarshal(f["metadata"], &meta) // tags of another form are not tags
	c.tags = meta.Tags
	if c.Type == "code" {
		json.Unmarshal(f["execution_count"], &c.Count) // null means none
		if raw, ok := f["outputs"]; ok {
			d := json.NewDecoder(bytes.NewReader(raw))
			d.UseNumber() // numbers keep their digits
			if err := d.Decode(&c.Outputs); err != nil {
				return nil, errors.New(`the field "outputs" is not a list of objects`)
			}
		}
		delete(f, "outputs")
		delete(f, "execution_count")
	}
	delete(f, "cell_type")
	delete(f, "source")
	return c, nil
}

// joined decodes a string that nbformat allows to be written as a list of lines.
func joined(raw json.RawMessage) (string, error) {
	var s string
	err := json.Unmarshal(raw, &s)
	if err == nil {
		return s, nil
	}
	var lines []string
	if err := json.Unmarshal(raw, &lines); err != nil {
		return "", err
	}
	return strings.Join(lines, ""), nil
}

// lines is the reverse of joined, the form in which Jupyter writes text.
func lines(s string) []string {
	l := strings.SplitAfter(s, "\n")
	if l[len(l)-1] == "" {
		l = l[:len(l)-1]
	}
	return l
}

// Language returns the language that the metadata names, "" where there is none.
func (nb *Notebook) Language() string {
	var meta struct {
		Spec struct {
			Language string `json:"language"`
		} `json:"kernelspec"`
		Info struct {
			Name string `json:"name"`
		} `json:"language_info"`
	}
	json.Unmarshal(nb.fields["metadata"], &meta)
	if meta.Info.Name != "" {
		return meta.Info.Name
	}
	return meta.Spec.Language
}

// Write writes the notebook as Jupyter does: keys sorted, one space of indentation, text as lists of lines.
func (nb *Notebook) Write(w io.Writer) error {
	doc := map[string]any{}
	for k, v := range nb.fields {
		doc[k] = v
	}
	cells := []any{}
	for _, c := range nb.Cells {
		m := map[string]any{"cell_type": c.Type, "source": lines(c.Source)}
		for k, v := range c.fields {
			m[k] = v
		}
		if c.Type == "code" {
			m["execution_count"] = nil
			if c.Count > 0 {
				m["execution_count"] = c.Count
			}
			outputs := []Output{}
			for _, o := range c.Outputs {
				outputs = append(outputs, o.split())
			}
			m["outputs"] = outputs
		}
		cells = append(cells, m)
	}
	doc["cells"] = cells
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(doc); err != nil {
		return fmt.Errorf("writing the notebook: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Save writes the notebook to a file, all or nothing.
func (nb *Notebook) Save(name string) error {
	var b bytes.Buffer
	if err := nb.Write(&b); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), ".godp-*.ipynb")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails once it has been renamed
	_, err = tmp.Write(b.Bytes())
	if err := errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), name)
}

// split returns the output with its text as lists of lines.
func (o Output) split() Output {
	o = maps.Clone(o)
	if s, ok := o["text"].(string); ok {
		o["text"] = lines(s)
	}
	if data, ok := o["data"].(map[string]any); ok {
		data = maps.Clone(data)
		for mime, v := range data {
			if s, ok := v.(string); ok && isText(mime) {
				data[mime] = lines(s)
			}
		}
		o["data"] = data
	}
	return o
}

// isText tells the MIME types that nbformat writes as lists of lines.
func isText(mime string) bool {
	return strings.HasPrefix(mime, "text/") || mime == "application/javascript" || mime == "image/svg+xml"
}

func newID() string {
	var b [4]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
