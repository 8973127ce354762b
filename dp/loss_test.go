package dp

import (
	"math"
	"strings"
	"testing"
)

func allLosses() []Loss {
	return []Loss{Logistic(), Huber(0.5), Huber(0.1), Huber(0.01), Huber(2), SmoothHinge(0.5), SmoothHinge(0.1), Hinge()}
}

func TestLossOracles(t *testing.T) {
	for _, fn := range []string{"HuberLoss", "SmoothHinge (JMLR l_s)", "LogisticLoss"} {
		for _, o := range oracles(t, fn) {
			var l Loss
			switch h := o.num("h"); fn {
			case "HuberLoss":
				l = Huber(h)
			case "LogisticLoss":
				l = Logistic()
			default:
				l = SmoothHinge(h)
			}
			z := []float64{o.num("z")}
			v, g, c := make([]float64, 1), make([]float64, 1), make([]float64, 1)
			l.Batch(z, v, g, c)
			for _, x := range []struct {
				what            string
				scalar, batched float64
			}{{"value", l.Value(z[0]), v[0]}, {"grad", l.Grad(z[0]), g[0]}, {"hess", l.Hess(z[0]), c[0]}} {
				want := o.out(x.what)
				if math.IsNaN(want) { // unspecified at a kink
					continue
				}
				// Values near a decimal kink are exact only to about an ulp of the margin: absolute 1e-12 besides.
				if math.Abs(x.scalar-want) > 1e-10*math.Abs(want) && math.Abs(x.scalar-want) > 1e-16 && !(strings.Contains(o.ID, "h0.1") && math.Abs(x.scalar-want) < 1e-12) {
					t.Errorf("%s %s: got %.17g, want %.17g", o.ID, x.what, x.scalar, want)
				}
				if math.Abs(x.batched-x.scalar) > 1e-15*(1+math.Abs(x.scalar)) {
					t.Errorf("%s %s: batch %.17g, scalar %.17g", o.ID, x.what, x.batched, x.scalar)
				}
			}
		}
	}
}

func TestLossConstantOracles(t *testing.T) {
	for _, o := range oracles(t, "LossConstantC") {
		l := Logistic()
		switch o.Inputs["loss"] {
		case "huber":
			l = Huber(o.num("h"))
		case "smooth":
			l = SmoothHinge(o.num("h"))
		}
		near(t, o.ID, l.C, o.out("c"), 1e-14)
	}
}

func TestLossesPassTheirCheck(t *testing.T) {
	for _, l := range allLosses() {
		if err := l.Check(); err != nil {
			t.Errorf("%s: %v", l.Name, err)
		}
	}
}

// Every false claim must be refused, with a message that names it.
func TestCheckRefusesFalseClaims(t *testing.T) {
	edit := func(f func(*Loss)) Loss { l := Logistic(); l.Batch, l.logistic = nil, false; f(&l); return l }
	for _, c := range []struct {
		name, want string
		loss       Loss
	}{
		{"L too small", "exceeds the declared L", edit(func(l *Loss) { l.L = 0.9 })},
		{"C too small", "declared C", edit(func(l *Loss) { l.C = 0.2 })},
		{"L missing", "L = 0", edit(func(l *Loss) { l.L = 0 })},
		{"C missing", "C = 0", edit(func(l *Loss) { l.C = 0 })},
		{"no value", "required", Loss{Name: "empty"}},
		{"no hess", "Hess is required", edit(func(l *Loss) { l.Hess = nil })},
		{"wrong grad", "not the derivative", edit(func(l *Loss) { l.Grad = func(z float64) float64 { return -0.5 / (1 + math.Exp(z)) } })},
		{"wrong hess", "ℓ''", edit(func(l *Loss) { l.Hess = func(z float64) float64 { return 0.01 } })},
		{"increasing", "non-increasing", edit(func(l *Loss) {
			l.Grad = func(z float64) float64 { return 0.5 }
			l.Value = func(z float64) float64 { return z / 2 }
			l.Hess = func(float64) float64 { return 0 }
		})},
		{"not convex", "convex", edit(func(l *Loss) {
			l.Value = func(z float64) float64 { return -math.Log1p(math.Exp(z)) }
			l.Grad = func(z float64) float64 { return -1 / (1 + math.Exp(-z)) }
			l.Hess = func(z float64) float64 { return 0 }
		})},
		{"NaN", "finite", edit(func(l *Loss) { l.Value = func(z float64) float64 { return math.NaN() } })},
		{"batch differs", "Batch", func() Loss { l := Logistic(); l.Batch = func(z, v, g, h []float64) {}; return l }()},
		{"negative h", "Huber: h = -0.5", Huber(-0.5)},
		{"zero h", "SmoothHinge: h = 0", SmoothHinge(0)},
		{"copy with a smaller C", "declared C", func() Loss { l := Huber(0.5); l.C = 0.1; return l }()},
	} {
		err := c.loss.Check()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
}

// Gradient and curvature against central differences, and convexity, on random margins.
func TestLossFiniteDifferences(t *testing.T) {
	src := Seed(3)
	for _, l := range allLosses() {
		if !l.Smooth() {
			continue
		}
		for range 2000 {
			z := 3 * src.Norm()
			const dz = 1e-6
			fd := (l.Value(z+dz) - l.Value(z-dz)) / (2 * dz)
			if math.Abs(fd-l.Grad(z)) > 1e-8+l.C*dz {
				t.Fatalf("%s: slope at %g is %g, finite difference %g", l.Name, z, l.Grad(z), fd)
			}
			fd = (l.Grad(z+dz) - l.Grad(z-dz)) / (2 * dz)
			lo, hi := math.Min(l.Hess(z-dz), l.Hess(z+dz)), math.Max(l.Hess(z-dz), l.Hess(z+dz))
			if fd < lo-1e-4*l.C || fd > hi+1e-4*l.C {
				t.Fatalf("%s: curvature at %g is %g, finite difference %g", l.Name, z, l.Hess(z), fd)
			}
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	l := Huber(0.5)
	for b.Loop() {
		if err := l.Check(); err != nil {
			b.Fatal(err)
		}
	}
}
