package main

import "fmt"

type T [4]int
type S struct {
	p *T
	q **T
}

func two() (*T, *[2]string) { return &T{1, 2}, &[2]string{"a", "b"} }

func main() {
	s := []*T{{8, 9}, nil}
	fmt.Println(s[0][0], s[0][1] != 9, len(s[1]))
	for i, x := range s[0] {
		fmt.Println(i, x)
	}
	m := map[string]*T{"a": {5}}
	fmt.Println(m["a"][0])
	m["a"][1] = 7
	p := m["a"]
	p[2]++
	fmt.Println(*p, p[1:3], *m["a"])
	a, b := two()
	fmt.Println(a[1], b[1])
	a[0], b[0] = 4, "z"
	fmt.Println(*a, *b)
	var x any = a
	fmt.Println(x.(*T)[0])
	if y, ok := x.(*T); ok {
		y[3] = 1
		fmt.Println(y[3], a[3])
	}
	q := &a
	st := S{a, q}
	st.p[0]++
	(*st.q)[1]++
	fmt.Println(*a, (**st.q)[0])
	c := make(chan *T, 1)
	c <- a
	fmt.Println((<-c)[0])
	f := func() *T { return a }
	f()[0] += 10
	fmt.Println(f()[0], &f()[0] == &a[0])
	defer func() { fmt.Println(recover()) }()
	fmt.Println(s[1][0])
}
