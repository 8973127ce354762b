package main

import "fmt"

type G = Int
type Int int
type T[X any] struct{ x X }
type Pair[A, B any] struct {
	a A
	b B
}

func f[A any]() {
	type L struct{ a A }
	type M[B any] struct{ b B }
	fmt.Printf("%T %T %T %T\n", L{}, &L{}, M[A]{}, M[L]{})
	fmt.Printf("%T %T\n", T[L]{}, T[M[int]]{})
}

func main() {
	type Loc int
	type Gen[X any] []X
	fmt.Printf("%T %T %T\n", T[G]{}, T[Loc]{}, T[[]Loc]{})
	fmt.Printf("%T %T %T %T\n", Gen[int]{}, Gen[Loc]{}, T[Gen[Loc]]{}, Loc(1))
	fmt.Printf("%T %T\n", Pair[int, map[string]G]{}, Pair[Pair[int, string], func(G) error]{})
	fmt.Printf("%T %T\n", T[struct{ a int }]{}, T[interface{ M() }]{})
	{
		type Loc string
		fmt.Printf("%T %T\n", T[Loc]{}, Loc(""))
	}
	f[int]()
	f[Loc]()
	func() {
		type Q int
		type Loc bool
		fmt.Printf("%T %T\n", T[Q]{}, T[Loc]{})
	}()
	fmt.Printf("%T\n", T[any]{})
	fmt.Printf("%T\n", T[error]{})
	fmt.Printf("%T\n", T[fmt.Stringer]{})
	fmt.Printf("%T\n", T[*fmt.Stringer]{})
	fmt.Printf("%T\n", T[struct {
		A int `json:"x"`
		fmt.Stringer
	}]{})
	fmt.Printf("%T\n", T[chan<- (<-chan int)]{})
	fmt.Printf("%T\n", T[func(int, ...string) (a, b int)]{})
	fmt.Printf("%T\n", T[byte]{})
	fmt.Printf("%T\n", T[rune]{})
	fmt.Printf("%T\n", T[[3]map[rune]byte]{})
	fmt.Printf("%T\n", T[interface {
		M(int) string
		fmt.Stringer
	}]{})
}
