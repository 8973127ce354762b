package widgets

// String is a widget whose value is a text.
type String struct{ base }

// Value is the text.
func (w *String) Value() string { return get[string](w.m) }

// Set changes the text.
func (w *String) Set(v string) { put(w.m, v) }

// OnChange calls f with the new text after changes, see the package comment for when.
func (w *String) OnChange(f func(v string)) {
	watchAttr(w.m, "value", func() string { return w.m.state["value"].(string) }, f)
}

func words(c *class, value string, opts []Option) *String {
	return &String{base{build(c, nil, attrs{"value": value}, opts)}}
}

// Text is a field for a line of text.
func Text(value string, options ...Option) *String { return words(textLine, value, options) }

// Textarea is a field for several lines of text.
func Textarea(value string, options ...Option) *String { return words(textarea, value, options) }

// Password is a field for a text that is not shown. The text is nevertheless kept in the state of the widget, and so in a notebook that
// is saved with its widgets.
func Password(value string, options ...Option) *String { return words(password, value, options) }

// Label is a text beside other widgets; TeX between dollar signs is typeset.
func Label(value string, options ...Option) *String { return words(label, value, options) }

// HTML shows HTML, unescaped: the caller vouches for it.
func HTML(value string, options ...Option) *String { return words(htmlText, value, options) }

// HTMLMath shows HTML, unescaped, in which TeX between dollar signs is typeset: the caller vouches for it.
func HTMLMath(value string, options ...Option) *String { return words(htmlMath, value, options) }

// Bool is a widget that is on or off.
type Bool struct{ base }

// Value tells whether the widget is on.
func (w *Bool) Value() bool { return get[bool](w.m) }

// Set switches the widget.
func (w *Bool) Set(v bool) { put(w.m, v) }

// OnChange calls f with the new value after changes, see the package comment for when.
func (w *Bool) OnChange(f func(v bool)) {
	watchAttr(w.m, "value", func() bool { return w.m.state["value"].(bool) }, f)
}

// Checkbox is a box with a tick. Its [Description] stands to the right.
func Checkbox(value bool, options ...Option) *Bool {
	return &Bool{base{build(checkbox, nil, attrs{"value": value}, options)}}
}

// ToggleButton is a button that stays down.
func ToggleButton(value bool, options ...Option) *Bool {
	return &Bool{base{build(toggleButton, nil, attrs{"value": value}, options)}}
}

// Valid is a mark, green or red, that says whether something is right.
func Valid(value bool, options ...Option) *Bool {
	return &Bool{base{build(valid, nil, attrs{"value": value}, options)}}
}
