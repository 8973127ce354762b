package dp

import (
	"math"
	"slices"
	"sort"
)

// supStep is δ, the change of a row's slope (in units of the loss) and of its log curvature across a cell of margins, see marginGrid.
const supStep = 1.0 / 16

// sup1 is the supremum of |L| over the outputs of a one-dimensional mechanism, where
//
//	L(f) = κ(|b₁| − |b₀|) + ln H₀ − ln H₁ ,  H = a + Σ wᵢxᵢ²ℓ″(zᵢ) ,  zᵢ = yᵢxᵢf .
//
// The line is cut at both sides of every jump of ℓ″, at the zeros of b₀ and b₁ (corners of L), and by scan, whose points are so close that
// between two of them each ln H changes by at most 2δ and κ(b₁ − b₀), which is made by the differing rows only, by at most 2δ. Outside the zeros of b the latter is the
// first term of L up to its sign; between them that term is ±κ(b₀ + b₁), which is monotone and is bisected where its ends differ. So no
// maximum can stand more than about 6δ above the points beside it, however narrow it is in f: what could be missed by looking only at the points is
// a second maximum inside one interval. Each interval is looked at in its middle as well, and where its highest value and twice the range of the three
// could exceed the best, the maximum in it is found by golden section.
func (o *objectiveLoss) sup1() (float64, []float64) {
	best, at := 0.0, 0.0
	f1 := make([]float64, 1)
	try := func(f float64) float64 {
		f1[0] = f
		v := math.Abs(o.at(f1))
		if math.IsNaN(v) {
			return 0
		}
		if v > best {
			best, at = v, f
		}
		return v
	}
	pts := o.scan()
	for _, c := range o.breaks() {
		e := 1e-13 * (1 + math.Abs(c))
		pts = append(pts, c-e, c+e)
	}
	far := 1.0
	for _, f := range pts {
		far = math.Max(far, math.Abs(f))
	}
	for _, s := range []float64{2, 100, 1e6} { // L has its limits at ±∞
		if !math.IsInf(s*far, 0) {
			pts = append(pts, -s*far, s*far)
		}
	}
	sort.Float64s(pts)
	pts = slices.Compact(pts)
	type interval struct{ a, b, low, high float64 }
	var all []interval
	var look func(a, b, va, vb float64)
	look = func(a, b, va, vb float64) {
		if b-a < 1e-12*(1+math.Abs(a)) { // the two sides of a jump
			return
		}
		m := a + (b-a)/2
		vm := try(m)
		if math.Max(math.Abs(vm-va), math.Abs(vm-vb)) > 4*supStep+best/64 && !math.IsInf(va+vb+vm, 0) {
			look(a, m, va, vm)
			look(m, b, vm, vb)
			return
		}
		all = append(all, interval{a, b, min(va, vm, vb), max(va, vm, vb)})
	}
	prev := try(pts[0])
	for k := 1; k < len(pts); k++ {
		v := try(pts[k])
		look(pts[k-1], pts[k], prev, v)
		prev = v
	}
	sort.Slice(all, func(i, j int) bool { return all[i].high > all[j].high })
	for _, c := range all {
		if c.high+2*(c.high-c.low) > best+1e-10 {
			try(goldenMin(func(f float64) float64 { return -try(f) }, c.a, c.b))
		}
	}
	return best, []float64{at}
}

// scan lists outputs between which the margin of no row passes more than two cells of marginGrid. The number of them does not grow with the number of
// rows, but with the range of |xᵢ|: a step is at least the narrowest cell that a row is in.
func (o *objectiveLoss) scan() []float64 {
	var slope, curv float64 // Σ w|x| of the rows that differ, Σ wx² of the larger side
	seen := map[float64]bool{}
	for side, s := range o.side {
		for _, i := range o.own[side] {
			slope += s.weight(i) * math.Abs(s.x[i][0])
		}
		sum := 0.0
		for i, x := range s.x {
			sum += s.weight(i) * x[0] * x[0]
			if x[0] != 0 {
				seen[s.y[i]*x[0]] = true
			}
		}
		curv = math.Max(curv, sum)
	}
	if len(seen) == 0 || curv == 0 {
		return []float64{-1, 0, 1}
	}
	unit := o.kappa
	if o.sigma > 0 {
		unit = 1 / o.sigma
	}
	// A slope that alone makes a loss of hundreds needs no cells of δ; without regularisation (a free intercept) α would be 0.
	zs := marginGrid(o.loss, math.Min(unit*slope, 100/o.loss.L), math.Max(o.reg[0]/curv, 1e-15*o.loss.C))
	end := math.Max(-zs[0], zs[len(zs)-1])
	var factors []float64
	f, stop := 0.0, 0.0
	for s := range seen {
		if r := end / math.Abs(s); !math.IsInf(r, 0) {
			factors = append(factors, s)
			f, stop = math.Min(f, -r), math.Max(stop, r)
		}
	}
	pts := []float64{f}
	for f < stop {
		next := stop
		for _, s := range factors {
			z := s * f
			if s > 0 {
				if k := sort.Search(len(zs), func(k int) bool { return zs[k] > z }); k+1 < len(zs) {
					next = math.Min(next, zs[k+1]/s)
				}
			} else if k := sort.SearchFloat64s(zs, z) - 1; k > 0 {
				next = math.Min(next, zs[k-1]/s)
			}
		}
		f = math.Max(next, math.Nextafter(f, math.Inf(1)))
		pts = append(pts, f)
	}
	return pts
}

// marginGrid cuts the margins into cells across which slope·ℓ' changes by at most δ and ln(α + ℓ″) by at most δ, except at a jump.
// With α = a/Σwx² the sum of rows H = Σ wx²(α + ℓ″) then changes by a factor of at most e^δ. A spike of ℓ″ between the points that are
// looked at shows in ℓ', its integral: the mean curvature of a cell must agree with that at its ends.
func marginGrid(l Loss, slope, alpha float64) []float64 {
	const narrow = 1e-9 // a cell this narrow holds a jump
	var out []float64
	var cut func(a, b, ga, gb, ha, hb float64)
	cut = func(a, b, ga, gb, ha, hb float64) {
		w := b - a
		mean := math.Max(0, math.Abs(gb-ga)-1e-15*l.L) / w
		la, lb, lm := math.Log(alpha+ha), math.Log(alpha+hb), math.Log(alpha+mean)
		rough := slope*math.Abs(gb-ga) > supStep || math.Abs(la-lb) > supStep || lm > math.Max(la, lb)+supStep
		if m := a + w/2; rough && w > narrow*math.Max(1, math.Abs(a)) {
			gm, hm := l.Grad(m), l.Hess(m)
			cut(a, m, ga, gm, ha, hm)
			cut(m, b, gm, gb, hm, hb)
			return
		}
		out = append(out, b)
	}
	var start []float64
	for z := 1e6; z > 8; z /= 2 {
		start = append(start, -z, z)
	}
	for z := -8.0; z <= 8; z += 0.125 {
		start = append(start, z)
	}
	sort.Float64s(start)
	out = append(out, start[0])
	a, ga, ha := start[0], l.Grad(start[0]), l.Hess(start[0])
	for _, b := range start[1:] {
		gb, hb := l.Grad(b), l.Hess(b)
		cut(a, b, ga, gb, ha, hb)
		a, ga, ha = b, gb, hb
	}
	return out
}
