package differential

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// typePrograms are programs about types made from seeds: structs that embed and hold one another, their methods, generic
// types and functions over them, and what copies, comparisons, interfaces, package fmt, json and reflect make of the values.
func typePrograms(*testing.T) (ps []*program) {
	for seed := range *random / 4 {
		seed += *firstSeed
		ps = append(ps, &program{name: fmt.Sprintf("types/%04d", seed), source: typeProgram(uint64(seed))})
	}
	return ps
}

// declaredType is a struct type of the program.
type declaredType struct {
	name    string
	fields  []declaredField
	methods map[string]bool // by name: whether the receiver is a pointer
	cmp     bool            // comparable
}

type declaredField struct {
	name, typ string
	embedded  bool
}

type typeGen struct {
	r     *rand.Rand
	b     strings.Builder
	types []*declaredType
}

const typePrelude = `package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"sort"
)

type Grade uint8

func (g Grade) String() string { return "grade " + string('A'+rune(g%5)) }

type Score float64

type Names []string

func (n Names) Len() int { return len(n) }

type Getter interface{ Get() int }

type Setter interface {
	Getter
	Set(int)
}

type Fault struct{ At any }

func (f Fault) Error() string { return fmt.Sprint("fault at ", f.At) }

type Ordered interface {
	~int | ~uint8 | ~float64 | ~string
}

type Keyed[K Ordered, V any] struct {
	m    map[K]V
	last *K
}

func (k *Keyed[K, V]) Put(key K, v V) *Keyed[K, V] {
	if k.m == nil {
		k.m = map[K]V{}
	}
	k.m[key], k.last = v, &key
	return k
}

func (k Keyed[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, key := range slices.Sorted(maps.Keys(k.m)) {
			if !yield(key, k.m[key]) {
				return
			}
		}
	}
}

func GetAll[T Getter](xs ...T) (t int) {
	for _, x := range xs {
		t = t*7 + x.Get()
	}
	return
}

func Apply[T any, P interface {
	*T
	Set(int)
}](t T, n int) T {
	P(&t).Set(n)
	return t
}

func Same[T comparable](a, b T) bool { return a == b && any(a) == any(b) }

func Show(tag string, v any) {
	fmt.Printf("%s %v|%+v|%T\n", tag, v, v, v)
}

func Try(tag string, f func()) {
	defer func() {
		r := recover()
		if err, ok := r.(error); ok {
			var fault Fault
			fmt.Println(tag, "error", err, errors.As(err, &fault))
		} else {
			fmt.Printf("%s %v %T\n", tag, r, r)
		}
	}()
	f()
}

func JSON(tag string, v, back any) {
	b, err := json.Marshal(v)
	fmt.Println(tag, string(b), err)
	if err == nil {
		fmt.Println(tag, json.Unmarshal(b, back))
	}
}

func Fields(tag string, v any) {
	r := reflect.ValueOf(v)
	t := r.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		fmt.Println(tag, f.Name, f.Type, f.Tag, f.Anonymous, r.Field(i).IsZero())
	}
	for i := range t.NumMethod() {
		fmt.Println(tag, t.Method(i).Name, t.Method(i).Type)
	}
}

var (
	_ = cmp.Compare[int]
	_ = sort.Ints
)

`

func typeProgram(seed uint64) string {
	g := &typeGen{r: rand.New(rand.NewPCG(seed, 99))}
	g.b.WriteString(typePrelude)
	for i := range 3 + g.r.IntN(4) {
		g.declare(i)
	}
	g.b.WriteString("func main() {\n")
	for _, t := range g.types {
		for range 2 {
			g.b.WriteString("\tfunc() {\n") // labels and defers of its own
			g.use(t)
			g.b.WriteString("\t}()\n")
		}
	}
	g.b.WriteString("}\n")
	return g.b.String()
}

func (g *typeGen) line(f string, a ...any) { fmt.Fprintf(&g.b, f+"\n", a...) }

func (g *typeGen) one(s ...string) string { return s[g.r.IntN(len(s))] }

func (g *typeGen) declare(i int) {
	t := &declaredType{name: fmt.Sprintf("T%d", i), methods: map[string]bool{}, cmp: true}
	used := map[string]bool{}
	add := func(f declaredField) {
		if !used[f.name] {
			used[f.name] = true
			t.fields = append(t.fields, f)
		}
	}
	for range 1 + g.r.IntN(4) {
		name := g.one("A", "B", "C", "D", "x", "y")
		var typ string
		switch g.r.IntN(12) {
		case 0, 1:
			typ = g.one("int", "int8", "string", "float64", "bool", "uint16")
		case 2:
			typ = g.one("Grade", "Score")
		case 3:
			typ, t.cmp = g.one("[]int", "Names", "map[string]Grade", "[]Score"), false
		case 4:
			typ = g.one("[2]int", "[2]Grade", "[1]string")
		case 5:
			typ = g.one("any", "Getter", "error")
		case 6:
			typ = "struct{ P, q " + g.one("int", "Grade") + " }"
		default:
			if len(g.types) == 0 {
				typ = "int"
				break
			}
			u := g.types[g.r.IntN(len(g.types))]
			switch g.r.IntN(5) {
			case 0, 1:
				add(declaredField{u.name, u.name, true})
				t.cmp = t.cmp && u.cmp
				continue
			case 2:
				add(declaredField{u.name, "*" + u.name, true})
				continue
			case 3:
				typ = u.name
				t.cmp = t.cmp && u.cmp
			default:
				typ, t.cmp = "[]"+u.name, false
			}
		}
		add(declaredField{name, typ, false})
	}
	g.types = append(g.types, t)
	g.line("type %s struct {", t.name)
	for _, f := range t.fields {
		tag := ""
		if g.r.IntN(4) == 0 && !f.embedded {
			tag = g.one(" `json:\"t,omitempty\"`", " `json:\"-\"`", " `json:\"n_"+strings.ToLower(f.name)+"\"`")
		}
		if f.embedded {
			g.line("\t%s%s", f.typ, tag)
		} else {
			g.line("\t%s %s%s", f.name, f.typ, tag)
		}
	}
	g.line("}\n")
	recv := func(ptr bool) string {
		if ptr {
			return "t *" + t.name
		}
		return "t " + t.name
	}
	if g.r.IntN(3) > 0 {
		ptr := g.r.IntN(3) == 0
		t.methods["Get"] = ptr
		what := "t." + t.fields[0].name
		if g.pointers(&declaredType{fields: t.fields[:1]}, map[string]bool{}) { // an address is longer at times
			what = "n"
		}
		g.line("func (%s) Get() int {\n\tn := %d\n\treturn len(fmt.Sprint(%s)) + n\n}\n", recv(ptr), i*10, what)
	}
	if g.r.IntN(2) == 0 {
		ptr := g.r.IntN(4) > 0
		t.methods["Set"] = ptr
		g.line("func (%s) Set(n int) { %s }\n", recv(ptr), g.change("t", t))
	}
	if g.r.IntN(5) == 0 {
		t.methods["String"] = false
		g.line("func (%s) String() string { return \"<%s>\" }\n", recv(false), t.name)
	}
}

// change is a statement that changes a field of v with an int n.
func (g *typeGen) change(v string, t *declaredType) string {
	f := t.fields[g.r.IntN(len(t.fields))]
	v += "." + f.name
	switch f.typ {
	case "int", "int8", "float64", "uint16", "Grade", "Score":
		return fmt.Sprintf("%s += %s(n)", v, f.typ)
	case "string":
		return v + " += fmt.Sprint(n)"
	case "[]int":
		return v + " = append(" + v + ", n)"
	case "[2]int":
		return v + "[n&1]++"
	case "any":
		return v + " = n"
	case "map[string]Grade":
		return v + " = map[string]Grade{\"n\": Grade(n)}"
	case "bool":
		return v + " = !" + v
	}
	return "_ = n"
}

// value is a composite literal or other value of a type.
func (g *typeGen) value(typ string, depth int) string {
	n := fmt.Sprint(g.r.IntN(9))
	switch typ {
	case "int", "int8", "uint16", "Grade":
		return n
	case "float64", "Score":
		return n + ".5"
	case "string":
		return `"s` + n + `"`
	case "bool":
		return g.one("true", "false")
	case "[]int", "[]Score":
		return g.one(typ+"{1, "+n+"}", "nil", typ+"{}")
	case "Names":
		return g.one(`Names{"n`+n+`"}`, "nil")
	case "map[string]Grade":
		return g.one(`map[string]Grade{"k": `+n+`}`, "nil")
	case "[2]int", "[2]Grade":
		return typ + "{" + n + ", 1}"
	case "[1]string":
		return `[1]string{"a` + n + `"}`
	case "any":
		return g.one("nil", n, `"x"`, "Grade("+n+")", "[1]string{}", "Fault{"+n+"}")
	case "Getter":
		return "nil"
	case "error":
		return g.one("nil", "error(Fault{"+n+"})")
	}
	if strings.HasPrefix(typ, "struct") {
		return typ + "{" + n + ", 2}"
	}
	if u, ok := strings.CutPrefix(typ, "[]"); ok {
		return g.one("nil", typ+"{"+g.value(u, depth+1)+"}")
	}
	star := strings.HasPrefix(typ, "*")
	for _, t := range g.types {
		if t.name == strings.TrimPrefix(typ, "*") {
			var fs []string
			for _, f := range t.fields {
				if depth < 3 || strings.HasPrefix(f.typ, "*") { // what is embedded by pointer is never nil
					fs = append(fs, f.name+": "+g.value(f.typ, depth+1))
				}
			}
			s := t.name + "{" + strings.Join(fs, ", ") + "}"
			if star {
				s = "&" + s
			}
			return s
		}
	}
	return typ + "{}"
}

// use writes a block that does something with values of t.
func (g *typeGen) use(t *declaredType) {
	tag := fmt.Sprintf("%q", fmt.Sprintf("%s.%d", t.name, g.r.IntN(1000)))
	v := func() string { return g.value(t.name, 0) }
	pointers := g.pointers(t, map[string]bool{})
	g.line("\t{")
	g.line("\t\ta, n := %s, %d", v(), g.r.IntN(20))
	g.line("\t\tb := a")
	g.line("\t\t%s", g.change("b", t))
	g.line("\t\t_, _ = b, n")
	if !pointers {
		g.line("\t\tShow(%s, a)", tag)
		g.line("\t\tShow(%s, []%s{a, b}[:1])", tag, t.name)
		g.line("\t\tfmt.Printf(\"%%#v %%v\\n\", a, map[string]%s{\"k\": b})", t.name)
	}
	if t.cmp {
		g.line("\t\tTry(%s, func() { fmt.Println(Same(a, b), a == b, map[%s]int{a: 1}[b]) })", tag, t.name)
	} else {
		g.line("\t\tTry(%s, func() { fmt.Println(any(a) == any(b)) })", tag)
	}
	switch g.r.IntN(6) {
	case 0:
		g.line("\t\tvar back %s", t.name)
		g.line("\t\tJSON(%s, b, &back)", tag)
	case 1:
		g.line("\t\tFields(%s, a)", tag)
	case 2:
		g.line("\t\tk := new(Keyed[Grade, %s]).Put(3, a).Put(1, b)", t.name)
		g.line("\t\tfor key, x := range k.All() {\n\t\t\tdefer func() { x = %s; fmt.Println(%s, key, *k.last) }()\n\t\t\tif key > 2 {\n\t\t\t\tcontinue\n\t\t\t}\n\t\t\tb = x\n\t\t}", v(), tag)
		g.line("\t\tfmt.Printf(\"%%T %%d\\n\", k, len(k.m))")
	case 3:
		g.line("\tskip:\n\t\tfor i := range 4 {\n\t\t\tfor j := range 3 {\n\t\t\t\tswitch {\n\t\t\t\tcase j == i:\n\t\t\t\t\tcontinue skip\n\t\t\t\tcase i == 3:\n\t\t\t\t\tbreak skip\n\t\t\t\t}\n\t\t\t\tdefer func() { fmt.Println(%s, i, j) }()\n\t\t\t}\n\t\t}", tag)
	case 4:
		g.line("\t\tms := map[int]%s{1: a}", t.name)
		g.line("\t\tc := ms[1]\n\t\t%s\n\t\tms[2] = c\n\t\tfmt.Println(%s, len(ms), len(fmt.Sprint(ms[3])) > 0)", g.change("c", t), tag)
	}
	for _, i := range []string{"Getter", "Setter", "fmt.Stringer", "error"} {
		g.line("\t\tif x, ok := any(%sa).(%s); ok {\n\t\t\t_ = x\n\t\t\tfmt.Println(%s, %q)\n\t\t}", g.one("", "&"), i, tag, i)
	}
	if ptr, ok := t.methods["Get"]; ok {
		g.line("\t\tget := a.Get")
		g.line("\t\t%s", strings.Replace(g.change("a", t), "n)", "n+1)", 1))
		amp := ""
		if ptr {
			amp = "&"
			g.line("\t\tfmt.Println(%s, get(), (*%s).Get(&b))", tag, t.name)
		} else {
			g.line("\t\tfmt.Println(%s, get(), %s.Get(b), (*%s).Get(&b))", tag, t.name, t.name)
		}
		g.line("\t\tfmt.Println(GetAll(%sa, %sb), GetAll[Getter](&a, %sb))", amp, amp, amp)
	}
	if ptr, ok := t.methods["Set"]; ok && ptr {
		g.line("\t\td := Apply(a, 3)")
		g.line("\t\tset := d.Set\n\t\tset(4)\n\t\tdefer set(n)")
		if !pointers {
			g.line("\t\tfmt.Println(%s, d, a)", tag)
		}
	}
	g.line("\t\tswitch x := any(b).(type) {\n\t\tcase interface{ Set(int) }:\n\t\t\tx.Set(2)\n\t\t\tfmt.Println(%s, \"set\")\n\t\tcase Getter:\n\t\t\tfmt.Println(%s, x.Get())\n\t\tcase %s:\n\t\t\tfmt.Println(%s, \"itself\")\n\t\t}", tag, tag, t.name, tag)
	g.line("\t}")
}

// pointers reports whether a value of t holds pointers, whose printed form is an address.
func (g *typeGen) pointers(t *declaredType, seen map[string]bool) bool {
	if seen[t.name] {
		return false
	}
	seen[t.name] = true
	for _, f := range t.fields {
		if strings.HasPrefix(f.typ, "*") {
			return true
		}
		for _, u := range g.types {
			if strings.TrimPrefix(f.typ, "[]") == u.name && g.pointers(u, seen) {
				return true
			}
		}
	}
	return false
}
