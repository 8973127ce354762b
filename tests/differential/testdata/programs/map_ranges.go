// Loops over maps that change under them. One entry is taken at first and the others when the loop goes on.
package main

import "fmt"

type name string

type pair struct {
	a, b int
}

func drain(m map[int]int) (sum int) {
	for len(m) > 0 {
		for k, v := range m {
			sum += k * v
			delete(m, k)
			break
		}
	}
	return sum
}

func any1(m map[name]pair) (name, pair) {
	for k, v := range m {
		return k, v
	}
	return "", pair{}
}

func main() {
	m := map[int]int{}
	for i := range 20000 { // takes minutes where each step lists all keys
		m[i] = 1
	}
	fmt.Println(drain(m), len(m))

	for k := range m {
		fmt.Println("empty", k)
	}
	m[7] = 1
	for k, v := range m {
		fmt.Println(k, v)
		delete(m, k)
	}
	for i := range 5 {
		m[i] = i
	}
	visits := 0
	for k := range m { // what is deleted before its turn is not visited
		for j := range m {
			if j != k {
				delete(m, j)
			}
		}
		visits++
	}
	fmt.Println(visits, len(m))

	for i := range 5 {
		m[i] = i
	}
	sum := 0
	for k := range m { // each entry is visited once, also when it is written
		sum += k
		m[k] = 100
	}
	fmt.Println(sum, m)

	k, v := any1(map[name]pair{"x": {1, 2}})
	fmt.Println(k, v)
	fmt.Println(any1(nil))

	var fs []func() int
	for k := range map[int]bool{1: true, 2: true, 3: true} {
		fs = append(fs, func() int { k *= 2; return k })
	}
	total := 0
	for _, f := range fs {
		total += f() + f()
	}
	fmt.Println(total)

outer:
	for a := range map[int]bool{1: true, 2: true} {
		for b := range map[int]bool{3: true, 4: true} {
			if b > 0 {
				continue outer
			}
			fmt.Println(a, b)
		}
	}
	n := 0
	for range map[pair]bool{{1, 2}: true, {2, 1}: false} {
		n++
		switch {
		case n == 1:
			continue
		}
	}
	fmt.Println(n)
	m = map[int]int{1: 1, 2: 2, 3: 3}
	seen := 0
	for k := range m { // the variable may be changed
		m = map[int]int{}
		m[k] = k
		seen++
	}
	fmt.Println(seen)
}
