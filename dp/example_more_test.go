package dp_test

import (
	"fmt"
	"os"
	"path/filepath"

	"example.org/godp/dp"
)

func ExampleLoadGaussian() {
	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	d := dp.Shells(300, 2, 3, 0, dp.Seed(1))
	m, err := dp.PrivateLargeMargin{Eps: 5, Rand: dp.Seed(2)}.Train(d)
	if err != nil {
		panic(err)
	}
	path := filepath.Join(dir, "shells.json")
	if err := m.Save(path); err != nil {
		panic(err)
	}
	back, err := dp.LoadGaussian(path)
	if err != nil {
		panic(err)
	}
	fmt.Println(dp.ErrorRate(back, d) == dp.ErrorRate(m, d), back.Guarantee.Eps)
	// Output: true 5
}

func ExampleLoadOneVsRest() {
	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	m, err := dp.OneVsRest{Eps: 3, Fit: func(eps float64, d *dp.Data) (*dp.Model, error) {
		return dp.ObjectivePerturbation{Eps: eps, Lambda: 0.01, Rand: dp.Seed(1)}.Train(d)
	}}.Train(dp.IrisLike(150, dp.Seed(1)))
	if err != nil {
		panic(err)
	}
	path := filepath.Join(dir, "iris.json")
	if err := m.Save(path); err != nil {
		panic(err)
	}
	back, err := dp.LoadOneVsRest(path)
	if err != nil {
		panic(err)
	}
	fmt.Println(len(back.Models), "models,", back.Guarantee.Eps)
	// Output: 3 models, 3
}
