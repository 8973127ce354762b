package widgets

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// param is a parameter of a function with the widget that sets it.
type param struct {
	name    string
	typ     reflect.Type
	widget  Widget
	m       *model
	choices reflect.Value // for a menu of numbers: their slice
}

// value is what the widget says, as the parameter's type. mu is held.
func (p param) value() reflect.Value {
	v := p.m.state[p.m.class.value]
	switch p.m.class.value {
	case "index":
		labels := p.m.state["_options_labels"].([]string)
		switch i := v.(type) {
		case int:
			if p.choices.IsValid() {
				return p.choices.Index(i).Convert(p.typ)
			}
			return reflect.ValueOf(labels[i]).Convert(p.typ)
		case []int:
			return reflect.ValueOf(allChosen(p.m)).Convert(p.typ)
		default: // nothing is chosen
			return reflect.Zero(p.typ)
		}
	}
	return reflect.ValueOf(v).Convert(p.typ)
}

func isInt(t reflect.Type) bool   { return t.Kind() >= reflect.Int && t.Kind() <= reflect.Uintptr }
func isFloat(t reflect.Type) bool { return t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64 }

// paramsOf makes the widgets of a function's parameters.
func paramsOf(what string, f function, args []Arg) []param {
	t := f.Type()
	names, types := f.Params()
	if t.IsVariadic() {
		fail("%s: the function has a parameter …%s; say how many there are: each gets a widget", what, strings.TrimPrefix(types[len(types)-1], "[]"))
	}
	n := t.NumIn()
	for i := range names {
		if names[i] == "" || names[i] == "_" {
			names[i] = fmt.Sprintf("x%d", i+1)
		}
	}
	byParam := make([]*Arg, n)
	for i, a := range args {
		at := i
		if a.Name != "" {
			at = slices.Index(names, a.Name)
		}
		switch {
		case n == 0:
			fail("%s: the function has no parameters, and so no Arg", what)
		case at < 0:
			fail("%s: Arg %q: the function has no such parameter; it has %s", what, a.Name, strings.Join(names, ", "))
		case at >= n:
			fail("%s: there are %d Args, and the function has only the parameters %s", what, len(args), strings.Join(names, ", "))
		case byParam[at] != nil:
			fail("%s: there are two Args for the parameter %s", what, names[at])
		}
		byParam[at] = &args[i]
	}
	longest := 1 // label, so that the widgets stand in line
	for i := range n {
		if byParam[i] == nil {
			byParam[i] = &Arg{}
		}
		a := *byParam[i]
		a.Name = names[i]
		if a.Label == "" {
			a.Label = a.Name
		}
		if t.In(i).Kind() != reflect.Bool { // the label of a checkbox stands to the right
			longest = max(longest, utf8.RuneCountInString(a.Label))
		}
		byParam[i] = &a
	}
	var params []param
	for i := range n {
		p := param{name: names[i], typ: t.In(i)}
		p.make(what, types[i], *byParam[i], longest)
		params = append(params, p)
	}
	return params
}

// make makes the parameter's widget.
func (p *param) make(what, typeName string, a Arg, longest int) {
	bad := func(format string, x ...any) {
		fail("%s: the parameter %s (%s): %s", what, p.name, typeName, fmt.Sprintf(format, x...))
	}
	number := isInt(p.typ) || isFloat(p.typ)
	manySet := p.typ.Kind() == reflect.Slice && p.typ.Elem().Kind() == reflect.String
	if !number && !manySet && p.typ.Kind() != reflect.Bool && p.typ.Kind() != reflect.String {
		bad("no widget can set it. Parameters are numbers, bools, strings and []string; the function can use variables of other cells for the rest")
	}
	defer func() { // what the widget itself objects to, with the name of the parameter
		if e := recover(); e != nil {
			text := strings.TrimPrefix(fmt.Sprint(e), "widgets.")
			if strings.HasPrefix(text, what+":") {
				panic(e)
			}
			bad("%s", text)
		}
	}()
	if a.Widget != nil {
		p.own(what, a, bad)
		return
	}
	opts := []Option{Description(a.Label), WithStyle(Style{DescriptionWidth: fmt.Sprintf("%dch", longest+1)}), WithLayout(Layout{Width: fmt.Sprintf("calc(22em + %dch)", longest)})}
	if a.Delayed && (number || p.typ.Kind() == reflect.String) && a.Choices == nil {
		opts = append(opts, Continuous(false))
	}
	if (a.Min != 0 || a.Max != 0 || a.Log || a.Step != 0) && (!number || a.Choices != nil) {
		bad("Min, Max, Step and Log are for numbers that a slider sets")
	}
	switch {
	case a.Choices != nil:
		p.menu(a, opts, bad)
	case manySet:
		bad("set Choices, the texts to choose from")
	case number:
		p.slider(a, opts, bad)
	case p.typ.Kind() == reflect.Bool:
		v, ok := a.Value.(bool)
		if a.Value != nil && !ok {
			bad("Value must be a bool, not %s", kindOf(a.Value))
		}
		p.widget = Checkbox(v, opts...)
	default:
		v, ok := a.Value.(string)
		if a.Value != nil && !ok {
			bad("Value must be a string, not %s", kindOf(a.Value))
		}
		p.widget = Text(v, opts...)
	}
	p.m = modelOf(what, p.widget)
}

func (p *param) own(what string, a Arg, bad func(string, ...any)) {
	p.widget, p.m = a.Widget, modelOf(what, a.Widget)
	c := p.m.class
	ok := false
	switch c.attrs[c.value].kind {
	case integer:
		ok = isInt(p.typ) || isFloat(p.typ)
	case float:
		ok = isFloat(p.typ)
	case boolean:
		ok = p.typ.Kind() == reflect.Bool
	case text:
		ok = p.typ.Kind() == reflect.String
	case intOrNull:
		ok = c.value == "index" && p.typ.Kind() == reflect.String
	case integers:
		ok = c.value == "index" && p.typ.Kind() == reflect.Slice && p.typ.Elem().Kind() == reflect.String
	}
	if c.value == "" || !ok {
		bad("the value of %s does not fit it", c.a())
	}
}

func (p *param) slider(a Arg, opts []Option, bad func(string, ...any)) {
	if a.Min == 0 && a.Max == 0 {
		switch {
		case a.Log:
			bad("set Min and Max, positive bounds, for a logarithmic slider")
		case isInt(p.typ):
			a.Max = 10
		default:
			a.Max = 1
		}
	}
	if !(a.Min < a.Max) || math.IsInf(a.Max-a.Min, 0) {
		bad("Min must be below Max, and both finite: %v and %v are not", a.Min, a.Max)
	}
	value, err := numberOf(a.Value)
	if err != nil {
		bad("Value: %v", err)
	}
	if a.Step != 0 {
		opts = append(opts, Step(a.Step))
	}
	switch {
	case a.Format != "":
		opts = append(opts, Format(a.Format))
	case a.Step > 0 && !a.Log && isFloat(p.typ):
		opts = append(opts, Format(fmt.Sprintf(".%df", digitsOf(a.Step))))
	}
	switch {
	case a.Log && isInt(p.typ):
		bad("a logarithmic slider sets floating-point numbers; let the function round")
	case a.Log:
		if a.Min <= 0 {
			bad("Min must be positive for a logarithmic slider, not %v", a.Min)
		}
		if a.Value == nil {
			value = math.Sqrt(a.Min * a.Max)
		}
		if !(value >= a.Min && value <= a.Max) {
			bad("Value %v is not between %v and %v", value, a.Min, a.Max)
		}
		// The page moves it to the nearest step anyway, which would be a change, and another call.
		step, low := 0.1, math.Log10(a.Min)
		if a.Step > 0 {
			step = a.Step
		}
		value = min(math.Pow(10, low+step*math.Round((math.Log10(value)-low)/step)), a.Max)
		p.widget = FloatLogSlider(value, a.Min, a.Max, opts...)
	case isInt(p.typ):
		if a.Value == nil {
			value = math.Floor((a.Min + a.Max) / 2)
		}
		for _, x := range []float64{a.Min, a.Max, value} {
			if x != math.Trunc(x) || math.Abs(x) > 1<<53 {
				bad("Min, Max and Value must be whole numbers, not %v", x)
			}
			if x < 0 && p.typ.Kind() >= reflect.Uint {
				bad("%v is negative", x)
			}
			if reflect.Zero(p.typ).CanInt() && reflect.Zero(p.typ).OverflowInt(int64(x)) || reflect.Zero(p.typ).CanUint() && reflect.Zero(p.typ).OverflowUint(uint64(x)) {
				bad("%v is beyond its type", x)
			}
		}
		p.widget = IntSlider(int(value), int(a.Min), int(a.Max), opts...)
	default:
		if a.Value == nil {
			value = (a.Min + a.Max) / 2
		}
		p.widget = FloatSlider(value, a.Min, a.Max, opts...)
	}
}

// digitsOf is how many decimals the multiples of a step need, at most 6.
func digitsOf(step float64) int {
	d := 0
	for x := step; d < 6 && math.Abs(x-math.Round(x)) > 1e-9*x; d++ {
		x *= 10
	}
	return d
}

// menu makes a menu of texts or numbers.
func (p *param) menu(a Arg, opts []Option, bad func(string, ...any)) {
	v := reflect.ValueOf(a.Choices)
	if v.Kind() != reflect.Slice {
		bad("Choices must be a []string, []float64 or []int, not %s", kindOf(a.Choices))
	}
	el := v.Type().Elem()
	text := el.Kind() == reflect.String
	if !text && !isInt(el) && !isFloat(el) {
		bad("Choices must be a []string, []float64 or []int, not %s", kindOf(a.Choices))
	}
	if text != (p.typ.Kind() == reflect.String || p.typ.Kind() == reflect.Slice) || isFloat(el) && isInt(p.typ) || p.typ.Kind() == reflect.Bool {
		bad("Choices is %s, whose elements do not fit it", kindOf(a.Choices))
	}
	if v.Len() == 0 {
		bad("Choices is empty")
	}
	var labels []string
	for i := range v.Len() {
		labels = append(labels, fmt.Sprint(v.Index(i).Interface()))
	}
	if p.typ.Kind() == reflect.Slice {
		p.widget = SelectMultiple(labels, opts...)
		return
	}
	w := Dropdown(labels, opts...)
	if a.Value != nil {
		i := slices.Index(labels, fmt.Sprint(a.Value))
		if i < 0 {
			bad("Value %v is not one of the Choices", a.Value)
		}
		w.Set(labels[i])
	}
	if !text {
		p.choices = v
	}
	p.widget = w
}

// numberOf reads a number of any kind; nil is 0.
func numberOf(v any) (float64, error) {
	if v == nil {
		return 0, nil
	}
	r := reflect.ValueOf(v)
	switch {
	case r.CanInt():
		return float64(r.Int()), nil
	case r.CanUint():
		return float64(r.Uint()), nil
	case r.CanFloat():
		return r.Float(), nil
	}
	return 0, fmt.Errorf("it must be a number, not %s", kindOf(v))
}
