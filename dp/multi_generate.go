package dp

import (
	"fmt"
	"math"
)

// Shells makes n points of dim dimensions in the unit ball whose class is the shell they lie in: class c has radii around
// (c+½)/classes with standard deviation spread/classes (0 means 0.215), directions uniform. No linear classifier separates
// them; a Gaussian classifier does. It panics unless n ≥ 1, dim ≥ 1, classes ≥ 2.
func Shells(n, dim, classes int, spread float64, src *Source) *Data {
	const where = "Shells"
	checkGenerator(where, n, dim, classes)
	if spread == 0 {
		spread = 0.215
	}
	if !positive(spread) {
		panic(badArg(where, "spread", spread, "must be a finite number above 0 (0 means 0.215)"))
	}
	src = orSecure(src)
	rows, cls := make([][]float64, n), make([]int, n)
	for i := range rows {
		c := src.Intn(classes)
		r := math.Abs(float64(c)+0.5+spread*src.Norm()) / float64(classes)
		rows[i], cls[i] = make([]float64, dim), c
		s := 0.0
		for s == 0 {
			for j := range rows[i] {
				rows[i][j] = src.Norm()
				s += rows[i][j] * rows[i][j]
			}
		}
		for j := range rows[i] {
			rows[i][j] *= r / math.Sqrt(s)
		}
	}
	return generated(where, rows, cls, classes, "shell")
}

// GaussianClasses makes n points in the unit ball from one spherical Gaussian a class: the centres are drawn on the sphere of
// radius ½; the coordinates of class c have standard deviation spread·(0.6 + 0.8·c/(classes−1)) (spread 0 means 0.5/√dim), so
// that the best boundaries are curved. It panics unless n ≥ 1, dim ≥ 1, classes ≥ 2.
func GaussianClasses(n, dim, classes int, spread float64, src *Source) *Data {
	const where = "GaussianClasses"
	checkGenerator(where, n, dim, classes)
	if spread == 0 {
		spread = 0.5 / math.Sqrt(float64(dim))
	}
	if !positive(spread) {
		panic(badArg(where, "spread", spread, "must be a finite number above 0"))
	}
	src = orSecure(src)
	mu := make([][]float64, classes)
	for c := range mu {
		mu[c] = make([]float64, dim)
		s := 0.0
		for s == 0 {
			for j := range mu[c] {
				mu[c][j] = src.Norm()
				s += mu[c][j] * mu[c][j]
			}
		}
		for j := range mu[c] {
			mu[c][j] *= 0.5 / math.Sqrt(s)
		}
	}
	rows, cls := make([][]float64, n), make([]int, n)
	for i := range rows {
		c := src.Intn(classes)
		rows[i], cls[i] = make([]float64, dim), c
		for j := range rows[i] {
			rows[i][j] = mu[c][j] + spread*(0.6+0.8*float64(c)/float64(classes-1))*src.Norm()
		}
	}
	return generated(where, rows, cls, classes, "gauss")
}

// IrisLike makes n points with the shape of Fisher's iris measurements: three classes of four columns, one far from the other
// two, which overlap. The class means and the within-class standard deviations are the published ones (Fisher 1936), columns
// are independent within a class, and rows are centred at public values and scaled into the unit ball; no flower is in it.
func IrisLike(n int, src *Source) *Data {
	const where = "IrisLike"
	if n < 1 {
		panic(badArg(where, "n", n, "at least one row is required"))
	}
	means := [3][4]float64{{5.006, 3.428, 1.462, 0.246}, {5.936, 2.770, 4.260, 1.326}, {6.588, 2.974, 5.552, 2.026}}
	sds := [3][4]float64{{0.352, 0.379, 0.174, 0.105}, {0.516, 0.314, 0.470, 0.198}, {0.636, 0.322, 0.552, 0.275}}
	centre, scale := [4]float64{6, 3, 4, 1.2}, 4.0
	src = orSecure(src)
	rows, cls := make([][]float64, n), make([]int, n)
	for i := range rows {
		c := src.Intn(3)
		rows[i], cls[i] = make([]float64, 4), c
		for j := range rows[i] {
			rows[i][j] = (means[c][j] + sds[c][j]*src.Norm() - centre[j]) / scale
		}
	}
	d, err := NewClasses(rows, cls, []string{"setosa", "versicolor", "virginica"}, 1)
	if err != nil {
		panic(err) // not reachable: the arguments were checked
	}
	d.columns = []string{"sepal length", "sepal width", "petal length", "petal width"}
	return d
}

func checkGenerator(where string, n, dim, classes int) {
	switch {
	case n < 1:
		panic(badArg(where, "n", n, "at least one row is required"))
	case dim < 1:
		panic(badArg(where, "dim", dim, "must be at least 1"))
	case classes < 2:
		panic(badArg(where, "classes", classes, "must be at least 2"))
	}
}

func generated(where string, rows [][]float64, cls []int, classes int, kind string) *Data {
	names := make([]string, classes)
	for c := range names {
		names[c] = fmt.Sprintf("%s %d", kind, c+1)
	}
	d, err := NewClasses(rows, cls, names, 1)
	if err != nil {
		panic(fmt.Errorf("dp: %s: %w", where, err)) // not reachable: the arguments were checked
	}
	return d
}
