package dp

import (
	"math"
	"sync"
	"unsafe"
)

// A loss is checked whenever something is trained with it: on 12,000 margins, which costs about a millisecond for compiled functions
// and a hundred for interpreted ones. A loss that passed is remembered by the identity of its functions (or by its constructor
// and h), its constants and its values on 64 margins; the values find the change of a variable that a user's function captures.

// checkedLosses is a ring of losses that passed. It keeps them, so that no other function can take the address of one of theirs.
var checkedLosses struct {
	sync.Mutex
	key  [64]lossKey
	loss [64]Loss
	next int
}

type lossKey struct {
	made      made
	name      string
	l, c      float64
	functions [5]uintptr
	logistic  bool
	print     uint64
}

// closureID tells functions apart by their closures, not by their code: Huber(0.5) and Huber(0.1) share the code.
func closureID[F any](f *F) uintptr { return *(*uintptr)(unsafe.Pointer(f)) }

// made says which constructor made a loss, with which h.
type made struct {
	kind string
	h    float64
}

// A maker is what a constructor leaves in a loss: itself, and the functions it made, to see whether they are still those.
type maker struct {
	made
	loss Loss
}

// constructed marks a loss as made by a constructor of this package.
func constructed(l Loss, kind string, h float64) Loss {
	m := &maker{made{kind, h}, l}
	l.made = m
	return l
}

// functions are the identities of the loss's functions.
func (l Loss) functions() [5]uintptr {
	return [5]uintptr{closureID(&l.Value), closureID(&l.Grad), closureID(&l.Hess), closureID(&l.HessBound), closureID(&l.Batch)}
}

func (l Loss) key() lossKey {
	k := lossKey{name: l.Name, l: l.L, c: l.C, functions: l.functions(), logistic: l.logistic, print: 14695981039346656037}
	if l.made != nil && l.made.loss.functions() == k.functions {
		k.made, k.functions = l.made.made, [5]uintptr{}
	}
	mix := func(v float64) { k.print = (k.print ^ math.Float64bits(v)) * 1099511628211 }
	z := make([]float64, 0, 64)
	for i := range 64 {
		z = append(z, 4*math.Sinh(float64(i)/12-2.6)+0.1)
	}
	for i, v := range z {
		mix(l.Value(v))
		mix(l.Grad(v))
		if l.Hess != nil {
			mix(l.Hess(v))
		}
		if l.HessBound != nil && i > 0 {
			mix(l.HessBound(z[i-1], v))
		}
	}
	if l.Batch != nil {
		out := make([]float64, 3*len(z))
		l.Batch(z, out[:64], out[64:128], out[128:])
		for _, v := range out {
			mix(v)
		}
	}
	return k
}

// knownGood tells whether a loss with this key passed before.
func knownGood(k lossKey) bool {
	c := &checkedLosses
	c.Lock()
	defer c.Unlock()
	for i := range c.key {
		if c.key[i] == k {
			return true
		}
	}
	return false
}

// rememberGood keeps a loss that passed, in place of the oldest.
func rememberGood(k lossKey, l Loss) {
	c := &checkedLosses
	c.Lock()
	defer c.Unlock()
	c.key[c.next], c.loss[c.next] = k, l
	c.next = (c.next + 1) % len(c.key)
}
