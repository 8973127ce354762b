package differential

import (
	"fmt"
	"strings"
)

// zero is a value of the type that mentions no variable.
func (g *gen) zero(t string) string {
	switch t {
	case "int":
		return "0"
	case "Color", "Meters", "float64", "uint8":
		return t + "(0)"
	case "string":
		return `""`
	case "bool":
		return "false"
	case "Plusser":
		return "Point{}"
	case "func(int) int":
		return "func(x int) int { return x }"
	case "*Point":
		return "&Point{}"
	case "*Stack[int]":
		return "&Stack[int]{}"
	case "any", "error", "[]int", "[]Point", "[]func() int":
		return "(" + t + ")(nil)"
	case "map[string]int":
		return "map[string]int{}"
	case "chan int":
		return "make(chan int, 1)"
	}
	return t + "{}"
}

// pick returns a variable of the type, if there is one.
func (g *gen) pick(t string) (string, bool) {
	var names []string
	for _, v := range g.scope {
		if v.typ == t {
			names = append(names, v.name)
		}
	}
	if len(names) == 0 {
		return "", false
	}
	return names[g.r.IntN(len(names))], true
}

// expr is an expression of the type that can stand before a selector. The deeper, the simpler.
func (g *gen) expr(t string, depth int) string {
	x := g.bare(t, depth)
	if strings.Trim(x, "abcdefghijklmnopqrstuvwxyz0123456789") == "" || x[0] == '"' && strings.Count(x, `"`) == 2 {
		return x
	}
	return "(" + x + ")"
}

func (g *gen) bare(t string, depth int) string {
	if v, ok := g.pick(t); ok && (depth <= 0 || g.r.IntN(3) > 0) {
		return v
	}
	if depth <= 0 {
		if t == "int" {
			return fmt.Sprint(g.r.IntN(20) - 5)
		}
		return g.zero(t)
	}
	d := depth - 1
	e := func(t string) string { return g.expr(t, d) }
	if g.r.IntN(6) == 0 {
		for _, i := range g.r.Perm(len(g.funcs)) {
			if f := g.funcs[i]; f.result == t {
				var args []string
				for _, p := range f.params {
					args = append(args, g.argument(p, d))
				}
				return f.name + "(" + strings.Join(args, ", ") + ")"
			}
		}
	}
	switch t {
	case "int":
		switch g.r.IntN(20) {
		case 0, 1, 2:
			return "(" + e("int") + g.one(" + ", " - ", " * ", " &^ ", " | ", " ^ ") + e("int") + ")"
		case 3:
			return "(" + e("int") + g.one(" / ", " % ") + g.one("3", "7", "-2") + ")"
		case 4:
			return "len(" + e(g.one("string", "[]int", "map[string]int", "[]Point")) + ")"
		case 5:
			return "at(" + e("[]int") + ", " + e("int") + ")"
		case 6:
			return e("Point") + g.one(".X", ".Y", ".Sum()")
		case 7:
			return e("*Point") + ".Plus(" + e("int") + ")"
		case 8:
			return e("Plusser") + ".Plus(" + e("int") + ")"
		case 9:
			return "(" + e("func(int) int") + ")(" + e("int") + ")"
		case 10:
			return e("map[string]int") + `["a"]`
		case 11:
			return e("[3]int") + "[" + g.one("0", "1", "2") + "]"
		case 12:
			return "Fold(" + e("[]int") + ", " + e("int") + ", func(a, x int) int { return a - x })"
		case 13:
			return "Total(" + e("int") + ", " + e("int") + ")"
		case 14:
			return "int(" + e(g.one("uint8", "Color")) + ")"
		case 15:
			return e("Box") + g.one(".X", ".Arr[1]", ".Sum()", ".Point.Y")
		case 16:
			return g.one("min", "max") + "(" + e("int") + ", " + e("int") + ")"
		case 17:
			return e("Pair[string, int]") + ".Val"
		default:
			// A counter of its own: one that others read would make the order of evaluation matter, which Go leaves open.
			n := g.name("n")
			return "func() int { " + n + " := " + e("int") + "; for range 2 { defer func() { " + n + "++ }(); " + n + " += 3 }; return " + n + " }()"
		}
	case "string":
		switch g.r.IntN(6) {
		case 0:
			return "(" + e("string") + " + " + e("string") + ")"
		case 1:
			return "kind(" + e("any") + ")"
		case 2:
			return "fmt.Sprint(" + g.printable(d) + ")"
		case 3:
			return "strings.Repeat(" + e("string") + ", 2)[:0]"
		case 4:
			return e("Color") + ".String()"
		default:
			return fmt.Sprintf("%q", g.one("a", "bb", "héé", ""))
		}
	case "bool":
		switch g.r.IntN(5) {
		case 0:
			return "(" + e("int") + g.one(" < ", " == ", " >= ") + e("int") + ")"
		case 1:
			return "(" + e("bool") + g.one(" && ", " || ") + e("bool") + ")"
		case 2:
			return "(" + e("Point") + " == " + e("Point") + ")"
		case 3:
			return "(" + e("any") + " == any(" + e(g.one("int", "string", "Color", "Point")) + "))"
		default:
			return "!" + e("bool")
		}
	case "float64":
		return g.one("float64("+e("int")+")", "("+e("float64")+" / 4)", "float64("+e("Meters")+")", "Total("+e("float64")+", 0.5)")
	case "uint8":
		return g.one("u8("+e("int")+")", "(u8("+e("int")+") + 200)", "(u8("+e("int")+") << 3)")
	case "Color":
		return g.one("Red", "Green", "Blue", "Color("+e("int")+")", "("+e("Color")+" + 1)")
	case "Meters":
		return g.one("Meters("+e("float64")+")", "Total("+e("Meters")+", 1.5)", "Meters(2.5)")
	case "[]int":
		switch g.r.IntN(6) {
		case 0:
			return "append(append([]int(nil), " + e("[]int") + "...), " + e("int") + ")"
		case 1:
			return "append([]int(nil), " + e("[]int") + "...)"
		case 2:
			return "Map(" + e("[]int") + ", " + e("func(int) int") + ")"
		case 3:
			return "Map(" + e("[]Point") + ", Point.Sum)"
		default:
			return "[]int{" + e("int") + ", " + e("int") + ", " + e("int") + "}"
		}
	case "[]Point":
		return g.one("[]Point{"+e("Point")+", {1, 2}}", "append([]Point{"+e("Point")+"}, "+e("[]Point")+"...)", "Map("+e("[]int")+", func(x int) Point { return Point{x, "+e("int")+"} })")
	case "[3]int":
		return g.one("[3]int{"+e("int")+", 2, "+e("int")+"}", e("Box")+".Arr", "[...]int{2: "+e("int")+"}")
	case "Point":
		return g.one("Point{"+e("int")+", "+e("int")+"}", "*"+e("*Point"), e("Box")+".Point", "Point{Y: "+e("int")+"}")
	case "*Point":
		return g.one("&Point{"+e("int")+", 1}", "func() *Point { p := "+e("Point")+"; p.Move(2); return &p }()")
	case "Box":
		return "Box{Point: " + e("Point") + ", Name: " + e("string") + ", Arr: " + e("[3]int") + "}"
	case "map[string]int":
		return `map[string]int{"a": ` + e("int") + `, "b": ` + e("int") + "}"
	case "Pair[string, int]":
		return g.one("Pair[string, int]{"+e("string")+", "+e("int")+"}", "Pairs("+`map[string]int{"k": `+e("int")+"})[0]")
	case "func(int) int":
		switch g.r.IntN(5) {
		case 0:
			return e("Point") + ".Plus"
		case 1:
			return e("*Point") + ".Plus"
		case 2:
			return e("Plusser") + ".Plus"
		default:
			x, n := g.name("x"), g.name("n")
			save := g.scope
			g.scope = append(append([]variable(nil), g.scope...), variable{x, "int"}, variable{n, "int"})
			body := g.expr("int", d)
			g.scope = save
			return "func() func(int) int { " + n + " := 1; return func(" + x + " int) int { " + n + "++; " + x + " -= 2; return " + body + " } }()"
		}
	case "any":
		return "any(" + e(g.one("int", "string", "Color", "Meters", "[]int", "Point", "*Point", "func(int) int", "float64", "[3]int", "Plusser", "error")) + ")"
	case "Plusser":
		return "Plusser(" + g.one(e("Point"), e("*Point"), "Adder("+e("func(int) int")+")", "&Box{Point: "+e("Point")+"}") + ")"
	case "error":
		return g.one("error(&Bad{"+e("int")+"})", `errors.New("e")`, `fmt.Errorf("w %w", `+e("error")+")", `errors.Join(&Bad{1}, errors.New("j"))`)
	case "*Stack[int]":
		return "(&Stack[int]{}).Push(" + e("int") + ").Push(" + e("int") + ")"
	case "[]func() int":
		return "[]func() int{func() int { return " + e("int") + " }}"
	case "chan int":
		return "func() chan int { c := make(chan int, 2); c <- " + e("int") + "; return c }()"
	}
	return g.zero(t)
}

// argument is an expression of the type that gives the function called nothing by which it could change what the rest of
// the expression reads.
func (g *gen) argument(t string, depth int) string {
	save := g.scope
	g.scope = nil
	for _, v := range save {
		switch v.typ {
		case "*Point", "Plusser", "any", "map[string]int", "*Stack[int]", "chan int", "[]func() int", "func(int) int":
		default:
			g.scope = append(g.scope, v)
		}
	}
	x := g.expr(t, depth)
	g.scope = save
	return x
}

// mutation is a short statement that changes a variable, if there is one to change.
func (g *gen) mutation() string {
	if v, ok := g.pick("int"); ok {
		return g.one(v+"++", v+" += 2", v+" ^= 5", v+" *= 3")
	}
	if v, ok := g.pick("Point"); ok {
		return g.one(v+".X++", v+".Move(1)")
	}
	return "fuel--"
}

// printable is a list of arguments for fmt.Println that print no addresses.
func (g *gen) printable(depth int) string {
	var args []string
	for range 1 + g.r.IntN(3) {
		args = append(args, g.expr(g.one("int", "string", "bool", "float64", "[]int", "Point", "Color", "Meters", "[3]int", "map[string]int", "Pair[string, int]", "[]Point", "uint8", "error", "Box"), depth))
	}
	return strings.Join(args, ", ")
}
