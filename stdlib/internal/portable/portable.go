// Package portable is what the sources of generic functions in stdlib/generic call for the parts that need the Go runtime and
// cannot be said in source. Cells have no reason to import it.
package portable

import (
	"crypto/hkdf"
	"crypto/pbkdf2"
	"hash"
	"hash/maphash"
	"iter"
	"sort"
)

// Sort sorts n elements known only by comparing and exchanging two of them, as slices.SortFunc does.
func Sort(n int, less func(i, j int) bool, swap func(i, j int)) {
	sort.Sort(elements{n, less, swap})
}

// Stable is Sort that keeps equal elements in their order.
func Stable(n int, less func(i, j int) bool, swap func(i, j int)) {
	sort.Stable(elements{n, less, swap})
}

var poll = func() {}

// SetPoll sets what is called at every comparison. It may panic, to end a sort whose functions have been stopped and no
// longer compare. Call it before anything sorts.
func SetPoll(f func()) { poll = f }

type elements struct {
	n    int
	less func(i, j int) bool
	swap func(i, j int)
}

func (e elements) Len() int           { return e.n }
func (e elements) Less(i, j int) bool { poll(); return e.less(i, j) }
func (e elements) Swap(i, j int)      { e.swap(i, j) }

// Pull turns seq into its coroutine: each call of next resumes seq until its next yield and reports whether there was one.
// Panics and runtime.Goexit in seq come out of next and stop, as those of iter.Pull do.
func Pull(seq func(yield func() bool)) (next func() bool, stop func()) {
	n, stop := iter.Pull(func(yield func(struct{}) bool) {
		seq(func() bool { return yield(struct{}{}) })
	})
	return func() bool { _, ok := n(); return ok }, stop
}

// Pull2 is Pull with iter.Pull2's texts for its misuse.
func Pull2(seq func(yield func() bool)) (next func() bool, stop func()) {
	n, stop := iter.Pull2(func(yield func(struct{}, struct{}) bool) {
		seq(func() bool { return yield(struct{}{}, struct{}{}) })
	})
	return func() bool { _, _, ok := n(); return ok }, stop
}

// HashComparable is maphash.Comparable of a value of any type.
func HashComparable(seed maphash.Seed, v any) uint64 { return maphash.Comparable(seed, v) }

// WriteComparable is maphash.WriteComparable of a value of any type.
func WriteComparable(h *maphash.Hash, v any) { maphash.WriteComparable(h, v) }

// HKDFExtract is hkdf.Extract.
func HKDFExtract(h func() hash.Hash, secret, salt []byte) ([]byte, error) {
	return hkdf.Extract(h, secret, salt)
}

// HKDFExpand is hkdf.Expand.
func HKDFExpand(h func() hash.Hash, key []byte, info string, length int) ([]byte, error) {
	return hkdf.Expand(h, key, info, length)
}

// HKDFKey is hkdf.Key.
func HKDFKey(h func() hash.Hash, secret, salt []byte, info string, length int) ([]byte, error) {
	return hkdf.Key(h, secret, salt, info, length)
}

// PBKDF2Key is pbkdf2.Key.
func PBKDF2Key(h func() hash.Hash, password string, salt []byte, iter, length int) ([]byte, error) {
	return pbkdf2.Key(h, password, salt, iter, length)
}
