package widgets

import (
	"fmt"
	"math"
	"strings"

	"example.org/godp/kernel/comm"
	"example.org/godp/kernel/display"
)

// Widget is any widget of this package: what boxes hold and links join.
type Widget interface {
	// ModelID is the widget's name in the protocol: the id of its comm.
	ModelID() string
}

// base is what all widgets have.
type base struct{ m *model }

// ModelID is the widget's name in the protocol: the id of its comm.
func (b base) ModelID() string { return b.m.id }

// MIME is how front ends are told to show the widget.
func (b base) MIME() map[string]any {
	mu.Lock()
	defer mu.Unlock()
	return map[string]any{
		"text/plain": b.m.String(),
		"application/vnd.jupyter.widget-view+json": map[string]any{"version_major": 2, "version_minor": 0, "model_id": b.m.id},
	}
}

// String is the widget's name and settings.
func (b base) String() string {
	mu.Lock()
	defer mu.Unlock()
	return b.m.String()
}

// Show shows the widget, as the last value of a cell is shown.
func (b base) Show() { display.Send(display.Bundle{Data: b.MIME()}) }

// Configure changes settings of the widget, on all its views.
func (b base) Configure(options ...Option) {
	mu.Lock()
	defer mu.Unlock()
	for _, o := range options {
		o.apply(b.m)
	}
}

// Close takes the widget off the page. Its value can still be read.
func (b base) Close() {
	mu.Lock()
	defer mu.Unlock()
	b.m.close()
}

// CloseAll takes all widgets off the page.
func CloseAll() {
	mu.Lock()
	defer mu.Unlock()
	for len(order) > 0 {
		order[0].close()
	}
}

// Poll runs the handlers that wait, inside the running cell, and returns how many there were. A cell that goes on for long calls it where
// it is ready for them; without it they run after the cell. It must be called by the cell itself, not by a goroutine it has started.
func Poll() int { return comm.Poll() }

// modelOf returns the model of a widget. mu need not be held.
func modelOf(what string, w Widget) *model {
	if w == nil {
		fail("%s: a widget is nil", what)
	}
	mu.Lock()
	defer mu.Unlock()
	m := models[w.ModelID()]
	if m == nil {
		fail("%s: a widget is closed, or not one of this package (%T)", what, w)
	}
	return m
}

// make opens a widget with its layout and style.
func build(c *class, check func(*model, string, any) error, values map[string]any, opts []Option) *model {
	m := newModel(c)
	m.check = check
	for name, v := range values {
		m.set(name, v)
	}
	if _, ok := c.attrs["layout"]; ok {
		m.part("layout", layoutClass)
	}
	if c.style != nil {
		m.part("style", c.style)
	}
	for _, o := range opts {
		o.apply(m)
	}
	for _, p := range m.parts {
		p.open()
	}
	m.open()
	return m
}

func (m *model) part(attr string, c *class) {
	p := newModel(c)
	m.set(attr, p)
	m.parts = append(m.parts, p)
}

// Option is a setting of a widget, for the function that makes it or for Configure.
type Option struct {
	name  string
	apply func(m *model) // with mu held if m is open
}

func option(name, attr string, v any) Option {
	return Option{name, func(m *model) {
		a, ok := m.class.attrs[attr]
		if !ok {
			fail("%s: %s has no %s", name, m.class.a(), attr)
		}
		switch x := v.(type) {
		case float64:
			if a.kind == integer || a.kind == intOrNull {
				if x != math.Trunc(x) || math.Abs(x) > 1<<53 {
					fail("%s: %s takes whole numbers, not %v", name, m.class.a(), x)
				}
				v = int(x)
			}
		}
		m.assign(name, map[string]any{attr: v})
	}}
}

// assign sets attributes of a model, open or not.
func (m *model) assign(what string, values map[string]any) {
	if m.comm != nil {
		if err := m.change(0, values); err != nil {
			panic(fmt.Errorf("widgets.%s: %s: %w", what, m.class.name, err))
		}
		return
	}
	for name, v := range values {
		m.set(name, v)
	}
}

// Description is the label to the left of a widget, or on a button. TeX between dollar signs is typeset.
func Description(text string) Option { return option("Description", "description", text) }

// DescriptionHTML lets the description contain HTML, which the caller vouches for.
func DescriptionHTML() Option { return option("DescriptionHTML", "description_allow_html", true) }

// Step is how far a slider or number field moves at a time; for [FloatLogSlider], in the exponent of ten. It is positive.
func Step(by float64) Option {
	if !(by > 0) || math.IsInf(by, 0) {
		fail("Step: %v is not positive and finite", by)
	}
	return option("Step", "step", by)
}

// Format is how a slider writes its value, in the syntax of d3-format: ".2f", ".3g", "d".
func Format(f string) Option { return option("Format", "readout_format", f) }

// Continuous says whether the value follows while a slider is held or a text is typed, or (false) only at the end of it.
func Continuous(on bool) Option { return option("Continuous", "continuous_update", on) }

// Readout says whether a slider writes its value.
func Readout(on bool) Option { return option("Readout", "readout", on) }

// Vertical turns a slider, a progress bar or radio buttons: down the page, or (false) across it.
func Vertical(on bool) Option {
	return option("Vertical", "orientation", map[bool]string{true: "vertical", false: "horizontal"}[on])
}

// Disabled greys a widget out, or (false) not.
func Disabled(on bool) Option { return option("Disabled", "disabled", on) }

// Tooltip is shown when the pointer rests on the widget.
func Tooltip(text string) Option { return option("Tooltip", "tooltip", text) }

// Placeholder is shown in a text field that is empty.
func Placeholder(text string) Option { return option("Placeholder", "placeholder", text) }

// Icon is a Font Awesome icon of a button, without its "fa-".
func Icon(name string) Option { return option("Icon", "icon", name) }

// Rows is the height of a [Textarea], [Select] or [SelectMultiple] in lines.
func Rows(n int) Option {
	if n < 1 {
		fail("Rows: %d is not at least 1", n)
	}
	return option("Rows", "rows", n)
}

// Interval is the time between the steps of [Play] in milliseconds.
func Interval(ms int) Option {
	if ms < 1 {
		fail("Interval: %d ms is not at least 1", ms)
	}
	return option("Interval", "interval", ms)
}

// Repeat lets [Play] begin again at the end.
func Repeat(on bool) Option { return option("Repeat", "repeat", on) }

// Titles are the headings of the pages of [Tab] and [Accordion].
func Titles(titles ...string) Option { return option("Titles", "titles", titles) }

// Selected is the open page of [Tab] and [Accordion], counted from 0; −1 for none.
func Selected(page int) Option {
	if page < 0 {
		return option("Selected", "selected_index", nil)
	}
	return option("Selected", "selected_index", page)
}

// Indent says whether a [Checkbox] stands in line with widgets that have a description.
func Indent(on bool) Option { return option("Indent", "indent", on) }

var looks = []string{"", "primary", "success", "info", "warning", "danger"}

// Look is a ready-made colour of a button, a progress bar or a box: "primary" (not for progress bars), "success", "info", "warning",
// "danger", or "" for the plain one.
func Look(name string) Option {
	if !contains(looks, name) {
		fail("Look: %q is not one of %s", name, strings.Join(looks[1:], ", "))
	}
	return Option{"Look", func(m *model) {
		for _, a := range []string{"button_style", "bar_style", "box_style"} {
			if _, ok := m.class.attrs[a]; ok {
				m.assign("Look", map[string]any{a: name})
				return
			}
		}
		fail("Look: %s has none", m.class.a())
	}}
}

// Class adds CSS classes to the widget's element.
func Class(names ...string) Option { return option("Class", "_dom_classes", names) }

// WithLayout sets the place of the widget on the page.
func WithLayout(l Layout) Option {
	return Option{"WithLayout", func(m *model) {
		p, _ := m.state["layout"].(*model)
		if p == nil {
			fail("WithLayout: %s has no layout", m.class.a())
		}
		apply(p, m.class.name, given(l))
	}}
}

// WithStyle sets the look of the widget.
func WithStyle(s Style) Option {
	return Option{"WithStyle", func(m *model) {
		p, _ := m.state["style"].(*model)
		if p == nil {
			fail("WithStyle: %s has no style", m.class.a())
		}
		apply(p, m.class.name, given(s))
	}}
}

// Between sets the bounds of a slider, number field or progress bar; for [FloatLogSlider] the bounds of the value, not of its exponent.
func Between(min, max float64) Option {
	if !(min < max) || math.IsInf(min, 0) || math.IsInf(max, 0) {
		fail("Between: %v and %v are not finite bounds, the first below the second", min, max)
	}
	return Option{"Between", func(m *model) {
		lo, hi := any(min), any(max)
		switch m.class.attrs["min"].kind {
		case integer:
			if _, ok := m.class.attrs["min"]; !ok {
				fail("Between: %s has no bounds", m.class.a())
			}
			if min != math.Trunc(min) || max != math.Trunc(max) {
				fail("Between: %s takes whole numbers, not %v and %v", m.class.a(), min, max)
			}
			lo, hi = int(min), int(max)
		case float:
			if m.class == floatLogSlider {
				if min <= 0 {
					fail("Between: the bounds of a FloatLogSlider are positive, not %v", min)
				}
				lo, hi = math.Log10(min), math.Log10(max)
			}
		default:
			fail("Between: %s has no bounds", m.class.a())
		}
		m.assign("Between", map[string]any{"min": lo, "max": hi})
	}}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
