// Command svm trains SVMs on a LIBSVM file and prints one JSON line for each goal; compare.py runs it beside LIBLINEAR
// and LIBSVM.
//
//	svm FILE COLUMNS KERNEL C GOAL...     KERNEL: linear, or rbf:SIGMA; GOAL: relative duality gap
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"example.org/godp/dp"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 5 {
		return fmt.Errorf("usage: svm FILE COLUMNS KERNEL C GOAL...")
	}
	f, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer f.Close()
	dim, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	d, err := dp.ReadLIBSVM(f, dim, nil, 1e6)
	if err != nil {
		return err
	}
	var k dp.Kernel
	if s, ok := strings.CutPrefix(args[2], "rbf:"); ok {
		sigma, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return err
		}
		k = dp.RBF(sigma)
	}
	c, err := strconv.ParseFloat(args[3], 64)
	if err != nil {
		return err
	}
	for _, a := range args[4:] {
		goal, err := strconv.ParseFloat(a, 64)
		if err != nil {
			return err
		}
		start := time.Now()
		m, err := dp.SVM{C: c, Kernel: k, Tol: goal, Rand: dp.Seed(1)}.Train(d)
		if err != nil {
			return err
		}
		json.NewEncoder(os.Stdout).Encode(map[string]any{"goal": goal, "seconds": time.Since(start).Seconds(), "primal": m.Primal,
			"dual": m.Dual, "gap": m.Gap, "passes": m.Passes, "support": len(m.Support)})
	}
	return nil
}
