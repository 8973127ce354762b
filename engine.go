package main

import (
	"bytes"
	"context"
	"image/png"
	"slices"
	"strings"

	"example.org/godp/dp"
	"example.org/godp/install"
	"example.org/godp/kernel/display"
	"example.org/godp/kernel/notebook"
	"example.org/godp/kernel/session"
	"example.org/godp/kernel/widgets"
	"example.org/godp/kernel/worker"
	"example.org/godp/stdlib"
)

// newEngine makes a session whose cells have the standard library, gonum and this module's packages.
func newEngine(s worker.Streams) (worker.Engine, error) { return newSession(s, false) }

// newEngineNoShell is newEngine without !command and %%bash.
func newEngineNoShell(s worker.Streams) (worker.Engine, error) { return newSession(s, true) }

func newSession(s worker.Streams, noShell bool) (worker.Engine, error) {
	for _, f := range stdlib.Renderers(plotStyle) {
		display.Register(func(v any) (display.Bundle, bool) {
			data, ok := f(v)
			return display.Bundle{Data: data, Metadata: pictureSize(data)}, ok
		})
	}
	dp.SetSliceForms(session.Slices)
	stdlib.SetPoll(session.Poll)
	symbols := stdlib.Symbols()
	symbols["example.org/godp/kernel/display/display"] = display.Symbols()
	symbols["example.org/godp/kernel/widgets/widgets"] = widgets.Symbols()
	var this *session.Session // whose cells ask for releases
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
		Names:      widgets.NamesParameters,
		OnReset:    widgets.CloseAll,
		OnContext:  func(ctx context.Context) { dp.SetContext(dp.WithCallSite(ctx, this.Here)) },
		OnPanic:    s.Panic,
		DebugEvent: s.DebugEvent,
		NoShell:    noShell,
		Cells:      cellsOf,
		Budget:     budgets,
		Limits:     s.Limits,
		Bytes:      install.ParseBytes,
	})
	this = e
	return e, err
}

// cellsOf reads the code cells of a file, for %load.
func cellsOf(file string) ([]string, error) {
	nb, err := notebook.Open(file)
	if err != nil {
		return nil, err
	}
	var cells []string
	for _, c := range nb.Cells {
		if c.Type == "code" && !c.HasTag("skip-execution") {
			cells = append(cells, c.Source)
		}
	}
	return cells, nil
}

// budgets describes all ledgers of the session, for %budget.
func budgets() string {
	var lines []string
	for _, l := range dp.Ledgers() {
		lines = append(lines, l.String())
	}
	if len(lines) == 0 {
		return "no ledger is in use; dp.NewLedger makes one"
	}
	return strings.Join(lines, "\n")
}

// pictureSize is the metadata that shows a plot's PNG, which has two pixels for each of the page's, as large as its SVG.
func pictureSize(data map[string]any) map[string]any {
	b, ok := data["image/png"].([]byte)
	if !ok {
		return nil
	}
	c, err := png.DecodeConfig(bytes.NewReader(b))
	if err != nil {
		return nil
	}
	const page = 96 // pixels to the inch
	dpi := display.Plots().DPI
	return map[string]any{"image/png": map[string]any{"width": c.Width * page / dpi, "height": c.Height * page / dpi}}
}

// plotStyle is how the session wants its plots.
func plotStyle() stdlib.PlotStyle {
	s := display.Plots()
	return stdlib.PlotStyle{Width: s.Width, Height: s.Height, DPI: s.DPI, SVG: slices.Contains(s.Formats, "svg"), PNG: slices.Contains(s.Formats, "png")}
}
