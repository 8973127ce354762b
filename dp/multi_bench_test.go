package dp

import "testing"

// The whole private fit at n = 100,000, d = 50, 10 classes: noise, certified minimiser, rounding.
func BenchmarkPrivateLargeMargin(b *testing.B) {
	d := GaussianClasses(100000, 50, 10, 0.08, Seed(1))
	for _, mode := range []GaussianMode{FullGaussian, DiagGaussian, SphericalGaussian} {
		b.Run(string(mode), func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				m, err := PrivateLargeMargin{Eps: 1, Lambda: 1e-3, Mode: mode, Rand: Seed(uint64(i))}.Train(d)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(1-ErrorRate(m, d), "accuracy")
			}
		})
	}
}

func BenchmarkSVM(b *testing.B) {
	lin := blobs(50000, 105, 0.3, Seed(1))
	rbf := blobs(5000, 20, 0.2, Seed(2))
	for name, run := range map[string]func() error{
		"linear50000x105": func() error { _, err := SVM{C: 50000, Tol: 1e-4, Rand: Seed(1)}.Train(lin); return err },
		"rbf5000x20":      func() error { _, err := SVM{C: 5000, Kernel: RBF(1), Tol: 1e-4, Rand: Seed(1)}.Train(rbf); return err },
		"private50000x105": func() error {
			_, err := PrivateSVMFinite{Eps: 1, C: 1000, Rand: Seed(1)}.Train(lin)
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				if err := run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
