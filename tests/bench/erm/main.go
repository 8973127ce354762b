// Command erm measures private empirical risk minimisation; compare.py runs it beside scikit-learn and diffprivlib.
//
//	erm dense FILE N D A...      fits on N×D float64 rows followed by N labels (little endian), for each sum-form
//	                             regularisation A: non-private and objective perturbation, CPU seconds, best of five
//	erm adult                    private fits on Adult in sparse form, many sharing the data: milliseconds a fit
//	erm kdd N                    one private fit on N synthetic KDD-shaped sparse rows: seconds and peak memory
package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"syscall"
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
	switch {
	case len(args) > 4 && args[0] == "dense":
		return dense(args[1], args[2], args[3], args[4:])
	case len(args) == 1 && args[0] == "adult":
		return adult()
	case len(args) == 2 && args[0] == "kdd":
		n, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		return kdd(n)
	}
	return fmt.Errorf("usage: erm dense FILE N D A... | erm adult | erm kdd N")
}

// usage is the processor time of this process and its peak memory.
func usage() (cpu float64, peakMiB float64) {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9, float64(r.Maxrss) / 1024
}

func emit(v map[string]any) error { return json.NewEncoder(os.Stdout).Encode(v) }

// best runs f five times and returns the least processor and wall time.
func best(f func() error) (cpu, wall float64, err error) {
	cpu, wall = math.Inf(1), math.Inf(1)
	for range 5 {
		c0, _ := usage()
		t0 := time.Now()
		if err := f(); err != nil {
			return 0, 0, err
		}
		c1, _ := usage()
		cpu, wall = min(cpu, c1-c0), min(wall, time.Since(t0).Seconds())
	}
	return cpu, wall, nil
}

func dense(file, ns, ds string, as []string) error {
	n, err := strconv.Atoi(ns)
	if err != nil {
		return err
	}
	dim, err := strconv.Atoi(ds)
	if err != nil {
		return err
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if len(raw) != 8*n*(dim+1) {
		return fmt.Errorf("%s has %d bytes, not %d", file, len(raw), 8*n*(dim+1))
	}
	at := func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:])) }
	rows, y := make([][]float64, n), make([]float64, n)
	for i := range rows {
		rows[i] = make([]float64, dim)
		for j := range rows[i] {
			rows[i][j] = at(i*dim + j)
		}
		y[i] = at(n*dim + i)
	}
	d, err := dp.NewData(rows, y, 1)
	if err != nil {
		return err
	}
	for _, s := range as {
		a, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return err
		}
		for _, l := range []dp.Loss{dp.Logistic(), dp.Huber(0.5)} {
			var m *dp.Model
			for _, t := range []dp.Trainer{
				dp.NonPrivate{Lambda: a / float64(n), Loss: l},
				dp.ObjectivePerturbation{Eps: 1, Lambda: a / float64(n), Loss: l},
			} {
				cpu, wall, err := best(func() (err error) { m, err = t.Train(d); return err })
				if err != nil {
					return err
				}
				out := map[string]any{"method": fmt.Sprintf("%T", t), "loss": l.Name, "a": a, "cpu": cpu, "wall": wall, "certificate": m.Guarantee.Certificate}
				if _, ok := t.(dp.NonPrivate); ok {
					out["weights"] = m.Weights
				}
				if err := emit(out); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func adult() error {
	d, err := dp.LoadAdult()
	if err != nil {
		return err
	}
	for _, l := range []dp.Loss{dp.Huber(0.5), dp.Logistic()} {
		ts := make([]dp.ObjectivePerturbation, 100)
		for i := range ts {
			ts[i] = dp.ObjectivePerturbation{Eps: 0.5, Loss: l}
		}
		cpu, wall, err := best(func() error { _, err := dp.TrainBatch(d, ts...); return err })
		if err != nil {
			return err
		}
		if err := emit(map[string]any{"method": "TrainBatch", "loss": l.Name, "fits": 100, "cpu_ms_per_fit": 10 * cpu, "wall_ms_per_fit": 10 * wall}); err != nil {
			return err
		}
	}
	return nil
}

func kdd(n int) error {
	debug.SetGCPercent(20)
	t0 := time.Now()
	d := dp.KDDStandIn(n, dp.Seed(1))
	made := time.Since(t0).Seconds()
	debug.FreeOSMemory()
	c0, p0 := usage()
	t0 = time.Now()
	m, err := dp.ObjectivePerturbation{Eps: 0.1}.Train(d)
	if err != nil {
		return err
	}
	c1, peak := usage()
	return emit(map[string]any{"rows": d.Len(), "columns": d.Dim(), "made_seconds": made, "fit_wall": time.Since(t0).Seconds(), "fit_cpu": c1 - c0,
		"peak_MiB_data": p0, "peak_MiB": peak, "error": dp.ErrorRate(m, d), "certificate": m.Guarantee.Certificate})
}
