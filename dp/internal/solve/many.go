package solve

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// laneRows is the number of rows up to which fits share passes; beyond it their vectors of n numbers would take too much memory.
const laneRows = 300_000

// Many minimises F with the same rows, loss and Reg for many linear terms, each to the tolerance. All fits start from the
// minimiser without a linear term, with its margins and its factorised Hessian, and run side by side; on sparse rows four fits
// share their passes over the data. The results are certified one by one and do not depend on where they started beyond
// their certificates. The first error stops the rest.
func Many(ctx context.Context, p *Problem, lins [][]float64, tol float64) ([]*Result, error) {
	if len(lins) == 0 {
		return nil, nil
	}
	if p.X.D > denseLimit || len(lins) == 1 {
		out := make([]*Result, len(lins))
		for i, b := range lins {
			q := *p
			q.Lin = b
			r, err := Minimise(ctx, &q, nil, tol)
			if err != nil {
				return nil, err
			}
			out[i] = r
		}
		return out, nil
	}
	base := newState(p, nil)
	base.prepare()
	if _, err := base.run(ctx, max(tol, 1e-6)); err != nil {
		return nil, err
	}
	base.prepare() // margins free of accumulated rounding
	p.curvatures(base.z, base.curv, base.k)
	base.hess.set(p, base.curv, 1, base.k, nil)
	base.hess.factorise(p.Reg)

	out := make([]*Result, len(lins))
	errs := make([]error, len(lins))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	var failed crash
	var once sync.Once
	var next atomic.Int64
	worker := func(group *laneGroup) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer func() {
				if r := recover(); r != nil {
					once.Do(func() { failed.value = r })
					cancel()
				}
				if group != nil {
					group.leave()
				}
			}()
			var s *state
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(lins) {
					return
				}
				q := *p
				q.Lin = lins[i]
				if s == nil {
					s = newState(&q, nil)
					s.k, s.group = 1, group
				}
				s.startFrom(base, &q)
				r, err := s.run(ctx, tol)
				if err != nil {
					errs[i] = err
					cancel()
					continue
				}
				// The state is used again: the result keeps copies.
				out[i] = &Result{Hi: append([]float64(nil), r.Hi...), Lo: append([]float64(nil), r.Lo...), Norm: r.Norm, Steps: r.Steps}
			}
		}()
	}
	procs := runtime.GOMAXPROCS(0)
	if p.X.Sparse() && p.X.N <= laneRows && len(lins) > procs {
		// As many groups as processors, and the fits dealt evenly.
		for g := range procs {
			if fits := min(lanes, len(lins)*(g+1)/procs-len(lins)*g/procs); fits > 0 {
				group := newLaneGroup(p, fits)
				for range fits {
					worker(group)
				}
			}
		}
	} else {
		for range min(procs, len(lins)) {
			worker(nil)
		}
	}
	wg.Wait()
	if failed.value != nil {
		panic(failed.value)
	}
	// A fit that failed on its own comes before those that were cancelled because of it.
	var first error
	for _, err := range errs {
		if err != nil && (first == nil || first == context.Canceled) {
			first = err
		}
	}
	if first == nil {
		for _, r := range out {
			if r == nil {
				first = ctx.Err()
			}
		}
	}
	if first != nil {
		return nil, first
	}
	return out, nil
}

// startFrom puts s at the point of base for the problem q, which differs from base's in the linear term.
func (s *state) startFrom(base *state, q *Problem) {
	s.p, s.steps = q, 0
	copy(s.f, base.f)
	clear(s.lo)
	copy(s.z, base.z)
	copy(s.slope, base.slope)
	copy(s.curv, base.curv)
	for j := range s.g {
		s.g[j] = base.g[j] + q.Lin[j]
	}
	copy(s.hess.sum, base.hess.sum)
	copy(s.hess.c, base.hess.c)
	copy(s.hess.factor, base.hess.factor)
	s.hess.updates = 0
	s.warm, s.whole = true, true
}
