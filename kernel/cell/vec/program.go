// Package vec runs pure functions of floats as register programs: one number at a time, or a slice at a time, in which
// case each instruction is a loop of compiled Go over a chunk. Every instruction is one IEEE 754 operation or one call
// of package math, in the order of the source, so results equal Go's to the last bit.
package vec

import (
	"math"
	"sync"
	"unsafe"
)

// op is an instruction's operation.
type op uint8

const (
	opConst op = iota
	opCapture
	opAdd
	opSub
	opMul
	opDiv
	opNeg
	opLess
	opLessEqual
	opEqual
	opNotEqual
	opAnd
	opOr
	opNot
	opSelect // dst = a != 0 ? b : c
	opMin
	opMax
	opCall1
	opCall2
)

// instr computes register dst from registers a, b and c. Conditions are 1 or 0.
type instr struct {
	op      op
	dst     int
	a, b, c int
	value   float64
	f1      func(float64) float64
	f2      func(float64, float64) float64
	uniform bool // the same for every element: computed once a call
}

// Program is a compiled function: registers 0..params-1 hold the arguments, result is where its value ends up.
type Program struct {
	params, captures int
	code             []instr
	regs             int
	result           int
}

// maxRegs bounds the size of a program; a larger function is left to the interpreter.
const maxRegs = 160

// Bound is a program with the variables it captures, which are read anew at every call.
type Bound struct {
	p    *Program
	vars []*float64
}

// Bind attaches captured variables.
func (p *Program) Bind(vars []*float64) *Bound { return &Bound{p, vars} }

// Params is the number of arguments.
func (p *Program) Params() int { return p.params }

// Captures is the number of captured variables.
func (p *Program) Captures() int { return p.captures }

// Call evaluates the function at one point.
func (b *Bound) Call(args ...float64) float64 {
	var regs [maxRegs]float64
	copy(regs[:], args)
	return b.run(&regs)
}

func (b *Bound) run(r *[maxRegs]float64) float64 {
	for i := range b.p.code {
		in := &b.p.code[i]
		var v float64
		switch in.op {
		case opConst:
			v = in.value
		case opCapture:
			v = *b.vars[in.a]
		case opAdd:
			v = r[in.a] + r[in.b]
		case opSub:
			v = r[in.a] - r[in.b]
		case opMul:
			v = float64(r[in.a] * r[in.b])
		case opDiv:
			v = r[in.a] / r[in.b]
		case opNeg:
			v = -r[in.a]
		case opLess:
			v = truth(r[in.a] < r[in.b])
		case opLessEqual:
			v = truth(r[in.a] <= r[in.b])
		case opEqual:
			v = truth(r[in.a] == r[in.b])
		case opNotEqual:
			v = truth(r[in.a] != r[in.b])
		case opAnd:
			v = truth(r[in.a] != 0 && r[in.b] != 0)
		case opOr:
			v = truth(r[in.a] != 0 || r[in.b] != 0)
		case opNot:
			v = truth(r[in.a] == 0)
		case opSelect:
			if r[in.a] != 0 {
				v = r[in.b]
			} else {
				v = r[in.c]
			}
		case opMin:
			v = min(r[in.a], r[in.b])
		case opMax:
			v = max(r[in.a], r[in.b])
		case opCall1:
			v = in.f1(r[in.a])
		case opCall2:
			v = in.f2(r[in.a], r[in.b])
		}
		r[in.dst] = v
	}
	return r[b.p.result]
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// chunk is how many elements an instruction handles at a time: the registers of a small program stay in the cache.
const chunk = 256

type file struct{ regs [maxRegs][]float64 }

var files = sync.Pool{New: func() any { return new(file) }}

// Slice evaluates a function of one argument at every in[i] into out[i]. The slices may be the same.
func (b *Bound) Slice(in, out []float64) {
	f := files.Get().(*file)
	defer files.Put(f)
	p := b.p
	for k := range p.regs {
		if f.regs[k] == nil {
			f.regs[k] = make([]float64, chunk)
		}
	}
	for i := range p.code {
		if c := &p.code[i]; c.uniform {
			v := c.value
			if c.op == opCapture {
				v = *b.vars[c.a]
			}
			fill(f.regs[c.dst], v)
		}
	}
	for len(in) > 0 {
		n := min(len(in), chunk)
		copy(f.regs[0][:n], in[:n])
		for i := range p.code {
			if c := &p.code[i]; !c.uniform {
				c.apply(f, n)
			}
		}
		copy(out[:n], f.regs[p.result][:n])
		in, out = in[n:], out[n:]
	}
}

func fill(r []float64, v float64) {
	for i := range r {
		r[i] = v
	}
}

func (in *instr) apply(f *file, n int) {
	d, a := f.regs[in.dst][:n], f.regs[in.a][:n]
	b := f.regs[in.b][:n]
	switch in.op {
	case opAdd:
		for i := range d {
			d[i] = a[i] + b[i]
		}
	case opSub:
		for i := range d {
			d[i] = a[i] - b[i]
		}
	case opMul:
		for i := range d {
			d[i] = a[i] * b[i]
		}
	case opDiv:
		for i := range d {
			d[i] = a[i] / b[i]
		}
	case opNeg:
		for i := range d {
			d[i] = -a[i]
		}
	case opLess:
		for i := range d {
			d[i] = truth(a[i] < b[i])
		}
	case opLessEqual:
		for i := range d {
			d[i] = truth(a[i] <= b[i])
		}
	case opEqual:
		for i := range d {
			d[i] = truth(a[i] == b[i])
		}
	case opNotEqual:
		for i := range d {
			d[i] = truth(a[i] != b[i])
		}
	case opAnd:
		for i := range d {
			d[i] = truth(a[i] != 0 && b[i] != 0)
		}
	case opOr:
		for i := range d {
			d[i] = truth(a[i] != 0 || b[i] != 0)
		}
	case opNot:
		for i := range d {
			d[i] = truth(a[i] == 0)
		}
	case opSelect:
		c := f.regs[in.c][:n]
		for i := range d {
			if a[i] != 0 {
				d[i] = b[i]
			} else {
				d[i] = c[i]
			}
		}
	case opMin:
		for i := range d {
			d[i] = min(a[i], b[i])
		}
	case opMax:
		for i := range d {
			d[i] = max(a[i], b[i])
		}
	case opCall1:
		g := in.f1
		for i := range d {
			d[i] = g(a[i])
		}
	case opCall2:
		g := in.f2
		for i := range d {
			d[i] = g(a[i], b[i])
		}
	}
}

// The function values cells hold are closures over a Bound and nothing else, so the Bound can be found again from the
// function value: a Go closure is a pointer to its code pointer followed by what it captures. A test watches this.
type closure struct {
	code  uintptr
	bound *Bound
}

// Func1 is the function of one argument. Inlined, its closure would have another code pointer.
//
//go:noinline
func (b *Bound) Func1() func(float64) float64 {
	return func(x float64) float64 {
		var r [maxRegs]float64
		r[0] = x
		return b.run(&r)
	}
}

// Func2 is the function of two arguments.
func (b *Bound) Func2() func(x, y float64) float64 {
	return func(x, y float64) float64 { return b.Call(x, y) }
}

// Func3 is the function of three arguments.
func (b *Bound) Func3() func(x, y, z float64) float64 {
	return func(x, y, z float64) float64 { return b.Call(x, y, z) }
}

var code1 = func() uintptr {
	f := new(Bound).Func1()
	return (*(**closure)(unsafe.Pointer(&f))).code
}()

// Slices returns the slice form of a function that Func1 made, or nil for any other.
func Slices(f func(float64) float64) func(in, out []float64) {
	if f == nil {
		return nil
	}
	c := *(**closure)(unsafe.Pointer(&f))
	if c.code != code1 {
		return nil
	}
	return c.bound.Slice
}

// functions are the calls a program may make: pure functions of package math.
var functions1 = map[string]func(float64) float64{
	"Abs": math.Abs, "Acos": math.Acos, "Acosh": math.Acosh, "Asin": math.Asin, "Asinh": math.Asinh, "Atan": math.Atan,
	"Atanh": math.Atanh, "Cbrt": math.Cbrt, "Ceil": math.Ceil, "Cos": math.Cos, "Cosh": math.Cosh, "Erf": math.Erf,
	"Erfc": math.Erfc, "Erfcinv": math.Erfcinv, "Erfinv": math.Erfinv, "Exp": math.Exp, "Exp2": math.Exp2, "Expm1": math.Expm1,
	"Floor": math.Floor, "Gamma": math.Gamma, "J0": math.J0, "J1": math.J1, "Log": math.Log, "Log10": math.Log10,
	"Log1p": math.Log1p, "Log2": math.Log2, "Round": math.Round, "RoundToEven": math.RoundToEven, "Sin": math.Sin,
	"Sinh": math.Sinh, "Sqrt": math.Sqrt, "Tan": math.Tan, "Tanh": math.Tanh, "Trunc": math.Trunc, "Y0": math.Y0, "Y1": math.Y1,
}

var functions2 = map[string]func(x, y float64) float64{
	"Atan2": math.Atan2, "Copysign": math.Copysign, "Dim": math.Dim, "Hypot": math.Hypot, "Max": math.Max, "Min": math.Min,
	"Mod": math.Mod, "Nextafter": math.Nextafter, "Pow": math.Pow, "Remainder": math.Remainder,
}
