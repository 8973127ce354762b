package dp

import (
	"fmt"
	"math"
)

// A Packing is a list of databases that are close to each other (GroupSize records apart) although their exact SVMs are far
// apart (Separation): whatever is accurate on all of them tells them apart, and so cannot be very private. Run any mechanism
// on Data[0], Data[1], … and watch the bound bite.
type Packing struct {
	Data       []*Data   // the databases
	GroupSize  int       // records in which two of them differ
	Separation float64   // smallest sup-distance over the domain between two exact solutions
	MaxAcc     float64   // the bound speaks about accuracies below this
	Weights    []float64 // exact solutions w_i of the linear constructions (Lemma 17), else nil
	Kernel     Kernel    // the kernel of the construction
	C          float64   // the cost for which the solutions were computed
	AlphaPos   float64   // Lemma 19: dual variables of the positive and of the negative records
	AlphaNeg   float64   // of every negative record
	Source     string    // the lemma it comes from

	domain float64 // linear constructions: accuracy is asked on [−domain, domain]
}

// Lemma17 makes the two databases of Lemma 17 (linear kernel, hinge loss, one dimension): ⌊n/2⌋ copies of (−M, −1), the rest
// up to n−1 of (M, +1) and a last record (M−m, ∓1), M = 2nε/C, m = nε/C. Their exact solutions are 2ε apart in sup norm on
// [−1, 1] as long as ε < √(C/(2n(2n−1))) (the paper's √C/(2n) is sufficient); beyond that the second one saturates at 1/M,
// and the separation returned is what is really there. Needs N ≥ 2, C and Accuracy.
func (f SVMFacts) Lemma17() (Packing, error) {
	if err := f.needLower("Lemma17", 2); err != nil {
		return Packing{}, err
	}
	if !positive(f.Accuracy) {
		return Packing{}, badArg("Lemma17", "Accuracy", f.Accuracy, "must be a finite number above 0")
	}
	s := rpLemma17(f.N, f.C, f.Accuracy)
	p := Packing{GroupSize: 1, Separation: math.Abs(s.w1 - s.w2), C: f.C, Kernel: LinearKernel(), Weights: []float64{s.w1, s.w2}, Source: rbht + ", Lemma 17", domain: 1}
	p.MaxAcc = p.Separation / 2
	for _, last := range []float64{-1, 1} {
		var rows [][]float64
		var labels []float64
		for i := 0; i < f.N-1; i++ {
			y := 1.0
			if i < f.N/2 {
				y = -1
			}
			rows, labels = append(rows, []float64{y * s.m}), append(labels, y)
		}
		rows, labels = append(rows, []float64{s.m - s.dev}), append(labels, last)
		d, err := NewData(rows, labels, s.m)
		if err != nil {
			return Packing{}, err
		}
		p.Data = append(p.Data, d)
	}
	return p, nil
}

// Lemma17Threshold is the accuracy up to which Lemma17's databases are 2ε apart: √(C/(2n(2n−1))), or AsPublished √C/(2n).
func (f SVMFacts) Lemma17Threshold(v Flavour) Bound {
	b := Bound{Quantity: "ε (accuracy)", Relation: "≤", Source: rbht + ", Lemma 17", Flavour: v, Confidence: 1, Conditions: need("N", f.N, "C", f.C),
		Formula: `\sqrt{\frac{C}{2n(2n-1)}}`, Numbers: texf(`\sqrt{\frac{%v}{2\cdot %v(2\cdot %v-1)}}`, f.C, f.N, f.N)}
	s := rpLemma17(f.N, f.C, 1)
	b.Value = s.threshold
	if v == AsPublished {
		b.Value, b.Formula, b.Numbers = s.simple, `\frac{\sqrt C}{2n}`, texf(`\frac{\sqrt{%v}}{2\cdot %v}`, f.C, f.N)
	}
	return b.finish().simulated(f.simLemma17(b.Value))
}

// Lemma17Cancelling makes the stronger packing: N odd, (n−1)/2 copies each of (R, +1) and (R, −1), which cancel, and a last
// record (|a|, sign a): the exact solution is w = Ca/n, provided CR²/n ≤ 1. It returns ⌈CR²/(nε)⌉ pairwise neighbours whose
// solutions are more than 2ε apart in sup norm on [−R, R], for any Accuracy ε < CR²/n (0: the two extremes a = ±R).
func (f SVMFacts) Lemma17Cancelling(radius float64) (Packing, error) {
	const where = "Lemma17Cancelling"
	if err := f.needLower(where, 3); err != nil {
		return Packing{}, err
	}
	if !positive(radius) {
		return Packing{}, badArg(where, "radius", radius, "must be a finite number above 0")
	}
	if f.N%2 == 0 {
		return Packing{}, badArg(where, "N", f.N, "must be odd, so that the other records cancel")
	}
	lim := f.C * radius * radius / float64(f.N)
	if lim > 1 {
		return Packing{}, badArg(where, "C·R²/N", lim, "must be at most 1: the last record alone must not reach margin 1")
	}
	k := 2
	if f.Accuracy != 0 {
		if !(f.Accuracy > 0 && f.Accuracy < lim) {
			return Packing{}, badArg(where, "Accuracy", f.Accuracy, fmt.Sprintf("must lie strictly between 0 and C·R²/N = %g", lim))
		}
		k = rpPack17(f.N, f.C, radius, f.Accuracy)
	}
	p := Packing{GroupSize: 1, Separation: 2 * lim / float64(k-1), C: f.C, Kernel: LinearKernel(), Source: "strengthened Lemma 17 (cancelling pairs)", domain: radius}
	p.MaxAcc = p.Separation / 2
	for t := 0; t < k; t++ {
		a := radius * (2*float64(t)/float64(k-1) - 1)
		var rows [][]float64
		var labels []float64
		for i := 0; i < f.N-1; i++ {
			rows, labels = append(rows, []float64{radius}), append(labels, float64(1-2*(i%2)))
		}
		rows, labels = append(rows, []float64{math.Abs(a)}), append(labels, sign(a))
		d, err := NewData(rows, labels, radius)
		if err != nil {
			return Packing{}, err
		}
		p.Data, p.Weights = append(p.Data, d), append(p.Weights, f.C*a/float64(f.N))
	}
	return p, nil
}

// Lemma17Unbounded makes the pair that rules out any accuracy on an unbounded domain: n−1 copies of (1, +1) and a last record
// (R, ±1) with R > n. The solutions' distance on [−R, R] grows linearly in R.
func (f SVMFacts) Lemma17Unbounded(radius float64) (Packing, error) {
	const where = "Lemma17Unbounded"
	if err := f.needLower(where, 2); err != nil {
		return Packing{}, err
	}
	if !(radius > float64(f.N)) || math.IsInf(radius, 1) {
		return Packing{}, badArg(where, "radius", radius, fmt.Sprintf("must be finite and above N = %d", f.N))
	}
	p := Packing{GroupSize: 1, C: f.C, Kernel: LinearKernel(), Source: "unbounded domain (after Lemma 17)", domain: radius}
	wNeg, wPos := rpCluster17(f.N, f.C, 1, 1-radius)
	p.Weights = []float64{wPos, wNeg}
	p.Separation = math.Abs(wPos-wNeg) * radius
	p.MaxAcc = p.Separation / 2
	for _, y := range []float64{1, -1} {
		var rows [][]float64
		var labels []float64
		for i := 0; i < f.N-1; i++ {
			rows, labels = append(rows, []float64{1}), append(labels, 1)
		}
		d, err := NewData(append(rows, []float64{radius}), append(labels, y), radius)
		if err != nil {
			return Packing{}, err
		}
		p.Data = append(p.Data, d)
	}
	return p, nil
}

// Lemma19 makes the packing of Lemma 19 for the RBF kernel of width PackingSigma: GroupSize positive records (1 in the paper)
// at an angle 2πi/N on the unit circle, the others negative at the origin. sharp takes the largest N for which the centres
// are far enough apart, ⌊π/arcsin(σ√(ln2/2))⌋, instead of the paper's ⌊(2/σ)√(2/ln2)⌋. Needs σ < √(1/(2 ln 2)) and
// GroupSize ≤ N/C.
func (f SVMFacts) Lemma19(sharp bool) (Packing, error) {
	const where = "Lemma19"
	f = f.defaults()
	if err := f.needLower(where, 2); err != nil {
		return Packing{}, err
	}
	sg, m := f.PackingSigma, f.GroupSize
	if !(sg > 0 && sg < math.Sqrt(1/(2*math.Ln2))) {
		return Packing{}, badArg(where, "PackingSigma", sg, "must lie strictly between 0 and √(1/(2 ln 2)) = 0.849")
	}
	if m < 1 || m >= f.N || float64(m)*f.C > float64(f.N) {
		return Packing{}, badArg(where, "GroupSize", m, fmt.Sprintf("must be at least 1, below N = %d and at most N/C = %g", f.N, float64(f.N)/f.C))
	}
	s := rpLemma19(f.N, f.C, sg)
	k := s.packing
	if sharp {
		k = s.sharp
	}
	nn, mm := float64(f.N), float64(m)
	sn := math.Sin(math.Pi / float64(k))
	maxK := math.Exp(-2 / (sg * sg) * sn * sn)
	p := Packing{GroupSize: m, Kernel: RBF(sg), C: f.C, Source: rbht + ", Lemma 19", AlphaPos: f.C / nn,
		AlphaNeg:   math.Min(f.C/nn, (1+mm*f.C*s.gamma/nn)/(nn-mm)),
		Separation: mm * f.C / nn * (1 - maxK), MaxAcc: mm * f.C / (4 * nn)}
	for i := 0; i < k; i++ {
		t := 2 * math.Pi * float64(i) / float64(k)
		var rows [][]float64
		var labels []float64
		for j := 0; j < f.N-m; j++ {
			rows, labels = append(rows, []float64{0, 0}), append(labels, -1)
		}
		for j := 0; j < m; j++ {
			rows, labels = append(rows, []float64{math.Cos(t), math.Sin(t)}), append(labels, 1)
		}
		d, err := NewData(rows, labels, 1)
		if err != nil {
			return Packing{}, err
		}
		p.Data = append(p.Data, d)
	}
	return p, nil
}

func (f SVMFacts) needLower(where string, least int) error {
	if f.N < least {
		return badArg(where, "N", f.N, fmt.Sprintf("must be at least %d", least))
	}
	if !positive(f.C) {
		return badArg(where, "C", f.C, "the cost must be a finite number above 0")
	}
	return nil
}

// LowerBound is the privacy that usefulness with failure probability fail costs on this packing at accuracies below MaxAcc:
// ε ≥ (1/m) ln((1−δ)(N−1)/δ), where N is the number of databases and m the records in which they differ.
func (p Packing) LowerBound(fail float64) Bound {
	k := len(p.Data)
	b := Bound{Quantity: "ε (privacy)", Relation: "≥", Source: p.Source, Flavour: Corrected, Confidence: 1,
		Conditions:  failureCondition(fail),
		Formula:     `\frac1m\ln\frac{(1-\delta)(N-1)}{\delta}`,
		Numbers:     texf(`\frac1{%v}\ln\frac{(1-%v)(%v-1)}{%v}`, p.GroupSize, fail, k, fail),
		Value:       rpBetaPacking(fail, k, p.GroupSize),
		Assumptions: []string{fmt.Sprintf("the mechanism is within ε' < %.4g of the exact SVM on the whole domain with probability at least 1−δ", p.MaxAcc)}}
	return b.finish().simulated(p.simPrivate(b.Value, fail))
}

// Theorem18 is the lower bound of two neighbouring databases: ε ≥ ln((1−δ)/δ).
func (f SVMFacts) Theorem18() Bound {
	b := Bound{Quantity: "ε (privacy)", Relation: "≥", Source: rbht + ", Theorem 18", Flavour: Corrected, Confidence: 1,
		Conditions: failureCondition(f.Failure), Formula: `\ln\frac{1-\delta}{\delta}`, Numbers: texf(`\ln\frac{1-%v}{%v}`, f.Failure, f.Failure),
		Value: rpBetaPacking(f.Failure, 2, 1), Remark: "With the paper's Definition 2 read as printed (Pr ≥ δ) replace δ by 1−δ. Vacuous for δ ≥ ½."}
	if p, err := f.simCancelling(); err != nil {
		b = b.simulated(failedSimulation(err))
	} else {
		b = b.simulated(p.simPrivate(b.Value, f.Failure))
	}
	return b.finish()
}

// MinFailure18 is the smallest failure probability an Eps-private mechanism can have on two such databases: 1/(1+e^ε).
// AsPublished it is e^{−ε}, which is more than the proof shows and is false at ε = 0, where a coin flip fails half the time.
func (f SVMFacts) MinFailure18(v Flavour) Bound {
	b := Bound{Quantity: "δ (failure)", Relation: "≥", Source: rbht + ", Theorem 18", Flavour: v, Confidence: 1,
		Formula: `\frac1{1+e^{\varepsilon}}`, Numbers: texf(`\frac1{1+e^{%v}}`, f.Eps), Value: rpMinFail(f.Eps, 2)}
	if !(f.Eps >= 0) {
		b.Conditions = []Condition{condition(false, "Eps is not negative", "Eps = %g", f.Eps)}
	}
	if v == AsPublished {
		b.Formula, b.Numbers, b.Value, b.NotAProof = `e^{-\varepsilon}`, texf(`e^{-%v}`, f.Eps), math.Exp(-f.Eps), true
		b.Remark = "Not what the proof gives: at ε = 0 it says δ ≥ 1, and a fair coin between the two answers has δ = ½."
	}
	if p, err := f.simCancelling(); err != nil {
		b = b.simulated(failedSimulation(err))
	} else {
		b = b.simulated(p.simResponse(f.Eps, b.Value))
	}
	return b.finish()
}

// Theorem20 is the lower bound for the RBF kernel of width PackingSigma, valid at accuracies below GroupSize·C/(4N):
// (1/m) ln((1−δ)(N−1)/δ) with the paper's packing number (AsPublished, Corrected) or the sharp one (Tight). AsPublished it
// claims accuracies up to n/(4C), a misprint of C/(4n).
func (f SVMFacts) Theorem20(v Flavour) Bound {
	f = f.defaults()
	b := Bound{Quantity: "ε (privacy)", Relation: "≥", Source: rbht + ", Theorem 20", Flavour: v, Confidence: 1,
		Conditions: append(need("N", f.N, "C", f.C, "PackingSigma", f.PackingSigma, "Accuracy", f.Accuracy), failureCondition(f.Failure)...),
		Formula:    `\frac1m\ln\frac{(1-\delta)(N-1)}{\delta}`}
	b.Conditions = append(b.Conditions, condition(f.PackingSigma < math.Sqrt(1/(2*math.Ln2)), "$\\sigma<\\sqrt{1/(2\\ln2)}$", "σ = %g", f.PackingSigma))
	lim := float64(f.GroupSize) * f.C / (4 * float64(f.N))
	if v == AsPublished {
		lim = float64(f.N) / (4 * f.C)
		b.Remark, b.NotAProof = "The printed range of accuracies, n/(4C), is a misprint of C/(4n).", f.Accuracy >= f.C/(4*float64(f.N))
		f.GroupSize = 1
	}
	b.Conditions = append(b.Conditions,
		condition(f.Accuracy < lim, "the accuracy is small enough", "%g < %g", f.Accuracy, lim),
		condition(float64(f.GroupSize)*f.C <= float64(f.N), "$mC\\le n$", "%g ≤ %d", float64(f.GroupSize)*f.C, f.N))
	k, sharp := rpPack19(f.PackingSigma)
	if v == Tight {
		k = sharp
	}
	b.Numbers = texf(`\frac1{%v}\ln\frac{(1-%v)(%v-1)}{%v}`, f.GroupSize, f.Failure, k, f.Failure)
	b.Value = rpBetaPacking(f.Failure, k, f.GroupSize)
	if p, err := f.Lemma19(v == Tight); err != nil {
		b = b.simulated(failedSimulation(err))
	} else {
		b = b.simulated(p.simPrivate(b.Value, f.Failure))
	}
	return b.finish()
}
