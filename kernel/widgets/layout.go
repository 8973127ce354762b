package widgets

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"
)

// Layout is the CSS of a widget's place on the page. Values are as in CSS ("20em", "50%", "1px solid"); an empty field leaves
// the attribute as it is.
type Layout struct {
	Width, MinWidth, MaxWidth    string
	Height, MinHeight, MaxHeight string
	Margin, Padding              string
	Border                       string // all four; or one by one:
	BorderTop, BorderRight       string
	BorderBottom, BorderLeft     string
	Top, Right, Bottom, Left     string
	Display, Visibility          string
	Overflow, Order              string
	ObjectFit, ObjectPosition    string

	// Flexible boxes.
	Flex, FlexFlow                      string
	AlignContent, AlignItems, AlignSelf string
	JustifyContent, JustifyItems        string

	// Grids.
	GridArea, GridRow, GridColumn                            string
	GridGap                                                  string
	GridAutoColumns, GridAutoRows, GridAutoFlow              string
	GridTemplateAreas, GridTemplateColumns, GridTemplateRows string
}

// Style is how a widget looks. Each kind of widget has some of the fields; setting another one is an error. An empty field leaves the
// attribute as it is.
type Style struct {
	DescriptionWidth string // of the label to the left, as in CSS; "initial" makes it as wide as its text
	HandleColor      string // of sliders
	BarColor         string // of progress bars
	ButtonColor      string // of buttons
	ButtonWidth      string // of toggle buttons
	Background       string // of text, checkboxes

	FontFamily, FontSize, FontStyle, FontVariant, FontWeight string
	TextColor, TextDecoration                                string
}

// snake is a Go name as an attribute of ipywidgets.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// given lists the fields of a Layout or Style that are not empty, by attribute.
func given(v any) map[string]any {
	out := map[string]any{}
	r := reflect.ValueOf(v)
	for f, x := range r.Fields() {
		if s := x.String(); s != "" {
			out[snake(f.Name)] = s
		}
	}
	if s, ok := out["border"]; ok {
		delete(out, "border")
		for _, side := range []string{"top", "right", "bottom", "left"} {
			if out["border_"+side] == nil {
				out["border_"+side] = s
			}
		}
	}
	return out
}

var layoutClass = func() *class {
	a := attrs{}
	for f := range reflect.TypeFor[Layout]().Fields() {
		if f.Name != "Border" {
			a[snake(f.Name)] = textOrNull
		}
	}
	return newClass("Layout", nil, "", baseModule, baseVersion, "LayoutModel", baseModule, baseVersion, "LayoutView", a)
}()

// apply puts a Layout or Style into the model of it. what names the widget.
func apply(m *model, what string, values map[string]any) {
	for name := range values {
		if _, ok := m.class.attrs[name]; !ok {
			fail("%s: its style has no %s", what, name)
		}
	}
	if m.comm == nil {
		for name, v := range values {
			m.set(name, v)
		}
		return
	}
	if err := m.change(0, values); err != nil {
		panic(fmt.Errorf("widgets.%s: %w", what, err))
	}
}
