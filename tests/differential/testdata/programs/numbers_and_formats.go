package main

import (
	"fmt"
	"math"
	"math/bits"
	"os"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"unicode/utf8"
)

const (
	A = iota * 10
	B
	_
	C = 1 << iota
	D
	E, F = iota, -iota
	G, H
)

type Weekday uint8

const (
	Sun Weekday = iota
	Mon
	Tue
)

func (d Weekday) String() string { return [...]string{"Sun", "Mon", "Tue"}[d] }

type Flags uint16

const (
	FA Flags = 1 << iota
	FB
	FC
	Mask = FA | FC
	Big  = 1 << 100 >> 98
	Str  = "x" + "y"
	Ln   = len(Str)
	Fl   = 1.0 / 3
	Cx   = 2i * 2i
	R    = 'a' + 1
)

func (f Flags) Has(x Flags) bool { return f&x != 0 }

func ints() {
	var i8 int8 = 127
	i8++
	var u8 uint8 = 0
	u8--
	var i16 int16 = math.MinInt16
	i16 = -i16
	var i32 int32 = math.MaxInt32
	i32 *= 2
	var i64 int64 = math.MinInt64
	fmt.Println(i8, u8, i16, i32, i64-1, -i64, i64/-1, i64%-1)
	var u16 uint16 = 65535
	u16 += 2
	var u32 uint32 = 1 << 31
	u32 <<= 1
	var u64 uint64 = 1<<64 - 1
	u64 *= u64
	var up uintptr = 5
	up -= 6
	fmt.Println(u16, u32, u64, up, ^u8, ^i8, -u16, +i8)
	for _, s := range []uint{0, 1, 7, 8, 31, 32, 63, 64, 100} {
		x8, x16, x32, x64 := int8(-3), int16(-3), int32(-3), int64(-3)
		y8, y16, y32, y64 := uint8(253), uint16(65533), uint32(1<<32-3), uint64(1<<64-3)
		fmt.Print(x8<<s, x8>>s, x16<<s, x16>>s, x32<<s, x32>>s, x64<<s, x64>>s, " ")
		fmt.Println(y8<<s, y8>>s, y16<<s, y16>>s, y32<<s, y32>>s, y64<<s, y64>>s)
	}
	x := -7
	fmt.Println(x/2, x%2, x>>1, x&3, x|8, x^5, x&^2, uint8(x), int8(x*37), uint32(x))
	fmt.Println(int8(i32), int(int8(200-x)), uint8(int8(x)), int64(uint32(1<<32-1)), int32(uint32(1<<32-1+x+7)))
	fl := 3.99
	nf := -3.99
	fmt.Println(int(fl), int(nf), int8(fl), uint8(fl), float32(fl), float64(float32(0.1)), int64(1e18))
	var sh8 uint8 = 200
	fmt.Println(1<<sh8 == 0, int8(1)<<6, sh8<<1>>1, (sh8<<1)>>1, uint16(sh8)<<1, -5>>1, -5/2)
	fmt.Println(bits.Reverse8(sh8), bits.OnesCount(uint(sh8)), math.MaxUint32, uint64(math.MaxUint64))
	var s int = 3
	var w = 1.0 * float64(int(1)<<s)
	var z int64 = 1 << s
	fmt.Println(w, z, 1<<s+1)
}

func floats() {
	inf, nan := math.Inf(1), math.NaN()
	zero := 0.0
	fmt.Println(1/zero, -1/zero, zero/zero, inf-inf, nan == nan, nan != nan, nan < 1, inf > 1)
	fmt.Println(min(1, 2.5, zero), max(nan, 1), min(-zero, zero), max("a", "b"), min(3, 1, 2))
	var f32 float32 = 16777216
	fmt.Println(f32+1, f32*f32*f32*f32*f32*f32, float32(1e-46), float32(0.1)+float32(0.2), 0.1+0.2)
	a, b, c := 0.1, 0.2, 0.3
	fmt.Println(a+b == c, a*b+c, (a+b)+c, a+(b+c))
	fmt.Printf("%v %g %e %.3f %8.2f|%-8.2f|%+d %x %X %o %b %08b %q %U %c\n", a, 1e21, 12345.678, 2.0/3, 3.14159, 2.5, 5, 255, "hi", 8, 5, 5, 'x', 0x1F600, 0x1F600)
	var c64 complex64 = complex(1, 2)
	c128 := complex128(c64) * (3 - 4i)
	fmt.Println(c64, c128, real(c128), imag(c64), c128/2i, c128 == complex(11, 2), -c128, c64*c64, c64/complex64(c128))
	fmt.Printf("%v %.1f %T %T\n", c64, c128, c64, real(c64))
	fmt.Println(strconv.FormatFloat(1.0/3, 'g', -1, 32), float32(1)/3, 1e6, 1e20, 1e21, 100000000.0, float32(1e10))
	fmt.Println(math.Float32bits(float32(nan)) != 0, math.Signbit(-zero), math.Copysign(0, -1), -zero)
}

func strs() {
	s := "héllo, 世界\xff\u00e9"
	for i, r := range s {
		fmt.Print(i, ":", string(r), "/", r, " ")
	}
	fmt.Println(len(s), utf8.RuneCountInString(s), []rune(s)[1], []byte(s)[1], string([]rune{65, 0x4e16, -1, 0xd800}), string(rune(65)), s[1:3], s[len(s)-1])
	type B []byte
	type RS []rune
	type S string
	b := B("abc")
	b[0] = 'z'
	fmt.Println(string(b), S(b), RS("añ"), string(RS{97, 98}), B(S("q")), strings.Compare("a", "b"), "a" < "b", S("b") > "a")
	fmt.Printf("%s %v %q %x % x %#x %v %s\n", b, b, b, b, b, b, RS("a"), []string{"a", "b"})
	var sb strings.Builder
	for i := range 3 {
		fmt.Fprintf(&sb, "%d,", i)
	}
	sb.WriteByte('!')
	fmt.Println(sb.String(), sb.Len(), strings.Repeat("ab", 3), strings.Fields(" a  b "), strings.Map(func(r rune) rune { return r + 1 }, "abc"))
	x := "a" + s[:1] + string(b[1:])
	x += "end"
	fmt.Println(x, x[2:], x[:2], len(x), `raw\n`+"\t|")
	copy(b, "xy")
	b = append(b, "tail"...)
	b = append(b[:1], b[3:]...)
	fmt.Println(string(b), cap(b) >= len(b))
}

type Inner struct {
	A int
	b string
}
type Outer struct {
	Inner
	W   *Weekday
	P   *Inner
	M   map[string]Inner
	S   []any
	F   func()
	Ch  chan int
	Arr [2]Flags
	E   error
	I   interface{ String() string }
	An  struct{ X, y int }
	B   []byte
	N   Names
}
type Names []string

func (n Names) GoString() string { return "Names!" }

type Fmt struct{ v int }

func (f Fmt) Format(s fmt.State, verb rune) {
	w, ok := s.Width()
	fmt.Fprintf(s, "<%c %d %v %v %d>", verb, w, ok, s.Flag('+'), f.v)
}

type PanicS struct{}

func (PanicS) String() string { panic("oops") }

type NilS struct{ s string }

func (n *NilS) String() string { return n.s }

func formats() {
	d := Mon
	o := Outer{Inner{1, "x"}, &d, nil, map[string]Inner{"k": {2, "y"}, "a": {}}, []any{1, "s", nil, Tue, Inner{}}, nil, nil, [2]Flags{FA, FB}, nil, Tue, struct{ X, y int }{1, 2}, []byte("hi"), Names{"n"}}
	s := fmt.Sprintf("%v", o)
	fmt.Println(s[:3], s[strings.Index(s, "map"):])
	s = fmt.Sprintf("%+v", o)
	fmt.Println(s[:20], s[strings.Index(s, "P:"):])
	s = fmt.Sprintf("%#v", o)
	fmt.Println(s[:60], s[strings.Index(s, "P:"):])
	fmt.Printf("%v %d %s %x %#v %T\n", d, d, d, d, d, d)
	fmt.Printf("%v %+v %#v %T\n", []Weekday{0, 1}, map[Weekday]Flags{Mon: 3}, []Flags{1}, struct{ W Weekday }{})
	fmt.Printf("%v %+v %5v %#v %d\n", Fmt{1}, Fmt{2}, Fmt{3}, []Fmt{{4}}, Fmt{5})
	fmt.Printf("%v %s %d\n", PanicS{}, PanicS{}, PanicS{})
	var np *NilS
	fmt.Printf("%v %s %+v\n", np, &NilS{"ok"}, []*NilS{nil})
	fmt.Printf("%d %s %z %!\n", "str", 5, 1)
	fmt.Printf("%d\n", 1, 2)
	fmt.Printf("%d %d\n", 1)
	fmt.Printf("%[2]d %[1]d %*d|%-*d|\n", 1, 2, 5, 3, 4, 7)
	fmt.Printf("%t %p %v %v\n", true, nil, nil, error(nil))
	fmt.Printf("%6.2v|%-10v|%10s|%q|%v\n", 3.14159, Inner{1, "b"}, Names{"a"}, Names{"b c"}, &o.Inner)
	fmt.Printf("%x %X %#x % x\n", "hello", []byte("hi"), "hey", "abc")
	fmt.Println(fmt.Sprint("a", 1, 2, "b", "c", 3.0, nil, []int(nil), map[string]int(nil)), fmt.Sprintln("x", 1))
	fmt.Printf("%v %v %v\n", struct{}{}, [0]int{}, [...]string{2: "c"})
	fmt.Printf("%#v %#v %#v %#v\n", 1.0, "q", 'x', []any{1, "a", nil, 2.5, Weekday(1)})
	fmt.Printf("%#v %#v %#v\n", map[string]any{"b": 1, "a": Inner{}}, &Inner{}, [2]bool{true})
	fmt.Printf("%v %v\n", &[]int{1}, &map[string]int{"a": 1})
	fmt.Printf("%08.3f|%+.2e|%g|%G\n", -3.14159, 12345.678, 1e-7, 1e-10)
	fmt.Printf("%3c|%-3c|%03d|%+d|% d\n", 'x', 'y', 7, 7, 7)
	fmt.Printf("%s|%v\n", error(fmt.Errorf("e %w", os.ErrExist)), os.ErrExist)
	tw := tabwriter.NewWriter(os.Stdout, 0, 8, 1, ' ', 0)
	fmt.Fprintln(tw, "a\tbbb\tc")
	fmt.Fprintln(tw, Mon, "\t", Inner{1, "z"}, "\tq")
	tw.Flush()
	var i1, i2 int
	var st string
	n, err := fmt.Sscanf("10 20 abc", "%d %d %s", &i1, &i2, &st)
	fmt.Println(n, err, i1, i2, st)
}

func structs() {
	type T struct {
		a int
		b [2]string
		c struct{ d any }
	}
	x := T{1, [2]string{"p", "q"}, struct{ d any }{3}}
	y := x
	y.b[0] = "changed"
	fmt.Println(x == y, x.b, y.b, x != T{1, [2]string{"p", "q"}, struct{ d any }{3}})
	arr := [3][2]int{{1, 2}, {3}}
	cp := arr
	cp[0][0] = 99
	pa := &arr
	pa[1][1] = 7
	for i, r := range arr {
		arr[2][0] = 100
		fmt.Print(i, r, " ")
	}
	for i, r := range pa {
		pa[2][1] = 55
		fmt.Print(i, r, " ")
	}
	fmt.Println(arr, cp, arr == cp, len(pa), [...]int{5: 1, 2}[5])
	sl := arr[:]
	sl[0][1] = -1
	sl2 := append(sl[:1], [2]int{8, 8})
	fmt.Println(arr, sl2, len(sl2), cap(sl2), cap(sl[1:2:2]))
	m := map[string]T{"k": x}
	v := m["k"]
	v.a = 50
	fmt.Println(m["k"].a, v.a, m["none"].b)
	mp := map[string]*T{"k": &x}
	mp["k"].a += 5
	mp["k"].b[1] += "!"
	fmt.Println(x.a, x.b)
	ms := map[string][]int{}
	ms["a"] = append(ms["a"], 1, 2)
	ms["a"][0]++
	mm := map[string]map[int]string{"x": {}}
	mm["x"][1] += "z"
	mi := map[[2]int]int{}
	mi[[2]int{1, 2}]++
	mi[[2]int{1, 2}] *= 5
	fmt.Println(ms, mm, mi)
	i := 0
	i, arr2 := 1, []int{10, 20, 30}
	i, arr2[i] = 2, 77
	arr2[0], arr2[1], arr2[2] = arr2[2], arr2[0], arr2[1]
	fmt.Println(i, arr2)
	len := 3
	true := false
	nil := "shadow"
	string := func(i int) int { return i + len }
	fmt.Println(len, true, nil, string(4))
	{
		type int float64
		var z int = 2.5
		fmt.Printf("%v %T\n", z, z)
	}
	var once sync.Once
	for range 3 {
		once.Do(func() { fmt.Println("once") })
	}
	e1, e2 := struct{}{}, struct{}{}
	fmt.Println(e1 == e2, any(e1) == any(e2), any(Inner{1, "a"}) == any(Inner{1, "a"}), any(x) == any(y), any(1) == any(1.0), any(Mon) == any(uint8(1)))
	var p1, p2 *Inner = &Inner{}, &Inner{}
	fmt.Println(p1 == p2, *p1 == *p2, any(p1) == any(p1))
}

func main() {
	fmt.Println(A, B, C, D, E, F, G, H, Sun, Tue, FA, FB, Mask, Big, Str, Ln, Fl, Cx, R, Mask.Has(FB), Mask.Has(FC))
	ints()
	floats()
	strs()
	formats()
	structs()
}
