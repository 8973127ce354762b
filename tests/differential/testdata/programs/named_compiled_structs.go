package main

import (
	"fmt"
	"image"
	"math/big"
	"net/url"
	"strings"
	"time"
)

type Money big.Int
type Pt image.Point
type B strings.Builder
type U url.URL
type When time.Time

func (m *Money) Add(n int64)    { (*big.Int)(m).Add((*big.Int)(m), big.NewInt(n)) }
func (m *Money) String() string { return "$" + (*big.Int)(m).String() }
func (p *Pt) Move()             { p.X++ }
func (w When) Year() int        { return time.Time(w).Year() }
func (u *U) Host2() string      { return u.Host + u.Path }

func main() {
	m := (*Money)(big.NewInt(5))
	m.Add(3)
	fmt.Println(m)
	p := Pt{1, 2}
	p.Move()
	ip := (*image.Point)(&p)
	ip.Y = 9
	fmt.Println(p, *ip, image.Point(p).Add(image.Pt(1, 1)), p == Pt(*ip))
	fmt.Printf("%v %+v %#v %T\n", p, p, p, &p)
	w := When(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
	fmt.Println(w.Year(), time.Time(w).Month())
	var a any = p
	_, ok := a.(image.Point)
	q, ok2 := a.(Pt)
	fmt.Println(ok, ok2, q.X, a == any(Pt{2, 9}), a == any(image.Pt(2, 9)))
	u, _ := url.Parse("http://h/x")
	fmt.Println((*U)(u).Host2())
	ps := []Pt{{1, 2}, {3, 4}}
	ps[1].X += 5
	fmt.Println(ps, map[Pt]int{{1, 2}: 3}[Pt{1, 2}])
	type local image.Rectangle
	l := local(image.Rect(1, 2, 3, 4))
	l.Min.X = 0
	fmt.Println(l.Min, image.Rectangle(l).Dx())
	b := (*strings.Builder)(new(B))
	b.WriteString("ok")
	fmt.Println(b.String())
}
