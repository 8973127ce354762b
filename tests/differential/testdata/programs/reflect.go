package main

import (
	"fmt"
	"reflect"
	"sort"
)

type Celsius float64

func (c Celsius) String() string { return fmt.Sprintf("%.1f°C", float64(c)) }

type base struct{ ID int }

func (b base) Ident() int   { return b.ID }
func (b *base) SetID(i int) { b.ID = i }

type Point struct {
	X, Y int `json:"x" db:"col"`
}

type User struct {
	base
	Name  string `json:"name"`
	Temp  Celsius
	Tags  []string
	Attrs map[string]Point
	Next  *User
	priv  int
	Any   any
	S     fmt.Stringer
	F     func(int) Celsius
}

func (u User) Greet(greeting string, n ...int) string { return fmt.Sprint(greeting, " ", u.Name, n) }
func (u *User) Rename(s string)                       { u.Name = s }

type Shape interface{ Area() float64 }
type Sq struct{ S float64 }

func (s Sq) Area() float64 { return s.S * s.S }

type IDs []int
type M map[Celsius][]Point

func try(name string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println(name, "panic:", r)
			if e, ok := r.(*reflect.ValueError); ok {
				fmt.Println("  ValueError", e.Method, e.Kind)
			}
		}
	}()
	f()
}

func main() {
	u := User{base{1}, "Ann", 36.6, []string{"a"}, map[string]Point{"p": {1, 2}}, nil, 7, Point{3, 4}, Celsius(1), nil}
	v := reflect.ValueOf(u)
	t := v.Type()
	fmt.Println(t, t.Name(), t.Kind(), t.NumField(), t.NumMethod(), t.PkgPath(), t == reflect.TypeOf(u), t == reflect.TypeFor[User]())
	for i := 0; i < v.NumField(); i++ {
		f := t.Field(i)
		fv := v.Field(i)
		fmt.Println(f.Name, f.Type, f.Tag, f.Anonymous, f.PkgPath, fv.Kind(), fv.CanSet(), fv.CanInterface(), fv.Type() == f.Type, fv.IsZero())
		if fv.CanInterface() {
			fmt.Printf("  %v %+v %T\n", fv.Interface(), fv, fv.Interface())
		} else {
			fmt.Printf("  %v\n", fv)
		}
	}
	p := reflect.ValueOf(&u)
	e := p.Elem()
	e.FieldByName("Name").SetString("Bob")
	e.FieldByName("Temp").SetFloat(40)
	e.FieldByName("Tags").Set(reflect.Append(e.FieldByName("Tags"), reflect.ValueOf("z")))
	e.FieldByName("Attrs").SetMapIndex(reflect.ValueOf("q"), reflect.ValueOf(Point{9, 9}))
	e.FieldByName("Any").Set(reflect.ValueOf(Celsius(3)))
	e.FieldByName("S").Set(reflect.ValueOf(Celsius(5)))
	e.FieldByName("Next").Set(reflect.New(t))
	e.FieldByName("ID").SetInt(77)
	e.FieldByName("F").Set(reflect.MakeFunc(e.FieldByName("F").Type(), func(a []reflect.Value) []reflect.Value {
		return []reflect.Value{reflect.ValueOf(Celsius(a[0].Int()))}
	}))
	fmt.Println(u.Name, u.Temp, u.Tags, len(u.Attrs), u.Any, u.S, u.Next.Name == "", u.ID, u.F(4))
	fmt.Println(e.FieldByName("ID"), e.FieldByName("nope").IsValid(), e.FieldByName("priv").Int(), e.FieldByName("X").IsValid())
	for i := 0; i < p.NumMethod(); i++ {
		m := p.Type().Method(i)
		fmt.Println(m.Name, m.Type, p.Method(i).Type(), m.Index)
	}
	fmt.Println(v.MethodByName("Greet").Call([]reflect.Value{reflect.ValueOf("hi"), reflect.ValueOf(1), reflect.ValueOf(2)})[0])
	fmt.Println(v.MethodByName("Greet").CallSlice([]reflect.Value{reflect.ValueOf("hi"), reflect.ValueOf([]int{4})})[0])
	p.MethodByName("Rename").Call([]reflect.Value{reflect.ValueOf("Eve")})
	p.MethodByName("SetID").Call([]reflect.Value{reflect.ValueOf(5)})
	fmt.Println(u.Name, u.ID, v.MethodByName("Rename").IsValid())
	m, ok := t.MethodByName("Greet")
	fmt.Println(m.Name, ok, m.Func.Call([]reflect.Value{v, reflect.ValueOf("yo")})[0])
	g := p.MethodByName("Rename").Interface().(func(string))
	g("Zed")
	fmt.Println(u.Name)
	r := reflect.ValueOf(Celsius(2)).MethodByName("String").Interface().(func() string)()
	fmt.Println(r)

	s := reflect.MakeSlice(reflect.SliceOf(reflect.TypeOf(Point{})), 2, 5)
	s.Index(1).Field(0).SetInt(8)
	pts := s.Interface().([]Point)
	fmt.Println(pts, len(pts), cap(pts), s.Type())
	mp := reflect.MakeMap(reflect.TypeOf(M{}))
	mp.SetMapIndex(reflect.ValueOf(Celsius(1)), reflect.ValueOf(pts))
	fmt.Println(mp.Interface().(M), mp.Len(), mp)
	for _, k := range mp.MapKeys() {
		fmt.Println(k, k.Type(), mp.MapIndex(k))
	}
	it := mp.MapRange()
	for it.Next() {
		fmt.Println(it.Key(), it.Value().Index(0).Field(1))
	}
	mo := reflect.MakeMap(reflect.MapOf(reflect.TypeOf(""), reflect.TypeOf(Point{})))
	mo.SetMapIndex(reflect.ValueOf("k"), reflect.ValueOf(Point{1, 1}))
	fmt.Println(mo.Interface().(map[string]Point)["k"], mo.Type())
	var sh Shape = Sq{3}
	sv := reflect.ValueOf(&sh).Elem()
	fmt.Println(sv.Kind(), sv.Type(), sv.Elem().Type(), sv.NumMethod(), sv.Method(0).Call(nil)[0].Float())
	sv.Set(reflect.ValueOf(Sq{4}))
	fmt.Println(sh.Area())
	fmt.Println(reflect.TypeOf(Sq{}).Implements(reflect.TypeOf((*Shape)(nil)).Elem()), reflect.TypeOf(0).Implements(reflect.TypeFor[Shape]()))
	fmt.Println(reflect.ValueOf(Celsius(5)).Convert(reflect.TypeOf(1)).Interface(), reflect.ValueOf(5).Convert(reflect.TypeOf(Celsius(0))).Interface())
	fmt.Println(reflect.ValueOf(IDs{1, 2}).Convert(reflect.TypeOf([]int{})).Interface(), reflect.ValueOf([]int{4}).Type().AssignableTo(reflect.TypeOf(IDs{})))
	var ids IDs
	reflect.ValueOf(&ids).Elem().Set(reflect.ValueOf([]int{1, 2, 3}))
	fmt.Println(ids, reflect.ValueOf(ids).Slice(1, 3), reflect.ValueOf(ids).Slice(1, 3).Type())
	fmt.Println(reflect.Zero(reflect.TypeOf(u)).Field(1).String() == "", reflect.New(reflect.TypeOf(Celsius(0))).Elem().Interface())
	ch := reflect.MakeChan(reflect.TypeOf(make(chan Point)), 1)
	ch.Send(reflect.ValueOf(Point{5, 6}))
	x, ok := ch.Recv()
	fmt.Println(x, ok, x.Type())
	fv := reflect.ValueOf(func(a Point, b ...Celsius) (int, error) { return a.X + len(b), nil })
	out := fv.Call([]reflect.Value{reflect.ValueOf(Point{1, 2}), reflect.ValueOf(Celsius(1))})
	fmt.Println(out[0].Int(), out[1].IsNil(), out[1].Type(), fv.Type(), fv.Type().IsVariadic())
	try("set", func() { v.Field(1).SetString("x") })
	try("set unexported", func() { e.FieldByName("priv").SetInt(1) })
	try("iface", func() { e.FieldByName("priv").Interface() })
	try("wrong", func() { e.FieldByName("Temp").Set(reflect.ValueOf(1.5)) })
	try("kind", func() { e.Int() })
	try("zero", func() { reflect.Value{}.Type() })
	try("zero2", func() { var z reflect.Value; z.Int() })
	try("call", func() { fv.Call(nil) })
	try("call2", func() { fv.Call([]reflect.Value{reflect.ValueOf(1)}) })
	try("index", func() { reflect.ValueOf(ids).Index(10) })
	try("mapset", func() { mp.SetMapIndex(reflect.ValueOf("x"), reflect.ValueOf(pts)) })
	try("nilmap", func() { reflect.ValueOf(M(nil)).SetMapIndex(reflect.ValueOf(Celsius(1)), reflect.ValueOf(pts)) })
	try("conv", func() { reflect.ValueOf(u).Convert(reflect.TypeOf(1)) })
	try("elem", func() { reflect.ValueOf(u).Elem() })
	fmt.Printf("%v %v %d %T %T\n", reflect.ValueOf(Celsius(1)), []any{reflect.ValueOf(Point{1, 2})}, reflect.ValueOf(3), reflect.ValueOf(1), []reflect.Value{})
	fmt.Println(reflect.ValueOf(u).String(), reflect.ValueOf("s").String(), reflect.Value{}.String(), reflect.ValueOf(nil).IsValid())
	fmt.Println(reflect.DeepEqual(u, u), reflect.Indirect(p).Type(), reflect.ValueOf(&p).Elem().Type())
	for _, f := range reflect.VisibleFields(t) {
		fmt.Print(f.Name, f.Index, " ")
	}
	fmt.Println()
	fs := map[string]reflect.Value{"a": reflect.ValueOf(1), "b": reflect.ValueOf(Celsius(2))}
	var ks []string
	for k, v := range fs {
		ks = append(ks, k+v.Type().String())
	}
	sort.Strings(ks)
	fmt.Println(ks, fs["a"], fs["zz"].IsValid())
	fmt.Println(reflect.ValueOf(Point{1, 2}).Equal(reflect.ValueOf(Point{1, 2})), reflect.ValueOf(Point{1, 2}).Comparable(), reflect.ValueOf(M{}).Comparable())
	walk(reflect.ValueOf(map[string]any{"k": []any{1, "x", Point{1, 2}, &Point{3, 4}, nil}}), 0)
	sw := reflect.Swapper(pts)
	sw(0, 1)
	fmt.Println(pts)
	i, rv, ok := reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectDefault}, {Dir: reflect.SelectRecv, Chan: ch}})
	fmt.Println(i, rv.IsValid(), ok)
	a, ok2 := reflect.TypeAssert[Celsius](reflect.ValueOf(Celsius(4)))
	fmt.Println(a, ok2)
	for i, x := range reflect.ValueOf(pts).Seq2() {
		fmt.Println(i, x)
	}
}

func walk(v reflect.Value, d int) {
	switch v.Kind() {
	case reflect.Invalid:
		fmt.Println(d, "invalid")
	case reflect.Map:
		for _, k := range v.MapKeys() {
			fmt.Println(d, "key", k)
			walk(v.MapIndex(k), d+1)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			walk(v.Index(i), d+1)
		}
	case reflect.Interface, reflect.Pointer:
		fmt.Println(d, v.Kind(), v.IsNil())
		walk(v.Elem(), d+1)
	case reflect.Struct:
		for i := range v.NumField() {
			fmt.Println(d, v.Type().Field(i).Name)
			walk(v.Field(i), d+1)
		}
	default:
		fmt.Println(d, v.Kind(), v.Interface())
	}
}
