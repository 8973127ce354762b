package solve

import (
	"context"
	"runtime"
	"sync"
)

// Many minimises F with the same rows, loss and Reg for many linear terms, each to the tolerance. All fits start from the
// minimiser without a linear term, with its margins and its factorised Hessian, and run side by side, one core each; so a fit
// costs a few passes over the data. The results are certified one by one and do not depend on where they started beyond
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
	base.hess.set(p, base.curv, 1, base.k)
	base.hess.factorise(p.Reg)

	out := make([]*Result, len(lins))
	errs := make([]error, len(lins))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	var failed crash
	var once sync.Once
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), len(lins)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer func() {
				if r := recover(); r != nil {
					once.Do(func() { failed.value = r })
					cancel()
					for range next { // let the sender finish
					}
				}
			}()
			var s *state
			for i := range next {
				q := *p
				q.Lin = lins[i]
				if s == nil {
					s = newState(&q, nil)
					s.k = 1
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
	for i := range lins {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
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
