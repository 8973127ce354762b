package main

import "fmt"

func shared(a []int) {
	n := 0
inner:
	n = a[0]
	a = a[1:]
	fmt.Println("inner", n)
	switch n {
	case 1:
		goto inner
	case 2:
		goto side
	default:
		return
	}
side:
	fmt.Println("side", n)
	goto inner
}

func out() (s string) {
	defer func() { s += "!" }()
	for i := 0; ; i++ {
		for j := range 5 {
			switch {
			case j == 2 && i < 2:
				goto next
			case i == 3:
				goto done
			}
			s += fmt.Sprint(i, j, " ")
		}
	next:
	}
done:
	if len(s) < 60 {
		s += "again "
		goto more
	}
	return
more:
	s += "more"
	return s + "?"
}

func captured() []func() int {
	var fs []func() int
	i := 0
again:
	j := i * 10
	fs = append(fs, func() int { j++; return j })
	i++
	if i < 3 {
		goto again
	}
	return fs
}

func main() {
	shared([]int{1, 2, 4})
	fmt.Println(out())
	for _, f := range captured() {
		fmt.Println(f(), f())
	}
}
