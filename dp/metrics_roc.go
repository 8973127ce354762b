package dp

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// A Scorer gives a raw row a real score: the larger, the more likely +1.
type Scorer interface {
	Score(x []float64) float64
}

// scoresOf are the scores of all rows of d.
func scoresOf(m Scorer, d *Data) []float64 {
	if lm, ok := m.(*Model); ok {
		return lm.scores(d)
	}
	out := make([]float64, d.Len())
	row := make([]float64, d.Dim())
	for i := range out {
		out[i] = m.Score(d.x.Row(i, row))
	}
	return out
}

// A ROCCurve is the trade-off between false and true positives as the threshold on the score falls, and the area under it.
type ROCCurve struct {
	Name      string
	FPR, TPR  []float64 // from (0, 0) to (1, 1)
	Threshold []float64 // rows with a score ≥ Threshold are called +1; the first is +Inf
	AUC       float64   // probability that a random +1 row scores above a random −1 row, ties counted half
}

// ROC is the receiver operating characteristic of m on d, which must have rows of both labels. Equal scores are one point.
// On private rows it is itself a release. Cost O(n log n).
func ROC(m Scorer, d *Data) (*ROCCurve, error) {
	if !d.Binary() {
		return nil, badArg("ROC", "d", "data with classes", "labels must be -1 and +1")
	}
	s := scoresOf(m, d)
	order := make([]int, len(s))
	pos := 0
	for i := range order {
		order[i] = i
		if d.y[i] > 0 {
			pos++
		}
		if math.IsNaN(s[i]) {
			return nil, badArg("ROC", fmt.Sprintf("score of row %d", i), s[i], "scores must be numbers")
		}
	}
	neg := len(s) - pos
	if pos == 0 || neg == 0 {
		return nil, badArg("ROC", "d", fmt.Sprintf("%d rows +1, %d rows -1", pos, neg), "rows of both labels are required")
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case s[a] > s[b]:
			return -1
		case s[a] < s[b]:
			return 1
		}
		return 0
	})
	c := &ROCCurve{Name: "ROC", FPR: []float64{0}, TPR: []float64{0}, Threshold: []float64{math.Inf(1)}}
	tp, fp := 0, 0
	for i := 0; i < len(order); {
		at := s[order[i]]
		tp0, fp0 := tp, fp
		for ; i < len(order) && s[order[i]] == at; i++ {
			if d.y[order[i]] > 0 {
				tp++
			} else {
				fp++
			}
		}
		c.AUC += float64(fp-fp0) * float64(tp+tp0) / 2
		c.FPR, c.TPR, c.Threshold = append(c.FPR, float64(fp)/float64(neg)), append(c.TPR, float64(tp)/float64(pos)), append(c.Threshold, at)
	}
	c.AUC /= float64(pos) * float64(neg)
	return c, nil
}

// String is the area under the curve.
func (c *ROCCurve) String() string {
	return fmt.Sprintf("%s: AUC %.4f, %d thresholds", c.Name, c.AUC, len(c.Threshold)-1)
}

// A CalibrationBin compares predicted probabilities with observed frequencies.
type CalibrationBin struct {
	From, To float64 // predicted probability of +1
	Rows     int
	Mean     float64 // mean predicted probability, NaN when empty
	Positive float64 // share of +1 rows, NaN when empty
}

// A CalibrationTable is a reliability diagram in numbers.
type CalibrationTable struct {
	Bins []CalibrationBin
	ECE  float64 // expected calibration error Σ (rows/n)|Positive − Mean|
}

// Calibration bins the rows of d by the probability 1/(1+e^{−score}) that a logistic model predicts, into the given number of
// equal bins, and compares it with the share of +1 rows.
func Calibration(m Scorer, d *Data, bins int) (*CalibrationTable, error) {
	if !d.Binary() {
		return nil, badArg("Calibration", "d", "data with classes", "labels must be -1 and +1")
	}
	if bins < 1 {
		return nil, badArg("Calibration", "bins", bins, "must be at least 1")
	}
	t := &CalibrationTable{Bins: make([]CalibrationBin, bins)}
	for i, s := range scoresOf(m, d) {
		p := 1 / (1 + math.Exp(-s))
		b := &t.Bins[min(int(p*float64(bins)), bins-1)]
		b.Rows++
		b.Mean += p
		if d.y[i] > 0 {
			b.Positive++
		}
	}
	for k := range t.Bins {
		b := &t.Bins[k]
		b.From, b.To = float64(k)/float64(bins), float64(k+1)/float64(bins)
		b.Mean /= float64(b.Rows)
		b.Positive /= float64(b.Rows)
		if b.Rows > 0 {
			t.ECE += float64(b.Rows) / float64(d.Len()) * math.Abs(b.Positive-b.Mean)
		}
	}
	return t, nil
}

// String is the table as text.
func (t *CalibrationTable) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "expected calibration error %.4f\n  predicted      rows   mean  share of +1", t.ECE)
	for _, k := range t.Bins {
		fmt.Fprintf(&b, "\n  %.2f to %.2f  %6d  %.3f  %.3f", k.From, k.To, k.Rows, k.Mean, k.Positive)
	}
	return b.String()
}

// HTML is the table for a notebook.
func (t *CalibrationTable) HTML() string {
	var b strings.Builder
	b.WriteString("<table><tr><th>predicted</th><th>rows</th><th>mean</th><th>share of +1</th></tr>")
	for _, k := range t.Bins {
		fmt.Fprintf(&b, "<tr><td>%.2f to %.2f</td><td>%d</td><td>%.3f</td><td>%.3f</td></tr>", k.From, k.To, k.Rows, k.Mean, k.Positive)
	}
	fmt.Fprintf(&b, "</table><p>%s</p>", html.EscapeString(fmt.Sprintf("expected calibration error %.4f", t.ECE)))
	return b.String()
}

// MeanLoss is (1/n) Σ ℓ(y_i·score(x_i)).
func MeanLoss(m Scorer, d *Data, l Loss) float64 {
	sum := 0.0
	for i, s := range scoresOf(m, d) {
		sum += l.Value(d.y[i] * s)
	}
	return sum / float64(d.Len())
}
