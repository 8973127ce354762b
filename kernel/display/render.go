package display

import (
	"bytes"
	"fmt"
	goimage "image"
	"image/png"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Methods by which a value says how it is shown. Any subset will do; text/plain is always added.
type (
	// HTMLer is shown as HTML, unescaped.
	HTMLer interface{ HTML() string }
	// Markdowner is shown as Markdown.
	Markdowner interface{ Markdown() string }
	// LaTeXer is shown as TeX.
	LaTeXer interface{ LaTeX() string }
	// SVGer is shown as an SVG image.
	SVGer interface{ SVG() string }
	// PNGer is shown as a PNG image.
	PNGer interface{ PNG() []byte }
	// MIMEer gives its representations itself, MIME type to value as in Bundle.Data.
	MIMEer interface{ MIME() map[string]any }
)

var renderers struct {
	sync.RWMutex
	list []func(any) (Bundle, bool)
}

// Register adds a renderer for values whose types have no display methods. It returns false for a value that it does
// not know. The renderer registered last is asked first.
func Register(f func(v any) (Bundle, bool)) {
	renderers.Lock()
	defer renderers.Unlock()
	renderers.list = append(renderers.list, f)
}

// Render turns a value into a bundle: a registered renderer if one knows it, else its display methods, else a picture of an
// image.Image or a table of what has Dims and At, as gonum's matrices have, else text. text/plain is always present, except
// that a *Handle or *Bar renders as nothing, since it is shown already. A renderer or method that panics does not stop the
// cell: the value is shown as text with a remark.
func Render(v any) Bundle {
	switch b := v.(type) {
	case Bundle:
		return withText(b)
	case *Bundle:
		if b != nil {
			return withText(*b)
		}
	case *Handle, *Bar: // they are on the page already
		return Bundle{}
	}
	renderers.RLock()
	list := slices.Clone(renderers.list)
	renderers.RUnlock()
	var remarks []string
	for _, f := range slices.Backward(list) {
		var b Bundle
		ok := false
		if p := try(func() { b, ok = f(v) }); p != nil {
			remarks = append(remarks, fmt.Sprintf("(a renderer for %T panicked: %v)", v, p))
			continue
		}
		if ok {
			if b.Text() == "" {
				b = withPlain(b, Format(v))
			}
			return b
		}
	}
	data := map[string]any{}
	method := func(name string, f func()) {
		if p := try(f); p != nil {
			remarks = append(remarks, fmt.Sprintf("(method %s of %T panicked: %v)", name, v, p))
		}
	}
	if isNilPointer(v) { // its methods would most likely panic
		return textBundle(Format(v))
	}
	if m, ok := v.(HTMLer); ok {
		method("HTML", func() { data["text/html"] = m.HTML() })
	}
	if m, ok := v.(Markdowner); ok {
		method("Markdown", func() { data["text/markdown"] = m.Markdown() })
	}
	if m, ok := v.(LaTeXer); ok {
		method("LaTeX", func() { data["text/latex"] = m.LaTeX() })
	}
	if m, ok := v.(SVGer); ok {
		method("SVG", func() { data["image/svg+xml"] = m.SVG() })
	}
	if m, ok := v.(PNGer); ok {
		method("PNG", func() {
			if b := m.PNG(); len(b) > 0 {
				data["image/png"] = b
			}
		})
	}
	if m, ok := v.(MIMEer); ok {
		method("MIME", func() {
			for k, x := range m.MIME() {
				data[k] = x
			}
		})
	}
	if m, ok := v.(goimage.Image); ok && len(data) == 0 {
		method("At", func() {
			if b := encodeImage(m); b != nil {
				data["image/png"] = b
			}
		})
	}
	if m, ok := v.(matrix); ok && len(data) == 0 {
		method("At", func() {
			rows, cols := m.Dims()
			t := TableOptions{MaxCols: 12, Caption: fmt.Sprintf("%s %d×%d", strings.TrimPrefix(fmt.Sprintf("%T", v), "*"), rows, cols)}.Bundle(v)
			data["text/html"], data["text/plain"] = t.Data["text/html"], t.Data["text/plain"]
		})
	}
	if _, ok := data["text/plain"].(string); !ok {
		if _, isImage := v.(goimage.Image); isImage && data["image/png"] != nil {
			data["text/plain"] = fmt.Sprintf("[image, %v]", v.(goimage.Image).Bounds().Size())
		} else {
			data["text/plain"] = Format(v)
		}
	}
	if len(remarks) > 0 {
		data["text/plain"] = data["text/plain"].(string) + "\n" + strings.Join(remarks, "\n")
	}
	return Bundle{Data: data}
}

// encodeImage gives the PNG of an image of at most 16 million pixels, else nil: a page could not hold it.
func encodeImage(m goimage.Image) []byte {
	s := m.Bounds().Size()
	if s.X <= 0 || s.Y <= 0 || s.X > 1<<24/s.Y {
		return nil
	}
	var b bytes.Buffer
	if png.Encode(&b, m) != nil {
		return nil
	}
	return b.Bytes()
}

func isNilPointer(v any) bool {
	r := reflect.ValueOf(v)
	return r.Kind() == reflect.Pointer && r.IsNil()
}

func withPlain(b Bundle, text string) Bundle {
	data := map[string]any{}
	for k, v := range b.Data {
		data[k] = v
	}
	data["text/plain"] = text
	b.Data = data
	return b
}

func withText(b Bundle) Bundle {
	if _, ok := b.Data["text/plain"]; ok {
		return b
	}
	var mimes []string
	for k := range b.Data {
		mimes = append(mimes, k)
	}
	slices.Sort(mimes)
	return withPlain(b, "["+strings.Join(mimes, ", ")+"]")
}

// try runs f and returns what it panicked with, nil if it did not.
func try(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}
