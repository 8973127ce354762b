package differential

import (
	"fmt"
	"strings"
)

func (g *gen) block(n int) {
	save := g.scope
	g.depth++
	for range n {
		g.statement()
	}
	g.depth--
	g.scope = save
}

// body writes a nested block.
func (g *gen) body(n int) {
	g.indent++
	g.block(n)
	g.indent--
}

func (g *gen) declare(t, init string) string {
	v := g.name("v")
	if g.r.IntN(4) == 0 || t == "Plusser" || t == "any" || t == "error" || init == "nil" || init == "0" {
		g.line("var %s %s = %s", v, t, init)
	} else {
		switch t {
		case "uint8", "Color", "Meters", "float64":
			init = t + "(" + init + ")"
		}
		g.line("%s := %s", v, init)
	}
	g.line("_ = %s", v)
	g.scope = append(g.scope[:len(g.scope):len(g.scope)], variable{v, t})
	return v
}

func (g *gen) statement() {
	deep := g.depth > 4
	if g.r.IntN(4) == 0 {
		g.template()
		return
	}
	switch n := g.r.IntN(30); {
	case n < 6:
		t := g.typ()
		g.declare(t, g.expr(t, 2))
	case n < 10:
		g.line("fmt.Println(%q, %s)", g.name("#"), g.printable(2))
	case n < 12:
		t := g.typ()
		if v, ok := g.pick(t); ok {
			g.line("%s = %s", v, g.expr(t, 2))
		} else {
			g.line("%s", g.mutation())
		}
	case n == 12 && !deep:
		g.line("if %s {", g.expr("bool", 2))
		g.body(2)
		g.line("} else {")
		g.body(1)
		g.line("}")
	case n == 13 && !deep && g.loops < 2:
		i := g.name("i")
		label := g.name("L")
		g.loops++
		labelled := g.r.IntN(2) == 0
		if labelled {
			g.line("%s:", label)
		}
		g.line("%s {", g.one(fmt.Sprintf("for %s := 0; %s < %d; %s++", i, i, 2+g.r.IntN(3), i), fmt.Sprintf("for %s := range %d", i, 2+g.r.IntN(3)), fmt.Sprintf("for %s := range count(%d)", i, 3)))
		save := g.scope // without i itself: a program that changes it might not end
		g.indent++
		g.declare("int", i)
		g.indent--
		g.body(2)
		if labelled {
			g.line("\tif %s { %s %s }", g.expr("bool", 1), g.one("break", "continue"), label)
		} else if g.r.IntN(3) == 0 {
			g.line("\tif %s { %s }", g.expr("bool", 1), g.one("break", "continue"))
		}
		g.scope = save
		g.line("}")
		g.loops--
	case n == 14 && !deep && g.loops < 2:
		v := g.name("v")
		g.loops++
		g.line("for _, %s := range %s {", v, g.expr("[]int", 1)+"[:0:0]")
		g.line("\t_ = %s", v)
		g.line("}")
		k := g.name("k")
		g.line("for %s, %s := range [...]int{%s, %s} {", k, v, g.expr("int", 1), g.expr("int", 1))
		save := g.scope
		g.scope = append(g.scope[:len(g.scope):len(g.scope)], variable{k, "int"}, variable{v, "int"})
		g.line("\t_, _ = %s, %s", k, v)
		g.body(2)
		g.scope = save
		g.line("}")
		g.loops--
	case n == 15 && g.inLit == 0 || n == 15:
		switch g.r.IntN(4) {
		case 0:
			g.line("defer fmt.Println(%q, %s)", g.name("deferred"), g.printable(1))
		case 1:
			g.line("defer func() { %s; fmt.Println(%q, %s) }()", g.mutation(), g.name("closed"), g.printable(1))
		case 2:
			g.line("defer func(x int) { fmt.Println(%q, x, %s) }(%s)", g.name("argument"), g.printable(1), g.expr("int", 1))
		default:
			p := g.name("p")
			g.line("%s := %s", p, g.expr("*Point", 1))
			g.line("defer %s.Move(%s)", p, g.expr("int", 1))
			g.line("defer func(f func() int) { fmt.Println(%q, f()) }(%s.Sum)", g.name("bound"), p)
		}
	case n == 16 && !deep:
		g.line("try(%q, func() {", g.name("t"))
		g.inLit++
		g.body(2)
		g.indent++
		switch g.r.IntN(9) {
		case 0:
			g.line("panic(%s)", g.expr(g.one("string", "int", "error", "Color", "Point", "Meters"), 1))
		case 1:
			g.line("var m map[string]int")
			g.line("m[%s] = 1", g.expr("string", 1))
		case 2:
			g.line("xs := %s", g.expr("[]int", 1))
			g.line("fmt.Println(xs[len(xs)+%d])", g.r.IntN(3))
		case 3:
			g.line("zero := len(%s) * 0", g.expr("string", 1))
			g.line("fmt.Println(%s / zero)", g.expr("int", 1))
		case 4:
			g.line("fmt.Println(%s.(%s))", g.expr("any", 1), g.one("int", "string", "Color", "Point", "fmt.Stringer", "Plusser", "error"))
		case 5:
			g.line("var p *Box")
			g.line("fmt.Println(p.Name)")
		case 6:
			g.line("defer func() { fmt.Println(recover()); panic(%s) }()", g.expr("string", 1))
			g.line("panic(1)")
		}
		g.indent--
		g.inLit--
		g.line("})")
	case n == 17 && !deep:
		g.line("switch x := %s; {", g.expr("int", 1))
		g.line("case x > %d:", g.r.IntN(5))
		g.body(1)
		if g.r.IntN(2) == 0 {
			g.line("\tfallthrough")
		}
		g.line("case x < 0:")
		g.body(1)
		g.line("default:")
		g.body(1)
		g.line("}")
	case n == 18:
		fs := g.name("fs")
		i := g.name("i")
		g.line("var %s []func() int", fs)
		g.line("for %s := %s; %s < 3; %s++ {", i, g.one("0", "1"), i, i)
		g.line("\t%s = append(%s, func() int { %s += 10; return %s })", fs, fs, i, i)
		g.line("\tif %s > 20 { break }", i)
		g.line("\t%s -= 0", i)
		g.line("\t%s", g.mutation())
		g.line("}")
		g.line("for _, f := range %s { fmt.Println(%q, f(), f()) }", fs, g.name("captured"))
	case n == 19:
		a, b := g.name("a"), g.name("b")
		t := g.one("Point", "Box", "[3]int", "Pair[string, int]")
		g.line("%s := %s", a, g.expr(t, 2))
		g.line("%s := %s", b, a)
		g.line("%s", map[string]string{"Point": b + ".X += 7", "Box": b + ".Arr[1]++; " + b + ".Y--", "[3]int": b + "[2] = 99", "Pair[string, int]": b + ".Val = -1"}[t])
		g.line("fmt.Println(%q, %s, %s, %s == %s)", g.name("copied"), a, b, map[bool]string{true: a, false: "1"}[t != "Box"], map[bool]string{true: b, false: "2"}[t != "Box"])
	case n == 20:
		f, p := g.name("f"), g.name("p")
		g.line("%s := %s", p, g.expr("Point", 1))
		g.line("%s := %s.%s", f, p, g.one("Sum", "Sum"))
		g.line("%s.X += 100", p)
		g.line("fmt.Println(%q, %s(), %s.Sum())", g.name("methodvalue"), f, p)
	case n == 21:
		g.line("fmt.Printf(%q, %s)", g.one("%v", "%+v", "%#v")+" %v %T\n", strings.Join([]string{g.expr(g.one("Point", "Color", "Meters", "Box"), 1), g.expr(g.one("Point", "Color", "[]Point", "Pair[string, int]"), 1), g.expr(g.one("Color", "Meters", "Point", "func(int) int", "[3]int"), 1)}, ", "))
	case n == 22:
		g.line("fmt.Println(%q, kind(%s), kind(%s))", g.name("kind"), g.expr("any", 2), g.expr(g.one("Point", "Color", "*Point", "error", "Plusser", "func(int) int"), 1))
	case n == 23:
		c, total := g.name("c"), g.name("total")
		g.line("%s, %s := make(chan int), 0", c, total)
		g.line("go func() { defer close(%s); for i := range 3 { %s <- i * %s } }()", c, c, fmt.Sprint(g.r.IntN(9)))
		g.line("for x := range %s { %s += x }", c, total)
		g.line("select { case x, ok := <-%s: fmt.Println(%q, x, ok, %s); default: }", c, g.name("select"), total)
	case n == 24:
		m, w := g.name("mu"), g.name("wg")
		v := g.declare("int", "0")
		g.line("var %s sync.Mutex; var %s sync.WaitGroup", m, w)
		g.line("for i := range 4 { %s.Add(1); go func() { defer %s.Done(); %s.Lock(); defer %s.Unlock(); %s += i }() }", w, w, m, m, v)
		g.line("%s.Wait()", w)
		g.line("fmt.Println(%q, %s)", g.name("wait"), v)
	case n == 25:
		s := g.expr("*Stack[int]", 2)
		x := g.name("x")
		g.line("if %s, ok := %s.Pop(); ok { fmt.Println(%q, %s) }", x, s, g.name("pop"), x)
	case n == 26:
		if a, ok := g.pick("int"); ok {
			b := g.expr("int", 1)
			v := g.declare("int", b)
			g.line("%s, %s = %s, %s", a, v, v, a)
			g.line("fmt.Println(%q, %s, %s)", g.name("swapped"), a, v)
		}
	case n == 27:
		if m, ok := g.pick("map[string]int"); ok {
			g.line("%s[%s] %s %s", m, g.expr("string", 1), g.one("=", "+=", "-="), g.expr("int", 1))
			g.line("if x, ok := %s[%q]; ok { fmt.Println(%q, x); delete(%s, \"a\") }", m, g.one("a", "zz"), g.name("found"), m)
			g.line("fmt.Println(%q, %s, len(%s))", g.name("map"), m, m)
		}
	case n == 28:
		p := g.declare("Plusser", g.expr("Plusser", 1))
		g.line("if s, ok := %s.(Summer); ok { fmt.Println(%q, s.Sum(), s.Plus(1)) } else { fmt.Println(%q, %s.Plus(4)) }", p, g.name("summer"), g.name("plus"), p)
	default:
		xs := g.declare("[]int", "append([]int{4, 3}, "+g.expr("[]int", 2)+"...)")
		ys := g.name("ys")
		g.line("%s := append(%s[:len(%s)/2], %s)", ys, xs, xs, g.expr("int", 1))
		g.line("sort.Slice(%s, func(i, j int) bool { return %s[i] < %s[j] })", ys, ys, ys)
		g.line("fmt.Println(%q, %s, %s, len(%s))", g.name("aliased"), xs, ys, xs)
	}
}
