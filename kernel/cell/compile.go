package cell

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"regexp"
	"sort"
	"strings"

	"example.org/godp/kernel/cell/debug"
	"example.org/godp/kernel/cell/rt"
)

// Symbols are tables of compiled packages as the interpreter takes them: "path/name" -> symbol -> value.
type Symbols = map[string]map[string]reflect.Value

// Config says what cells can use.
type Config struct {
	Symbols    Symbols
	Import     func(path string) (*types.Package, error) // from export data
	AutoImport map[string]string                         // package name -> path
	Generic    func(path string) map[string]string       // source of a package's generic functions
	Raw        func(path, name string) bool              // functions that must get bare representations
	Names      func(path, name string) bool              // functions that are given an rt.Func where a function goes into an interface
	Places     *Places                                   // where run-time errors find their places; nil means places of its own
	Debugger   *debug.Debugger                           // what instrumented cells call; nil: there is no debugger
}

// Compiler holds the session's live declarations.
type Compiler struct {
	cfg            Config
	fset           *token.FileSet
	pkg            *types.Package
	reps           *reps
	help           *helpers
	seq            int
	live           map[string]*decl // by key: "f", "T", "T.m", "x"
	vars           map[*types.Var]string
	funcs          map[*types.Func]string
	bodies         map[*types.Func]*body
	inst           []*instance
	places         *Places
	markOf         map[mark]int
	gotos          map[types.Object]bool
	sources        map[string]*source
	fileOf         map[*token.File]*source // a cell may be compiled in parts: each has files of its own
	dots           []*ast.ImportSpec
	imports        map[string]string // local name -> path, from import declarations of cells
	alias          map[string]string // path -> name in emitted code
	newImp         []string
	generic        map[string]*genericPackage
	lineDirectives bool              // a cell had one
	stale          map[string]string // variables whose type has changed under them -> why
	types          []*types.Named    // declared named types seen, whose methods must be registered
	named          []*types.Named    // those whose methods have been
	debugs         bool              // cells are instrumented for the debugger
}

// mark is what a place is known by when it is numbered.
type mark struct {
	Pos, Paren token.Pos // where it is shown, and for a call what package runtime takes the line of
	Func       string
}

// body is a function's source with what the checker knows of it.
type body struct {
	decl *ast.FuncDecl
	info *types.Info
	fn   *types.Func
}

// decl is one live declaration.
type decl struct {
	key  string
	obj  types.Object
	node ast.Decl // nil for variables
	src  *source
	info *types.Info
	deps map[string]bool
	doc  string
}

// Program is a compiled cell, ready for the interpreter.
type Program struct {
	Symbols  Symbols // to add before evaluating
	Source   string
	Entry    string // function to call
	Warnings []string
	commit   func()
	rollback func()
}

// New returns a compiler with no live declarations.
func New(cfg Config) *Compiler {
	c := &Compiler{cfg: cfg, fset: token.NewFileSet(), pkg: types.NewPackage("main", "main"),
		live: map[string]*decl{}, vars: map[*types.Var]string{}, funcs: map[*types.Func]string{}, bodies: map[*types.Func]*body{},
		markOf: map[mark]int{}, gotos: map[types.Object]bool{}, sources: map[string]*source{}, fileOf: map[*token.File]*source{}, imports: map[string]string{},
		alias: map[string]string{}, generic: map[string]*genericPackage{}, stale: map[string]string{}}
	c.reps = newReps(c.pkg, cfg.Symbols)
	c.reps.imports = c.importAlias
	c.reps.portable = func(path string) *types.Package {
		g, err := c.genericPackage(path)
		if err != nil {
			return nil
		}
		return g.pkg
	}
	c.reps.onNamed = func(n *types.Named) { c.types = append(c.types, n) }
	c.help = &helpers{r: c.reps, made: map[string]string{}, fresh: map[string]reflect.Value{}}
	if c.places = cfg.Places; c.places == nil {
		c.places = &Places{}
	}
	return c
}

// global is the emitted name of a top-level variable, or empty.
func (c *Compiler) global(v *types.Var) string { return c.vars[v] }

func (c *Compiler) importAlias(path string) string {
	if a, ok := c.alias[path]; ok {
		return a
	}
	a := fmt.Sprintf("p%d", len(c.alias)+1)
	c.alias[path] = a
	c.newImp = append(c.newImp, fmt.Sprintf("import %s %q", a, path))
	return a
}

func (c *Compiler) symbol(p *types.Package, name string) (reflect.Value, bool) {
	v, ok := c.cfg.Symbols[p.Path()+"/"+p.Name()][name]
	return v, ok
}

// compiledFunc is how the emitted code names a compiled function.
func (c *Compiler) compiledFunc(fn *types.Func) (string, string) {
	if fn.Pkg().Path() == "runtime" && strings.HasPrefix(fn.Name(), "Caller") && c.lineDirectives {
		panic(refused("runtime.%s is not available in a session with line directives, which cells do not follow", fn.Name()))
	}
	if why := hidden[fn.Pkg().Path()+"."+fn.Name()]; why != "" {
		panic(refused("%s.%s is not available in cells: %s", fn.Pkg().Name(), fn.Name(), why))
	}
	if _, ok := c.symbol(fn.Pkg(), fn.Name()); !ok {
		panic(refused("%s.%s is not available in cells", fn.Pkg().Name(), fn.Name()))
	}
	return c.importAlias(fn.Pkg().Path()) + "." + fn.Name(), fn.Pkg().Name() + "." + fn.Name()
}

// lineDirective matches what gives the places after it other names.
var lineDirective = regexp.MustCompile(`(?m)^//line .*:\d|/\*line .*:\d+\*/`)

// hidden are functions that would tell of the interpreter instead of the cell.
var hidden = func() map[string]string {
	m := map[string]string{}
	for _, n := range []string{"Stack"} {
		m["runtime."+n] = "a cell's functions have no machine stack of their own"
	}
	for _, n := range []string{"ReadMemStats", "MemProfile", "GoroutineProfile", "BlockProfile"} {
		m["runtime."+n] = "it would measure the interpreter"
	}
	for _, n := range []string{"SetFinalizer", "AddCleanup"} {
		m["runtime."+n] = "the interpreter may hold on to the object"
	}
	for _, n := range []string{"PrintStack", "Stack"} {
		m["runtime/debug."+n] = "a cell's functions have no machine stack of their own"
	}
	m["testing/quick.Value"] = "its result is a reflect.Value that knows only compiled types"
	m["testing/quick.Config.Values"] = "its arguments are reflect.Values that know only compiled types"
	m["testing.Main"] = "a cell is not a test binary"
	m["testing.MainStart"] = m["testing.Main"]
	m["testing.AllocsPerRun"] = "it would measure the interpreter"
	return m
}()

// namesArgs reports whether a compiled function wants to know the names of the parameters of functions it is given.
func (c *Compiler) namesArgs(fn *types.Func) bool {
	return fn.Pkg() != nil && c.cfg.Names != nil && fn.Type().(*types.Signature).Recv() == nil && c.cfg.Names(fn.Pkg().Path(), fn.Name())
}

func (c *Compiler) rawArgs(fn *types.Func) bool {
	if fn.Pkg() == nil || c.cfg.Raw == nil {
		return false
	}
	name := fn.Name()
	if r := fn.Type().(*types.Signature).Recv(); r != nil {
		if n := namedOf(r.Type()); n != nil {
			name = n.Obj().Name() + "." + name
		}
	}
	return c.cfg.Raw(fn.Pkg().Path(), name)
}

// recovers reports whether the declared function's own body calls recover.
func (c *Compiler) recovers(fn *types.Func) bool {
	b := c.bodies[fn.Origin()]
	if b == nil || b.decl.Body == nil {
		return fn.Pkg() == c.pkg
	}
	found := false
	ast.Inspect(b.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "recover" {
				found = true
			}
		}
		return true
	})
	return found
}

// funcName is the emitted function for fn with the type arguments given; a new instance is queued for lowering.
func (u *unit) funcName(fn *types.Func, args []types.Type, f *fn) string {
	c := u.c
	if len(args) == 0 {
		if n, ok := c.funcs[fn]; ok {
			return n
		}
		if b := c.bodies[fn]; b != nil {
			return u.instantiate(b, nil, nil, fn.Name())
		}
		panic(refused("internal: function %s was not emitted", fn.Name()))
	}
	b, err := c.genericBody(fn)
	if err != nil {
		panic(refused("%v", err))
	}
	tps := b.fn.Type().(*types.Signature).TypeParams()
	return u.instantiate(b, args, tparams(tps), fn.Name())
}

func tparams(l *types.TypeParamList) []*types.TypeParam {
	var out []*types.TypeParam
	for i := range l.Len() {
		out = append(out, l.At(i))
	}
	return out
}

// methodName is the emitted function for method m of the receiver type rt.
func (u *unit) methodName(m *types.Func, rt types.Type, f *fn) string {
	c := u.c
	n := namedOf(rt)
	if n.TypeArgs().Len() == 0 {
		if name, ok := c.funcs[m]; ok {
			return name
		}
		if b := c.bodies[m]; b != nil {
			return u.instantiate(b, nil, nil, n.Obj().Name()+"."+m.Name())
		}
		panic(refused("internal: method %s of %v was not emitted", m.Name(), rt))
	}
	var args []types.Type
	for i := range n.TypeArgs().Len() {
		args = append(args, n.TypeArgs().At(i))
	}
	b, err := c.genericBody(m.Origin())
	if err != nil {
		panic(refused("%v", err))
	}
	return u.instantiate(b, args, tparams(b.fn.Type().(*types.Signature).RecvTypeParams()), n.Obj().Name()+"."+m.Name())
}

func (u *unit) instantiate(b *body, args []types.Type, tps []*types.TypeParam, shown string) string {
	c := u.c
	for _, in := range append(append([]*instance(nil), c.inst...), u.instances...) {
		if in.fn == b.fn && identicalAll(in.args, args) {
			return in.name
		}
	}
	in := &instance{fn: b.fn, args: args, name: u.uniq(sane(b.fn.Name()) + "_i")}
	u.instances = append(u.instances, in)
	if len(u.instances) > 2000 {
		panic(refused("instantiation of %s does not end", b.fn.Name()))
	}
	sub := &subst{m: map[*types.TypeParam]types.Type{}, ctx: c.reps.ctx, local: map[*types.TypeName]*types.Named{}}
	for i, tp := range tps {
		sub.m[tp] = args[i]
	}
	sub.locals(b.decl.Body, b.info, c.pkg, args, c.reps)
	u.queue = append(u.queue, func() {
		sig := b.fn.Type().(*types.Signature)
		u.functionNamed(in.name, shown, goNameOf(b.fn), sig, sig.Recv(), b.decl.Body, b.info, sub)
	})
	return in.name
}

func identicalAll(a, b []types.Type) bool {
	for i := range a {
		if !types.Identical(a[i], b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

// Compile checks and lowers a cell. The program must be committed once its declarations have been evaluated.
func (c *Compiler) Compile(n int, name, text string) (p *Program, errs ErrorList) {
	return c.CompilePart(n, name, text, text)
}

// CompilePart is Compile for a part of a cell: text is the cell with all but the part blanked (byte for byte, lines
// kept), whole is the cell as messages quote it.
func (c *Compiler) CompilePart(n int, name, text, whole string) (p *Program, errs ErrorList) {
	src, perrs := parseCell(c.fset, n, name, text)
	src.text = whole
	c.lineDirectives = c.lineDirectives || lineDirective.MatchString(text)
	c.sources[name] = src
	for _, f := range src.files {
		c.fileOf[f] = src
	}
	defer func() { src.decls, src.stmts = nil, nil }() // what is live has its own
	if len(perrs) > 0 {
		return nil, c.syntaxErrors(src, perrs)
	}
	st, errs := c.check(src)
	if len(errs) > 0 {
		return nil, errs
	}
	for _, d := range src.decls {
		c.noteLocals(d, st.info)
	}
	c.noteLocals(st.cell, st.info)
	u := c.newUnit()
	restore := st.install()
	defer func() {
		if r := recover(); r != nil {
			restore()
			re, ok := r.(*refusedError)
			if !ok {
				panic(r)
			}
			if !re.pos.IsValid() {
				re.pos = u.pos
			}
			p, errs = nil, ErrorList{c.errorAt(re.pos, re.what)}
			errs[0].Refused = true
		}
	}()
	p = st.lower(u)
	p.commit = func() { c.inst = append(c.inst, u.instances...); st.commit() }
	return p, nil
}

// Commit makes a program's declarations the live ones.
func (p *Program) Commit() { p.commit() }

// Rollback takes back what compiling a program of Reemit has changed, when the interpreter does not take it.
func (p *Program) Rollback() {
	if p != nil && p.rollback != nil {
		p.rollback()
	}
}

// newSymbols gathers the helpers and types that have become necessary.
func (c *Compiler) newSymbols() Symbols {
	s := Symbols{}
	if len(c.reps.fresh) > 0 {
		s["godp/t/t"] = c.reps.fresh
		c.reps.fresh = map[string]reflect.Value{}
	}
	if len(c.help.fresh) > 0 {
		s["godp/h/h"] = c.help.fresh
		c.help.fresh = map[string]reflect.Value{}
	}
	return s
}

// position is the place of pos in its cell.
func (c *Compiler) position(pos token.Pos) token.Position {
	f := c.fset.File(pos)
	if f == nil {
		return token.Position{}
	}
	p := token.Position{Filename: f.Name(), Offset: f.Offset(pos)}
	src := c.fileOf[f]
	if src == nil {
		return c.fset.Position(pos)
	}
	prefix := len(declPrefix)
	if len(src.files) > 1 && f == src.files[1] {
		prefix = len(stmtPrefix)
	}
	return shift(p, prefix, src.text)
}

// Text returns a cell's source by name.
func (c *Compiler) Text(name string) string {
	if s := c.sources[name]; s != nil {
		return s.text
	}
	return ""
}

// Names lists the live declarations, sorted.
func (c *Compiler) Names() []string {
	var out []string
	for k := range c.live {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// Variable describes a live variable.
type Variable struct {
	Name, Type, Global string
}

// Variables lists the live variables with the global each lives in.
func (c *Compiler) Variables() []Variable {
	var out []Variable
	for _, k := range c.Names() {
		if v, ok := c.live[k].obj.(*types.Var); ok {
			out = append(out, Variable{Name: k, Type: types.TypeString(v.Type(), c.qualify), Global: c.vars[v]})
		}
	}
	return out
}

func (c *Compiler) qualify(p *types.Package) string {
	if p == c.pkg {
		return ""
	}
	return p.Name()
}

// Describe returns the descriptor of a live variable's type.
func (c *Compiler) Describe(name string) *rt.Type {
	d := c.live[name]
	if d == nil {
		return nil
	}
	return c.reps.of(d.obj.Type())
}
