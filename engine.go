package main

import (
	"example.org/godp/dp"
	"example.org/godp/kernel/display"
	"example.org/godp/kernel/session"
	"example.org/godp/kernel/worker"
	"example.org/godp/stdlib"
)

// engine gives cells the standard library, gonum and this module's packages.
type engine struct{ *session.Session }

func newEngine(s worker.Streams) (worker.Engine, error) {
	for _, f := range stdlib.Renderers() {
		display.Register(func(v any) (display.Bundle, bool) {
			data, ok := f(v)
			return display.Bundle{Data: data}, ok
		})
	}
	symbols := stdlib.Symbols()
	symbols["example.org/godp/kernel/display/display"] = display.Symbols()
	e, err := session.New(session.Config{
		Symbols:    symbols,
		Export:     stdlib.Export,
		Doc:        stdlib.Doc,
		AutoImport: stdlib.AutoImport,
		Generic:    stdlib.GenericSource,
		WrapperFor: stdlib.WrapperFor,
		Stdout:     s.Stdout,
		Stderr:     s.Stderr,
		Stdin:      s.Stdin,
		OnContext:  dp.SetContext,
		OnPanic:    s.Panic,
	})
	if err != nil {
		return nil, err
	}
	return engine{e}, nil
}

func (engine) Complete(code string, cursor int) worker.Completion {
	return worker.Completion{Start: cursor, End: cursor}
}

func (engine) Inspect(code string, cursor, detail int) (display.Bundle, bool) {
	return display.Bundle{}, false
}
