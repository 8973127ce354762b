package cell

import (
	"go/ast"
	"go/token"
	"go/types"
)

// facts is what one function and the literals inside it need to know before they are lowered.
type facts struct {
	boxed  map[*types.Var]bool // captured by a closure or address taken: lives in a box of its own
	safe   map[ast.Expr]bool   // index expressions known to be in range
	bodies map[*ast.BlockStmt]*bodyFacts
}

type bodyFacts struct {
	defers      bool
	recovers    bool
	yieldReturn bool // a return inside the body of a range-over-func loop
	gotos       bool
}

func (f *facts) of(b *ast.BlockStmt) *bodyFacts {
	if x := f.bodies[b]; x != nil {
		return x
	}
	return &bodyFacts{}
}

// analyse finds captured and addressed variables, defers and recovers below body. With all, every local variable declared there
// gets a box.
func analyse(info *types.Info, body *ast.BlockStmt, sub *subst, global func(*types.Var) bool, all bool) *facts {
	a := &analysis{info: info, sub: sub, global: global, all: all, facts: &facts{boxed: map[*types.Var]bool{}, bodies: map[*ast.BlockStmt]*bodyFacts{}},
		home: map[*types.Var]int{}}
	a.scopes = []*bodyFacts{{}}
	a.facts.bodies[body] = a.scopes[0]
	a.level = []int{0}
	a.walk(body)
	return a.facts
}

type analysis struct {
	info   *types.Info
	sub    *subst
	global func(*types.Var) bool
	all    bool
	facts  *facts
	home   map[*types.Var]int // closure number that declares it
	level  []int              // stack of closure numbers
	count  int
	scopes []*bodyFacts // stack of real functions
	yields int          // how many range-over-func bodies around, inside the innermost real function
}

func (a *analysis) cur() int { return a.level[len(a.level)-1] }

func (a *analysis) enter(g func()) {
	a.count++
	a.level = append(a.level, a.count)
	g()
	a.level = a.level[:len(a.level)-1]
}

func (a *analysis) use(id *ast.Ident) {
	v, ok := a.info.Uses[id].(*types.Var)
	if !ok || v.IsField() {
		return
	}
	home, known := a.home[v]
	if !known {
		if a.global(v) {
			return
		}
		home = 0 // parameters and results of the outermost function
	}
	if home != a.cur() {
		a.facts.boxed[v] = true
	}
}

func (a *analysis) define(id *ast.Ident) {
	if v, ok := a.info.Defs[id].(*types.Var); ok && !a.global(v) {
		a.home[v] = a.cur()
		if a.all {
			a.facts.boxed[v] = true
		}
	}
}

// address marks the variable whose storage e is part of.
func (a *analysis) address(e ast.Expr) {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.SelectorExpr:
			s := a.info.Selections[x]
			if s == nil {
				return
			}
			if isPointer(a.sub.typ(a.info.Types[x.X].Type)) {
				return
			}
			e = x.X
		case *ast.IndexExpr:
			t := a.info.Types[x.X].Type
			if t == nil {
				return
			}
			if _, ok := a.sub.typ(t).Underlying().(*types.Array); !ok {
				return
			}
			e = x.X
		case *ast.Ident:
			if v, ok := a.info.Uses[x].(*types.Var); ok && !a.global(v) {
				a.facts.boxed[v] = true
			}
			return
		default:
			return
		}
	}
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

func (a *analysis) signature(t *ast.FuncType) {
	for _, l := range []*ast.FieldList{t.Params, t.Results} {
		if l == nil {
			continue
		}
		for _, f := range l.List {
			for _, n := range f.Names {
				a.define(n)
			}
		}
	}
}

func (a *analysis) walk(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			a.define(n)
			a.use(n)
		case *ast.FuncLit:
			yields := a.yields
			a.yields = 0
			a.enter(func() {
				a.signature(n.Type)
				b := &bodyFacts{}
				a.facts.bodies[n.Body] = b
				a.scopes = append(a.scopes, b)
				a.walk(n.Body)
				a.scopes = a.scopes[:len(a.scopes)-1]
			})
			a.yields = yields
			return false
		case *ast.TypeSwitchStmt:
			if n.Init != nil {
				a.walk(n.Init)
			}
			a.walk(n.Assign)
			for _, c := range n.Body.List {
				cc := c.(*ast.CaseClause)
				if v, ok := a.info.Implicits[cc].(*types.Var); ok {
					a.home[v] = a.cur()
					if a.all {
						a.facts.boxed[v] = true
					}
				}
				for _, s := range cc.Body {
					a.walk(s)
				}
			}
			return false
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				a.address(n.X)
			}
		case *ast.SliceExpr:
			if t := a.info.Types[n.X].Type; t != nil {
				if _, ok := a.sub.typ(t).Underlying().(*types.Array); ok {
					a.address(n.X)
				}
			}
		case *ast.SelectorExpr:
			if s := a.info.Selections[n]; s != nil && s.Kind() == types.MethodVal {
				m := s.Obj().(*types.Func)
				recv := m.Type().(*types.Signature).Recv()
				xt := a.sub.typ(a.info.Types[n.X].Type)
				if _, tp := types.Unalias(a.info.Types[n.X].Type).(*types.TypeParam); tp {
					// the concrete method may have a pointer receiver
					if !isPointer(xt) {
						a.address(n.X)
					}
				} else if recv != nil && isPointer(recv.Type()) && !isPointer(xt) {
					a.address(n.X)
				}
			}
			a.walk(n.X)
			return false
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok {
				if v, ok := a.info.Uses[id].(*types.Var); ok && v.IsField() {
					a.walk(n.Value)
					return false
				}
			}
		case *ast.DeferStmt:
			a.scopes[len(a.scopes)-1].defers = true
			// a deferred call's function literal and arguments are ordinary expressions
		case *ast.BranchStmt:
			if n.Tok == token.GOTO {
				a.scopes[len(a.scopes)-1].gotos = true
			}
		case *ast.ReturnStmt:
			if a.yields > 0 {
				a.scopes[len(a.scopes)-1].yieldReturn = true
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok {
				if b, ok := a.info.Uses[id].(*types.Builtin); ok && b.Name() == "recover" {
					a.scopes[len(a.scopes)-1].recovers = true
				}
			}
		case *ast.RangeStmt:
			t := a.info.Types[n.X].Type
			if t == nil {
				return true
			}
			if _, ok := coreOf(a.sub.typ(t)).(*types.Signature); !ok {
				return true
			}
			a.walk(n.X)
			if n.Tok == token.ASSIGN {
				// the variables are assigned from inside the loop body's closure
				a.enter(func() {
					if n.Key != nil {
						a.walk(n.Key)
					}
					if n.Value != nil {
						a.walk(n.Value)
					}
				})
			}
			a.yields++
			a.enter(func() {
				if n.Tok == token.DEFINE {
					for _, e := range []ast.Expr{n.Key, n.Value} {
						if id, ok := e.(*ast.Ident); ok && e != nil {
							a.define(id)
						}
					}
				}
				a.walk(n.Body)
			})
			a.yields--
			return false
		}
		return true
	})
}

// coreOf is the underlying type, or the single underlying type of a type parameter's type set.
func coreOf(t types.Type) types.Type {
	return t.Underlying()
}
