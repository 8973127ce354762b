package stdlib

// Wrap makes a compiled value that implements an interface over a cell's value. Its keys are "path.Name", as in
// "sort.Interface" or "io.Writer", and "error". The value has a method Dynamic() Dynamic that gives the cell's value back, and
// two such values are equal when the cell's values are.
var Wrap = wraps()

func wraps() map[string]func(Dynamic) any {
	m := map[string]func(Dynamic) any{"error": func(v Dynamic) any { return wrapError{v} }}
	for _, p := range packages() {
		for _, w := range p.Wraps {
			m[p.Path+"."+w.Name] = w.New
		}
	}
	return m
}

type wrapError struct{ V Dynamic }

func (w wrapError) Dynamic() Dynamic { return w.V }
func (w wrapError) Error() string    { return w.V.Method("Error").(func() string)() }
