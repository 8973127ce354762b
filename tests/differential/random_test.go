package differential

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// randomPrograms are well-typed programs made from seeds. They end, print the same every time, and are dense in what an
// interpreter gets wrong: captured variables, defers, copies, method values, named types in interfaces, generics, panics.
func randomPrograms(*testing.T) (ps []*program) {
	for seed := range *random {
		seed += *firstSeed
		ps = append(ps, &program{name: fmt.Sprintf("random/%04d", seed), source: randomProgram(uint64(seed))})
	}
	return ps
}

// gen writes one program.
type gen struct {
	r      *rand.Rand
	b      strings.Builder
	indent int
	next   int
	funcs  []function
	scope  []variable
	depth  int // of nested statements
	loops  int
	inLit  int // function literals entered
}

type variable struct{ name, typ string }

type function struct {
	name   string
	params []string
	result string
}

// Types of variables, parameters and results.
var genTypes = []string{"int", "int", "int", "string", "bool", "float64", "[]int", "[]int", "Point", "*Point", "Box", "Color", "Meters", "map[string]int", "func(int) int",
	"any", "Plusser", "[3]int", "error", "*Stack[int]", "Pair[string, int]", "[]Point", "uint8", "[]func() int", "chan int"}

func randomProgram(seed uint64) string {
	g := &gen{r: rand.New(rand.NewPCG(seed, 17))}
	g.b.WriteString(prelude + preludeMore + preludeSort)
	n := 2 + g.r.IntN(4)
	for range n {
		f := function{name: g.name("f"), result: g.typ()}
		for range g.r.IntN(4) {
			f.params = append(f.params, g.typ())
		}
		g.function(f)
		g.funcs = append(g.funcs, f)
	}
	g.line("func main() {")
	g.indent++
	g.block(15 + g.r.IntN(15))
	g.indent--
	g.line("}")
	return g.b.String()
}

func (g *gen) name(prefix string) string { g.next++; return fmt.Sprint(prefix, g.next) }
func (g *gen) typ() string               { return genTypes[g.r.IntN(len(genTypes))] }
func (g *gen) one(s ...string) string    { return s[g.r.IntN(len(s))] }

func (g *gen) line(f string, a ...any) {
	fmt.Fprintf(&g.b, "%s%s\n", strings.Repeat("\t", g.indent), fmt.Sprintf(f, a...))
}

func (g *gen) function(f function) {
	save := g.scope
	g.scope = nil
	var ps []string
	for _, t := range f.params {
		p := g.name("p")
		ps = append(ps, p+" "+t)
		g.scope = append(g.scope, variable{p, t})
	}
	named := g.r.IntN(3) == 0
	result := f.result
	if named {
		result = "(res " + f.result + ")"
	}
	g.line("func %s(%s) %s {", f.name, strings.Join(ps, ", "), result)
	g.indent++
	g.line("if fuel--; fuel < 0 {")
	g.line("\treturn %s", g.zero(f.result))
	g.line("}")
	if named {
		g.scope = append(g.scope, variable{"res", f.result})
	}
	g.block(2 + g.r.IntN(5))
	g.line("return %s", g.expr(f.result, 2))
	g.indent--
	g.line("}\n")
	g.scope = save
}
