package main

import (
	"encoding/json"
	"fmt"
	"go/token"
	"math/big"
	"sync/atomic"
)

type T[X any] struct{ x X }
type chanchan[X any] chan X
type N struct {
	T[int]
	*json.Decoder
}

func main() {
	fmt.Printf("%T %T\n", T[json.Decoder]{}, T[*big.Int]{})
	fmt.Printf("%T %T\n", T[chan (<-chan int)]{}, T[<-chan chan<- int]{})
	fmt.Printf("%T %T\n", T[struct {
		token.Pos
		big.Int
	}]{}, T[struct {
		N
		*json.Decoder
		_ int
		error
	}]{})
	fmt.Printf("%T\n", T[atomic.Pointer[json.Decoder]]{})
	fmt.Printf("%T\n", struct {
		A T[json.Decoder]
		b int
		N
	}{})
	fmt.Printf("%T\n", T[interface {
		m()
		M(...int)
	}]{})
	fmt.Printf("%T\n", T[func(func()) func()]{})
	fmt.Printf("%T\n", map[T[json.Number]]*T[json.Number]{})
	type A = int
	type B int
	fmt.Printf("%T\n", T[B]{})
	var a any = T[json.Number]{}
	defer func() { fmt.Println(recover()) }()
	_ = a.(T[int])
}
