package widgets

import (
	"fmt"
	"math"
)

// Int is a widget whose value is a whole number.
type Int struct{ base }

// Value is the number that the widget shows.
func (w *Int) Value() int { return get[int](w.m) }

// Set changes the number. It panics where the widget's bounds forbid v.
func (w *Int) Set(v int) { put(w.m, v) }

// OnChange calls f with the new value after changes, see the package comment for when.
func (w *Int) OnChange(f func(v int)) {
	watchAttr(w.m, "value", func() int { return w.m.state["value"].(int) }, f)
}

// Float is a widget whose value is a number.
type Float struct{ base }

// Value is the number that the widget shows.
func (w *Float) Value() float64 { return get[float64](w.m) }

// Set changes the number. It panics where the widget's bounds forbid v, or v is not finite.
func (w *Float) Set(v float64) { put(w.m, v) }

// OnChange calls f with the new value after changes, see the package comment for when.
func (w *Float) OnChange(f func(v float64)) {
	watchAttr(w.m, "value", func() float64 { return w.m.state["value"].(float64) }, f)
}

// IntRange is a widget whose value is two whole numbers, the first not above the second.
type IntRange struct{ base }

// Value is the range that the widget shows.
func (w *IntRange) Value() (low, high int) { v := get[[]int](w.m); return v[0], v[1] }

// Set changes the range. It panics where low is above high or the widget's bounds forbid them.
func (w *IntRange) Set(low, high int) { put(w.m, []int{low, high}) }

// OnChange calls f with the new range after changes, see the package comment for when.
func (w *IntRange) OnChange(f func(low, high int)) {
	watchAttr(w.m, "value", func() []int { return w.m.state["value"].([]int) }, func(v []int) { f(v[0], v[1]) })
}

// FloatRange is a widget whose value is two numbers, the first not above the second.
type FloatRange struct{ base }

// Value is the range that the widget shows.
func (w *FloatRange) Value() (low, high float64) { v := get[[]float64](w.m); return v[0], v[1] }

// Set changes the range. It panics where low is above high or the widget's bounds forbid them.
func (w *FloatRange) Set(low, high float64) { put(w.m, []float64{low, high}) }

// OnChange calls f with the new range after changes, see the package comment for when.
func (w *FloatRange) OnChange(f func(low, high float64)) {
	watchAttr(w.m, "value", func() []float64 { return w.m.state["value"].([]float64) }, func(v []float64) { f(v[0], v[1]) })
}

// get reads a widget's value.
func get[T any](m *model) T {
	mu.Lock()
	defer mu.Unlock()
	return m.state[m.class.value].(T)
}

// put sets a widget's value from a cell.
func put(m *model, v any) {
	mu.Lock()
	defer mu.Unlock()
	if err := m.change(0, map[string]any{m.class.value: v}); err != nil {
		fail("%s: Set: %v", m.class.name, err)
	}
}

// checkNumber checks the numbers of a widget with bounds, or without.
func checkNumber(m *model, attr string, v any) error {
	number := func(v any) (float64, bool) {
		switch v := v.(type) {
		case int:
			return float64(v), true
		case float64:
			return v, true
		}
		return 0, false
	}
	if x, ok := number(v); ok && (math.IsNaN(x) || math.IsInf(x, 0)) {
		return fmt.Errorf("%v is not a finite number", v)
	}
	low, bounded := number(m.state["min"])
	high, _ := number(m.state["max"])
	if m.class == floatLogSlider {
		b, _ := m.state["base"].(float64)
		low, high = math.Pow(b, low), math.Pow(b, high)
	}
	inside := func(x float64) error {
		slack := 1e-9 * math.Max(math.Abs(low), math.Abs(high)) // what a client rounds
		if bounded && !(x >= low-slack && x <= high+slack) {
			return fmt.Errorf("%v is not between %v and %v, the bounds of the widget", x, low, high)
		}
		return nil
	}
	switch attr {
	case "min", "max":
		if low > high {
			return fmt.Errorf("the lower bound %v is above the upper bound %v", m.state["min"], m.state["max"])
		}
		// The value must follow the bounds; who sets both at once is right in the end.
		if x, ok := number(m.state["value"]); ok {
			if err := inside(x); err != nil {
				return fmt.Errorf("the value %w", err)
			}
		}
	case "value":
		switch v := v.(type) {
		case int, float64:
			x, _ := number(v)
			return inside(x)
		case []int:
			if len(v) != 2 || v[0] > v[1] {
				return fmt.Errorf("%v is not a range: two numbers, the first not above the second", v)
			}
			return first(inside(float64(v[0])), inside(float64(v[1])))
		case []float64:
			if len(v) != 2 || !(v[0] <= v[1]) {
				return fmt.Errorf("%v is not a range: two numbers, the first not above the second", v)
			}
			return first(inside(v[0]), inside(v[1]))
		}
	case "step", "interval", "rows":
		if x, ok := number(v); ok && x <= 0 {
			return fmt.Errorf("%v is not positive", v)
		}
	}
	return nil
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// IntSlider is a slider over the whole numbers from min to max.
func IntSlider(value, min, max int, options ...Option) *Int {
	return &Int{base{build(intSlider, checkNumber, attrs{"value": value, "min": min, "max": max}, options)}}
}

// IntText is a field for a whole number.
func IntText(value int, options ...Option) *Int {
	return &Int{base{build(intText, checkNumber, attrs{"value": value}, options)}}
}

// BoundedIntText is a field for a whole number from min to max.
func BoundedIntText(value, min, max int, options ...Option) *Int {
	return &Int{base{build(boundedIntText, checkNumber, attrs{"value": value, "min": min, "max": max}, options)}}
}

// IntProgress is a progress bar from min to max. For the progress of a loop, display.Progress needs less.
func IntProgress(value, min, max int, options ...Option) *Int {
	return &Int{base{build(intProgress, checkNumber, attrs{"value": value, "min": min, "max": max}, options)}}
}

// Play is a button that counts from min to max, a step at every [Interval]: an animation, when it is linked to a slider.
func Play(value, min, max int, options ...Option) *Int {
	return &Int{base{build(play, checkNumber, attrs{"value": value, "min": min, "max": max}, options)}}
}

// IntRangeSlider is a slider with two handles over the whole numbers from min to max.
func IntRangeSlider(low, high, min, max int, options ...Option) *IntRange {
	return &IntRange{base{build(intRangeSlider, checkNumber, attrs{"value": []int{low, high}, "min": min, "max": max}, options)}}
}

// FloatSlider is a slider over the numbers from min to max. Its step is about a hundredth of that, unless [Step] says otherwise.
func FloatSlider(value, min, max float64, options ...Option) *Float {
	step, format := stepOf(min, max)
	return &Float{base{build(floatSlider, checkNumber, attrs{"value": value, "min": min, "max": max, "step": step, "readout_format": format}, options)}}
}

// FloatLogSlider is a slider over the numbers from min > 0 to max, that moves in steps of the logarithm: equal ways are equal
// factors. Its step is 0.1 in the exponent of ten, unless [Step] says otherwise. A value between two steps is moved to the nearest one when the widget is
// shown on a page.
func FloatLogSlider(value, min, max float64, options ...Option) *Float {
	if !(min > 0) || !(max >= min) {
		fail("FloatLogSlider: the bounds must be positive, the first not above the second: %v and %v are not", min, max)
	}
	return &Float{base{build(floatLogSlider, checkNumber, attrs{"value": value, "min": math.Log10(min), "max": math.Log10(max), "step": 0.1}, options)}}
}

// FloatText is a field for a number.
func FloatText(value float64, options ...Option) *Float {
	return &Float{base{build(floatText, checkNumber, attrs{"value": value}, options)}}
}

// BoundedFloatText is a field for a number from min to max.
func BoundedFloatText(value, min, max float64, options ...Option) *Float {
	return &Float{base{build(boundedFloatText, checkNumber, attrs{"value": value, "min": min, "max": max}, options)}}
}

// FloatProgress is a progress bar from min to max.
func FloatProgress(value, min, max float64, options ...Option) *Float {
	return &Float{base{build(floatProgress, checkNumber, attrs{"value": value, "min": min, "max": max}, options)}}
}

// FloatRangeSlider is a slider with two handles over the numbers from min to max.
func FloatRangeSlider(low, high, min, max float64, options ...Option) *FloatRange {
	step, format := stepOf(min, max)
	return &FloatRange{base{build(floatRangeSlider, checkNumber, attrs{"value": []float64{low, high}, "min": min, "max": max, "step": step, "readout_format": format}, options)}}
}

// stepOf is a power of ten near a hundredth of a slider's length, and a format that shows it.
func stepOf(min, max float64) (step float64, format string) {
	e := math.Floor(math.Log10((max-min)/100) + 1e-9)
	if math.IsNaN(e) || math.IsInf(e, 0) {
		e = -1 // the bounds are wrong, which is said elsewhere
	}
	digits := int(-e)
	if digits <= 0 {
		return math.Pow(10, e), ".0f"
	}
	return 1 / math.Pow(10, -e), fmt.Sprintf(".%df", max2(digits, 2))
}

func max2(a, b int) int { // the names min and max are taken for bounds here
	if a > b {
		return a
	}
	return b
}
