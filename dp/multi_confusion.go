package dp

import (
	"fmt"
	"html"
	"strings"
)

// A ConfusionMatrix counts rows by true class (first index) and predicted class (second index). On private rows it is itself
// a release: one replaced record changes up to two counts of up to two rows.
type ConfusionMatrix struct {
	Count [][]int  // rows of true class i predicted as class j: Count[i][j]
	Names []string // of the classes
}

// Confusion counts the predictions of m on d. For ±1 labels class 0 is −1 and class 1 is +1.
func Confusion(m Classifier, d *Data) *ConfusionMatrix {
	names := d.ClassNames()
	c := &ConfusionMatrix{Names: names, Count: make([][]int, len(names))}
	for i := range c.Count {
		c.Count[i] = make([]int, len(names))
	}
	for i, p := range predictions(m, d) {
		k := int(p)
		if d.Binary() {
			k = 0
			if p > 0 {
				k = 1
			}
		}
		if k < 0 || k >= len(names) {
			panic(badArg("Confusion", "m", fmt.Sprintf("a classifier that predicts class %d", k), fmt.Sprintf("the data have %d classes", len(names))))
		}
		c.Count[d.Class(i)][k]++
	}
	return c
}

// Total is the number of rows counted.
func (c *ConfusionMatrix) Total() int {
	t := 0
	for _, r := range c.Count {
		for _, v := range r {
			t += v
		}
	}
	return t
}

// Accuracy is the share of the diagonal.
func (c *ConfusionMatrix) Accuracy() float64 {
	t := 0
	for i, r := range c.Count {
		t += r[i]
	}
	return float64(t) / float64(c.Total())
}

// Recall is the share of the rows of class k that were found, NaN if there are none.
func (c *ConfusionMatrix) Recall(k int) float64 {
	t := 0
	for _, v := range c.Count[k] {
		t += v
	}
	return float64(c.Count[k][k]) / float64(t)
}

// Precision is the share of the predictions of class k that were right, NaN if there were none.
func (c *ConfusionMatrix) Precision(k int) float64 {
	t := 0
	for _, r := range c.Count {
		t += r[k]
	}
	return float64(c.Count[k][k]) / float64(t)
}

// String is a table: one line for each true class.
func (c *ConfusionMatrix) String() string {
	var b strings.Builder
	w := 9
	for _, n := range c.Names {
		w = max(w, len([]rune(n))+1)
	}
	fmt.Fprintf(&b, "%-*s", w, "true \\ as")
	for _, n := range c.Names {
		fmt.Fprintf(&b, "%*s", w, n)
	}
	fmt.Fprintf(&b, "%*s\n", w, "recall")
	for i, r := range c.Count {
		fmt.Fprintf(&b, "%-*s", w, c.Names[i])
		for _, v := range r {
			fmt.Fprintf(&b, "%*d", w, v)
		}
		fmt.Fprintf(&b, "%*.3f\n", w, c.Recall(i))
	}
	fmt.Fprintf(&b, "accuracy %.4f on %d rows", c.Accuracy(), c.Total())
	return b.String()
}

// HTML is the table for a notebook, darker where more rows of a class went.
func (c *ConfusionMatrix) HTML() string {
	var b strings.Builder
	b.WriteString("<table" + plainClass + "><tr><th>true \\ predicted</th>")
	for _, n := range c.Names {
		fmt.Fprintf(&b, "<th>%s</th>", html.EscapeString(n))
	}
	b.WriteString("<th>recall</th></tr>")
	for i, r := range c.Count {
		fmt.Fprintf(&b, "<tr><th>%s</th>", html.EscapeString(c.Names[i]))
		t := 0
		for _, v := range r {
			t += v
		}
		for _, v := range r {
			share := 0.0
			if t > 0 {
				share = float64(v) / float64(t)
			}
			fmt.Fprintf(&b, `<td style="text-align:right;background:rgba(70,130,180,%.2f)">%d</td>`, 0.7*share, v)
		}
		fmt.Fprintf(&b, `<td style="text-align:right">%.3f</td></tr>`, c.Recall(i))
	}
	fmt.Fprintf(&b, "</table><p>accuracy %.4f on %d rows</p>", c.Accuracy(), c.Total())
	return b.String()
}
