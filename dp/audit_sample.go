package dp

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// table holds releases row by row.
type table struct {
	width int
	v     []float64
}

func (t *table) len() int            { return len(t.v) / max(1, t.width) }
func (t *table) row(i int) []float64 { return t.v[i*t.width : (i+1)*t.width] }
func (t *table) head(n int) table    { return table{t.width, t.v[:min(n, t.len())*t.width]} }
func (t *table) join(u table) {
	t.width = u.width
	t.v = append(t.v, u.v...)
}

// sampler draws releases on both data sets of a pair with several goroutines. The result depends on the source only, not on
// scheduling: every chunk has its own forked source and its own place.
type sampler struct {
	ctx           context.Context
	m             Mechanism
	pair          Pair
	workers       int
	progress      func(done, total int)
	total         int
	width         int
	done          int
	failed, other atomic.Bool
}

// Outputs that are no number get values no mechanism would release.
const (
	outError  = -math.MaxFloat64
	outNaN    = math.MaxFloat64
	outLength = -math.MaxFloat64 / 2
)

const auditChunk = 1024

func (s *sampler) draw(n int, src *Source) ([2]table, error) {
	var out [2]table
	if s.width == 0 {
		var first []float64
		var err error
		for range 50 { // a mechanism may fail sometimes; one that always fails releases nothing
			if first, err = s.release(s.pair.D0, src.Fork()); err == nil {
				break
			}
		}
		if err != nil {
			return out, fmt.Errorf("dp.Audit: the mechanism does not release anything: %w", err)
		}
		s.width = max(1, len(first))
	}
	type job struct {
		side, from, to int
		src            *Source
	}
	var jobs []job
	for from := 0; from < n; from += auditChunk {
		for side := range 2 {
			jobs = append(jobs, job{side, from, min(n, from+auditChunk), src.Fork()})
		}
	}
	for side := range out {
		out[side] = table{width: s.width, v: make([]float64, n*s.width)}
	}
	workers := s.workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	var next atomic.Int64
	var mu sync.Mutex
	var first error
	var wg sync.WaitGroup
	for range min(workers, len(jobs)) {
		wg.Go(func() {
			for {
				k := int(next.Add(1)) - 1
				if k >= len(jobs) || ctx.Err() != nil {
					return
				}
				j := jobs[k]
				err := s.chunk(ctx, out[j.side], j.side, j.from, j.to, j.src)
				mu.Lock()
				if err != nil && first == nil {
					first = err
					cancel()
				}
				s.done += j.to - j.from
				if s.progress != nil && first == nil {
					s.progress(s.done, s.total)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if err := cancelled(s.ctx, "audit"); err != nil {
		return out, err
	}
	return out, first
}

// chunk fills rows [from, to) of t. A panic of the mechanism becomes an error that names it.
func (s *sampler) chunk(ctx context.Context, t table, side, from, to int, src *Source) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("dp.Audit: the mechanism panicked: %v", p)
		}
	}()
	d := s.pair.D0
	if side == 1 {
		d = s.pair.D1
	}
	for i := from; i < to; i++ {
		if i%64 == 0 && ctx.Err() != nil {
			return nil
		}
		out, e := s.m.Release(d, src)
		row := t.row(i)
		switch {
		case e != nil:
			s.failed.Store(true)
			fillRow(row, outError)
		case len(out) != s.width:
			if len(out) != 0 || s.width != 1 {
				s.other.Store(true)
			}
			fillRow(row, outLength/float64(1+len(out)))
		default:
			for k, x := range out {
				if x != x {
					x = outNaN
				}
				row[k] = x
			}
		}
	}
	return nil
}

func (s *sampler) release(d *Data, src *Source) (out []float64, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the mechanism panicked: %v", p)
		}
	}()
	return s.m.Release(d, src)
}

func fillRow(v []float64, x float64) {
	for i := range v {
		v[i] = x
	}
}
