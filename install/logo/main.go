// Command logo draws the kernel's logo: the density of Laplace noise, the picture of differential privacy, on a
// ground of the Go project's blue. Run it with go generate in the folder above.
package main

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log"
	"math"
	"os"
)

func main() {
	for _, n := range []int{32, 64} {
		f, err := os.Create(fmt.Sprintf("logo-%dx%d.png", n, n))
		if err != nil {
			log.Fatal(err)
		}
		if err := png.Encode(f, draw(n)); err != nil {
			log.Fatal(err)
		}
		if err := f.Close(); err != nil {
			log.Fatal(err)
		}
	}
}

// draw averages 8×8 samples for each pixel.
func draw(n int) image.Image {
	const over = 8
	m := image.NewNRGBA(image.Rect(0, 0, n, n))
	for py := range n {
		for px := range n {
			var r, g, b, a float64
			for s := range over * over {
				x := (float64(px) + (float64(s%over)+0.5)/over) / float64(n)
				y := (float64(py) + (float64(s/over)+0.5)/over) / float64(n)
				c := at(x, y)
				w := float64(c.A)
				r, g, b, a = r+w*float64(c.R), g+w*float64(c.G), b+w*float64(c.B), a+w
			}
			if a > 0 {
				m.SetNRGBA(px, py, color.NRGBA{uint8(math.Round(r / a)), uint8(math.Round(g / a)), uint8(math.Round(b / a)), uint8(math.Round(a / over / over))})
			}
		}
	}
	return m
}

// at is the colour at a point of the unit square.
func at(x, y float64) color.NRGBA {
	blue := color.NRGBA{0x00, 0x7d, 0x9c, 0xff}
	light := color.NRGBA{0xce, 0xf0, 0xf7, 0xff}
	white := color.NRGBA{0xff, 0xff, 0xff, 0xff}
	// A square with round corners.
	const corner = 0.18
	dx, dy := math.Max(math.Abs(x-0.5)-(0.5-corner), 0), math.Max(math.Abs(y-0.5)-(0.5-corner), 0)
	if math.Hypot(dx, dy) > corner {
		return color.NRGBA{}
	}
	const base, height, scale = 0.80, 0.62, 0.13
	curve := func(x float64) float64 { return base - height*math.Exp(-math.Abs(x-0.5)/scale) }
	if x < 0.1 || x > 0.9 {
		return blue
	}
	// Distance to the curve, by looking along it.
	d := math.Inf(1)
	for t := x - 0.06; t <= x+0.06; t += 0.002 {
		d = math.Min(d, math.Hypot(t-x, curve(t)-y))
	}
	switch {
	case d < 0.032:
		return white
	case y > curve(x) && y < base+0.02:
		return mix(blue, light, 0.45)
	}
	return blue
}

func mix(a, b color.NRGBA, t float64) color.NRGBA {
	f := func(x, y uint8) uint8 { return uint8(float64(x)*(1-t) + float64(y)*t) }
	return color.NRGBA{f(a.R, b.R), f(a.G, b.G), f(a.B, b.B), 0xff}
}
