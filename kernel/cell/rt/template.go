package rt

import (
	"errors"
	"fmt"
	htmltemplate "html/template"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"
)

// Templates look at their data with package reflect, which does not see declared types. A template whose data holds
// such values is copied and rewritten first: selectors, ranges, conditions, printing and the built-in functions become
// calls of functions below, which do what package text/template does (exec.go and funcs.go of the Go distribution,
// Copyright 2011 The Go Authors, BSD licence) and know declared types.

// ExecuteText is t.Execute(w, data).
func ExecuteText(t *template.Template, w io.Writer, data any) error {
	c, fix, err := textCopy(t, data)
	if err != nil {
		return err
	}
	return fix(c.Execute(w, data))
}

// ExecuteTextTemplate is t.ExecuteTemplate(w, name, data).
func ExecuteTextTemplate(t *template.Template, w io.Writer, name string, data any) error {
	c, fix, err := textCopy(t, data)
	if err != nil {
		return err
	}
	return fix(c.ExecuteTemplate(w, name, data))
}

// ExecuteHTML is t.Execute(w, data).
func ExecuteHTML(t *htmltemplate.Template, w io.Writer, data any) error {
	c, fix, err := htmlCopy(t, data)
	if err != nil {
		return err
	}
	return fix(c.Execute(w, data))
}

// ExecuteHTMLTemplate is t.ExecuteTemplate(w, name, data).
func ExecuteHTMLTemplate(t *htmltemplate.Template, w io.Writer, name string, data any) error {
	c, fix, err := htmlCopy(t, data)
	if err != nil {
		return err
	}
	return fix(c.ExecuteTemplate(w, name, data))
}

// TextFuncs is t.Funcs(m); functions over declared types work too.
func TextFuncs(t *template.Template, m template.FuncMap) *template.Template {
	return t.Funcs(adaptFuncs(m))
}

// HTMLFuncs is t.Funcs(m); functions over declared types work too.
func HTMLFuncs(t *htmltemplate.Template, m htmltemplate.FuncMap) *htmltemplate.Template {
	return t.Funcs(adaptFuncs(m))
}

// operand is any, under a name by which functions made by adaptFuncs are recognised.
type operand any

func adaptFuncs(m map[string]any) map[string]any {
	out := map[string]any{}
	for name, f := range m {
		x := valOf(f)
		if x.t == nil || x.kind() != reflect.Func || x.isNil() {
			out[name] = bare(f)
			continue
		}
		out[name] = func(args ...operand) (any, error) {
			in := make([]any, len(args))
			for i, a := range args {
				in[i] = a
			}
			return callTemplate(name, x.v, x.typ(), in)
		}
	}
	return out
}

func same(err error) error { return err }

func textCopy(t *template.Template, data any) (*template.Template, func(error) error, error) {
	if t == nil || !holdsBox(data) && !adapted(t) {
		return t, same, nil
	}
	c, err := t.Clone()
	if err != nil {
		return nil, nil, err
	}
	rw := newRewriter(c)
	c.Funcs(rw.funcs())
	for _, x := range c.Templates() {
		if x.Tree != nil {
			x.Tree = x.Tree.Copy()
			rw.tree(x.Tree)
		}
	}
	return c, rw.fix, nil
}

func htmlCopy(t *htmltemplate.Template, data any) (*htmltemplate.Template, func(error) error, error) {
	if t == nil {
		return t, same, nil
	}
	text := textOf(t)
	if !holdsBox(data) && (text == nil || !adapted(text)) {
		return t, same, nil
	}
	c, err := t.Clone()
	if err != nil {
		return nil, nil, errors.New(err.Error() + "; a template must see values of types declared in cells from its first execution on")
	}
	rw := newRewriter(text)
	rw.html = true
	c.Funcs(rw.funcs())
	for _, x := range c.Templates() {
		if x.Tree != nil {
			rw.tree(x.Tree)
		}
	}
	return c, rw.fix, nil
}

// textOf is the text template inside an HTML one, for looking at its settings.
func textOf(t *htmltemplate.Template) *template.Template {
	f := reflect.ValueOf(t).Elem().FieldByName("text")
	if f.Kind() != reflect.Pointer || f.Type() != reflect.TypeFor[*template.Template]() {
		return nil
	}
	return (*template.Template)(f.UnsafePointer())
}

// settings returns the functions of a template and what it does with missing keys.
func settings(t *template.Template) (funcs reflect.Value, missing int64) {
	c := reflect.ValueOf(t).Elem().FieldByName("common")
	if c.Kind() != reflect.Pointer || c.IsNil() {
		return
	}
	if f := c.Elem().FieldByName("execFuncs"); f.Kind() == reflect.Map {
		funcs = f
	}
	if o := c.Elem().FieldByName("option"); o.Kind() == reflect.Struct {
		if k := o.FieldByName("missingKey"); k.CanInt() {
			missing = k.Int()
		}
	}
	return
}

func adapted(t *template.Template) bool {
	funcs, _ := settings(t)
	if !funcs.IsValid() {
		return false
	}
	for it := funcs.MapRange(); it.Next(); {
		if isAdapted(it.Value()) {
			return true
		}
	}
	return false
}

// isAdapted looks at an unexported reflect.Value that holds a function: only its type word may be read.
func isAdapted(f reflect.Value) bool {
	return f.Kind() == reflect.Struct && f.NumField() > 0 && f.Field(0).Kind() == reflect.Pointer &&
		f.Field(0).Pointer() == reflect.ValueOf(adaptedType).Pointer()
}

var adaptedType = reflect.TypeFor[func(...operand) (any, error)]()

// holdsBox reports whether a value of a declared type can be reached from data.
func holdsBox(data any) bool {
	seen := map[visit]bool{}
	var walk func(x val, depth int) bool
	walk = func(x val, depth int) bool {
		if !x.valid() || depth > 100 {
			return false
		}
		if x.t != nil {
			return true
		}
		if !reaches(x.v.Type()) {
			return false
		}
		switch x.kind() {
		case reflect.Pointer, reflect.Map, reflect.Slice:
			if x.isNil() {
				return false
			}
			k := visit{a: x.v.UnsafePointer(), t: x.typ()}
			if seen[k] {
				return false
			}
			seen[k] = true
		}
		switch x.kind() {
		case reflect.Interface, reflect.Pointer:
			return walk(x.elem(), depth+1)
		case reflect.Map:
			for _, e := range x.entries() {
				if walk(e.key, depth+1) || walk(e.value, depth+1) {
					return true
				}
			}
		case reflect.Slice, reflect.Array:
			for i := range x.len() {
				if walk(x.index(i), depth+1) {
					return true
				}
			}
		case reflect.Struct:
			for i := range x.numField() {
				if walk(x.field(i), depth+1) {
					return true
				}
			}
		}
		return false
	}
	return walk(valOf(data), 0)
}

// rewriter rewrites the trees of one set of templates.
type rewriter struct {
	missing  int64
	html     bool
	user     map[string]bool      // functions the user defined
	ours     map[string]bool      // those of them made by adaptFuncs
	consts   []constant           // constants that are arguments of methods
	contexts map[string][2]string // position -> what stood there, for errors
	name     *parse.Tree
}

func newRewriter(t *template.Template) *rewriter {
	rw := &rewriter{user: map[string]bool{}, ours: map[string]bool{}, contexts: map[string][2]string{}}
	if t == nil {
		return rw
	}
	var funcs reflect.Value
	funcs, rw.missing = settings(t)
	if funcs.IsValid() {
		for it := funcs.MapRange(); it.Next(); {
			rw.user[it.Key().String()] = true
			rw.ours[it.Key().String()] = isAdapted(it.Value())
		}
	}
	return rw
}

func (rw *rewriter) tree(t *parse.Tree) {
	rw.name = t
	if t.Root != nil {
		rw.list(t.Root)
	}
}

func (rw *rewriter) list(l *parse.ListNode) {
	if l == nil {
		return
	}
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			rw.pipe(n.Pipe)
			if len(n.Pipe.Decl) == 0 && !rw.escaped(n.Pipe) {
				rw.then(n.Pipe, "godpPrint")
			}
		case *parse.IfNode:
			rw.branch(&n.BranchNode, "godpTruth")
		case *parse.WithNode:
			rw.branch(&n.BranchNode, "godpTruth")
		case *parse.RangeNode:
			rw.branch(&n.BranchNode, "godpRange")
		case *parse.TemplateNode:
			rw.pipe(n.Pipe)
		}
	}
}

func (rw *rewriter) branch(b *parse.BranchNode, f string) {
	rw.pipe(b.Pipe)
	rw.then(b.Pipe, f)
	rw.list(b.List)
	rw.list(b.ElseList)
}

// escaped reports whether the pipeline ends in an escaper, which HTML templates want to be last.
func (rw *rewriter) escaped(p *parse.PipeNode) bool {
	id, ok := p.Cmds[len(p.Cmds)-1].Args[0].(*parse.IdentifierNode)
	return rw.html && ok && (id.Ident == "html" || id.Ident == "urlquery")
}

// then appends a call of f to a pipeline.
func (rw *rewriter) then(p *parse.PipeNode, f string) {
	p.Cmds = append(p.Cmds, rw.command(p.Pos, f))
}

func (rw *rewriter) command(pos parse.Pos, f string, args ...parse.Node) *parse.CommandNode {
	return &parse.CommandNode{NodeType: parse.NodeCommand, Pos: pos,
		Args: append([]parse.Node{parse.NewIdentifier(f).SetPos(pos).SetTree(rw.name)}, args...)}
}

// wrap is the operand (f n).
func (rw *rewriter) wrap(f string, n parse.Node) parse.Node {
	return &parse.PipeNode{NodeType: parse.NodePipe, Pos: n.Position(), Cmds: []*parse.CommandNode{rw.command(n.Position(), f, n)}}
}

// builtins are the functions that look at their operands' types: what replaces them, and what each operand goes
// through first.
var builtins = map[string]struct{ name, operand string }{
	"and": {"and", "godpTruth"}, "or": {"or", "godpTruth"}, "not": {"not", "godpTruth"},
	"eq": {"eq", "godpBasic"}, "ne": {"ne", "godpBasic"}, "lt": {"lt", "godpBasic"}, "le": {"le", "godpBasic"}, "gt": {"gt", "godpBasic"}, "ge": {"ge", "godpBasic"},
	"len": {"godpLen", ""}, "index": {"godpIndex", ""}, "slice": {"godpSlice", ""}, "call": {"godpCall", ""},
	"print": {"godpSprint", ""}, "printf": {"godpSprintf", ""}, "println": {"godpSprintln", ""},
	"html": {"html", "godpPrint"}, "js": {"js", "godpPrint"}, "urlquery": {"urlquery", "godpPrint"},
}

func (rw *rewriter) pipe(p *parse.PipeNode) {
	if p == nil {
		return
	}
	var out []*parse.CommandNode
	for i, c := range p.Cmds {
		id, isFunc := c.Args[0].(*parse.IdentifierNode)
		rw.note(c)
		if isFunc && !rw.user[id.Ident] {
			if b, ok := builtins[id.Ident]; ok {
				name := ""
				if len(c.Args) > 1 {
					name = c.Args[1].String() // before it is rewritten
				}
				for k, a := range c.Args[1:] {
					a = rw.operand(a)
					if b.operand != "" {
						a = rw.wrap(b.operand, a)
					}
					c.Args[k+1] = a
				}
				if i > 0 && b.operand != "" {
					out = append(out, rw.command(c.Pos, b.operand))
				}
				if b.name == "godpCall" {
					c.Args = append([]parse.Node{nil, &parse.StringNode{NodeType: parse.NodeString, Pos: c.Pos, Quoted: strconv.Quote(name), Text: name}}, c.Args[1:]...)
				}
				c.Args[0] = parse.NewIdentifier(b.name).SetPos(id.Pos).SetTree(rw.name)
				out = append(out, c)
				continue
			}
		}
		if sel := rw.selector(c.Args[0]); sel != nil {
			for _, a := range c.Args[1:] {
				sel = append(sel, rw.argument(a))
			}
			out = append(out, rw.command(c.Args[0].Position(), "godpField", sel...))
			continue
		}
		for k, a := range c.Args {
			if k > 0 && isFunc && rw.ours[id.Ident] {
				c.Args[k] = rw.argument(a)
			} else {
				c.Args[k] = rw.operand(a)
			}
		}
		out = append(out, c)
	}
	p.Cmds = out
}

// constant is a constant of a template, whose type depends on where it goes; at and text are for errors.
type constant struct {
	node     parse.Node
	at, text string
}

// argument rewrites an argument of a method or of a function over declared types.
func (rw *rewriter) argument(a parse.Node) parse.Node {
	switch a.(type) {
	case *parse.NumberNode, *parse.StringNode, *parse.BoolNode:
	default:
		return rw.operand(a)
	}
	c := constant{node: a}
	c.at, c.text = rw.name.ErrorContext(a)
	rw.consts = append(rw.consts, c)
	k := int64(len(rw.consts) - 1)
	return rw.wrap("godpConst", &parse.NumberNode{NodeType: parse.NodeNumber, Pos: a.Position(), IsInt: true, Int64: k, Text: strconv.FormatInt(k, 10)})
}

// constantError is an error about a constant, at its own place.
type constantError struct {
	c   constant
	msg string
}

func (e constantError) Error() string { return e.msg }

// selector returns the operand and the path that node selects, or nil.
func (rw *rewriter) selector(n parse.Node) []parse.Node {
	var from parse.Node
	var path []string
	switch n := n.(type) {
	case *parse.FieldNode:
		from, path = &parse.DotNode{NodeType: parse.NodeDot, Pos: n.Pos}, n.Ident
	case *parse.VariableNode:
		if len(n.Ident) < 2 {
			return nil
		}
		v := *n
		v.Ident = n.Ident[:1]
		from, path = &v, n.Ident[1:]
	case *parse.ChainNode:
		from, path = rw.operand(n.Node.Copy()), n.Field // the copy of a chain shares its node
	default:
		return nil
	}
	text := strings.Join(path, ".")
	return []parse.Node{from, &parse.StringNode{NodeType: parse.NodeString, Pos: n.Position(), Quoted: strconv.Quote(text), Text: text}}
}

// operand rewrites an argument.
func (rw *rewriter) operand(n parse.Node) parse.Node {
	if p, ok := n.(*parse.PipeNode); ok {
		rw.pipe(p)
		return p
	}
	rw.note(n)
	if sel := rw.selector(n); sel != nil {
		return &parse.PipeNode{NodeType: parse.NodePipe, Pos: n.Position(), Cmds: []*parse.CommandNode{rw.command(n.Position(), "godpField", sel...)}}
	}
	return n
}

// note remembers how the source text at a position reads.
func (rw *rewriter) note(n parse.Node) {
	if c, ok := n.(*parse.CommandNode); ok {
		if _, isFunc := c.Args[0].(*parse.IdentifierNode); !isFunc {
			n = c.Args[0]
		}
	}
	at, text := rw.name.ErrorContext(n)
	if _, ok := rw.contexts[at]; !ok {
		rw.contexts[at] = [2]string{at, text}
	}
}

var execText = regexp.MustCompile(`(?s)^((?:html/)?template: )(.+?:\d+:\d+)(: executing "(?:[^"\\]|\\.)*" at <)(.*?)(>: )(?:error calling godp(\w+): )?(.*)$`)

// fix makes an error of the rewritten template read as one of the original.
func (rw *rewriter) fix(err error) error {
	var ee template.ExecError
	if !errors.As(err, &ee) {
		return err
	}
	m := execText.FindStringSubmatch(ee.Err.Error())
	if m == nil {
		return err
	}
	if c, ok := rw.contexts[m[2]]; ok {
		m[4] = c[1]
	}
	var ce constantError
	if errors.As(err, &ce) {
		m[2], m[4] = ce.c.at, ce.c.text
	}
	switch m[6] {
	case "Index", "Slice", "Call", "Len":
		m[6] = "error calling " + strings.ToLower(m[6]) + ": "
	default:
		m[6] = ""
	}
	ee.Err = reworded{strings.Join(m[1:], ""), ee.Err}
	return ee
}

// reworded is err with another text.
type reworded struct {
	text string
	err  error
}

func (r reworded) Error() string { return r.text }
func (r reworded) Unwrap() error { return r.err }

func (rw *rewriter) funcs() map[string]any {
	return map[string]any{
		"godpField": func(from any, path string, args ...any) (any, error) {
			return rw.selected(from, strings.Split(path, "."), args)
		},
		"godpConst":    func(i int) any { return rw.consts[i] },
		"godpPrint":    rw.print,
		"godpTruth":    templateTruth,
		"godpRange":    templateRange,
		"godpBasic":    templateBasic,
		"godpLen":      templateLen,
		"godpIndex":    templateIndex,
		"godpSlice":    templateSlice,
		"godpCall":     templateCall,
		"godpSprint":   Sprint,
		"godpSprintf":  Sprintf,
		"godpSprintln": Sprintln,
	}
}

func errorf(format string, args ...any) error { return fmt.Errorf(format, args...) }
