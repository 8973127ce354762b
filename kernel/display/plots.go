package display

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// PlotSettings is how the plots of a session are drawn: see [PlotSize], [PlotDPI] and [PlotFormat].
type PlotSettings struct {
	Width, Height float64  // inches of one plot
	DPI           int      // pixels of the PNG per inch
	Formats       []string // "svg", "png" or both
}

var defaultPlots = PlotSettings{Width: 5, Height: 3.5, DPI: 192, Formats: []string{"svg", "png"}}

var plots = struct {
	sync.Mutex
	now PlotSettings
}{now: defaultPlots}

// Plots returns how plots are drawn now. Until something else is said: 5 by 3.5 inches, as SVG and as PNG of 192 pixels
// to the inch, twice a screen's, so that it stays sharp.
func Plots() PlotSettings {
	plots.Lock()
	defer plots.Unlock()
	s := plots.now
	s.Formats = slices.Clone(s.Formats)
	return s
}

// PlotSize sets the size in inches of the plots that are shown from now on; 0 and 0 restore 5 by 3.5. A page has 96 pixels
// to the inch. It panics where a side is under a tenth of an inch or over 100 inches, or would make a PNG of over 10,000 pixels.
func PlotSize(width, height float64) {
	if width == 0 && height == 0 {
		width, height = defaultPlots.Width, defaultPlots.Height
	}
	setPlots("PlotSize", func(s *PlotSettings) { s.Width, s.Height = width, height })
}

// PlotDPI sets the pixels per inch of the PNGs of plots; 0 restores 192. The size on the page stays the same. It panics
// outside 20 to 1200.
func PlotDPI(dpi int) {
	if dpi == 0 {
		dpi = defaultPlots.DPI
	}
	setPlots("PlotDPI", func(s *PlotSettings) { s.DPI = dpi })
}

// PlotFormat says as what plots are shown: "svg", "png" or both; no argument restores both. A notebook shows the SVG where it
// has both; a plot of very many points is better as PNG alone. It panics at other words.
func PlotFormat(formats ...string) {
	if len(formats) == 0 {
		formats = defaultPlots.Formats
	}
	formats = slices.Clone(formats)
	for i, f := range formats {
		formats[i] = strings.ToLower(strings.TrimPrefix(f, "."))
	}
	setPlots("PlotFormat", func(s *PlotSettings) { s.Formats = formats })
}

// setPlots changes the settings if what comes out can be drawn.
func setPlots(name string, change func(*PlotSettings)) {
	plots.Lock()
	defer plots.Unlock()
	s := plots.now
	change(&s)
	if err := s.check(); err != nil {
		panic(fmt.Errorf("display.%s: %w", name, err))
	}
	plots.now = s
}

func (s PlotSettings) check() error {
	for _, f := range s.Formats {
		if f != "svg" && f != "png" {
			return fmt.Errorf("%q is no format of plots; there are svg and png", f)
		}
	}
	if s.DPI < 20 || s.DPI > 1200 {
		return fmt.Errorf("%d pixels per inch; it takes 20 to 1200", s.DPI)
	}
	for _, x := range []float64{s.Width, s.Height} {
		if !(x >= 0.1 && x <= 100) {
			return fmt.Errorf("a plot of %v by %v inches; each side takes 0.1 to 100", s.Width, s.Height)
		}
		if x*float64(s.DPI) > 10_000 {
			return fmt.Errorf("a plot of %v by %v inches has over 10,000 pixels on a side at %d to the inch; make it smaller, or call PlotDPI before", s.Width, s.Height, s.DPI)
		}
	}
	return nil
}
