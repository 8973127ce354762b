package dap

import (
	"errors"
	"fmt"
	"go/token"
	"reflect"
	"strings"

	"example.org/godp/kernel/cell/debug"
	"example.org/godp/kernel/cell/rt"
)

// handles gives numbers to what clients may ask for later.
type handles struct {
	base   int
	both   bool // the client shows only types: they are told with the values
	frames []*debug.Frame
	refs   []container
}

func (h *handles) reset() { h.frames, h.refs = nil, nil }

// container is something that has variables.
type container struct {
	list  []variable // of a scope or a part of a long list
	view  rt.View    // of a value, where list is nil
	path  string     // the expression that names it, "" for none
	frame *debug.Frame
	from  int // of a part of a long list
	count int
}

// variable is a variable or a part of one.
type variable struct {
	name, path string
	view       rt.View
}

// frameID is the number of a call.
func (s *Server) frameID(f *debug.Frame) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, g := range s.handles.frames {
		if g == f {
			return s.handles.base + i
		}
	}
	s.handles.frames = append(s.handles.frames, f)
	return s.handles.base + len(s.handles.frames) - 1
}

func (s *Server) frame(id int) (*debug.Frame, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := id - s.handles.base
	if i < 0 || i >= len(s.handles.frames) {
		return nil, fmt.Errorf("there is no frame %d: the program has gone on", id)
	}
	return s.handles.frames[i], nil
}

// ref gives a container a number; handles is s.handles or s.shown. s.mu is held.
func (h *handles) ref(c container) int {
	h.refs = append(h.refs, c)
	return h.base + len(h.refs) - 1
}

func (s *Server) container(ref int) (container, *handles, error) {
	for _, h := range []*handles{&s.shown, &s.handles} {
		if i := ref - h.base; i >= 0 && i < len(h.refs) {
			return h.refs[i], h, nil
		}
	}
	return container{}, nil, fmt.Errorf("there are no variables %d any more: the program has gone on", ref)
}

func (s *Server) scopes(r *request) (object, error) {
	a := struct {
		Frame int `json:"frameId"`
	}{}
	if err := r.arguments(&a); err != nil {
		return nil, err
	}
	f, err := s.frame(a.Frame)
	if err != nil {
		return nil, err
	}
	globals := s.globals()
	locals := locals(f)
	if f.Fn.Cell { // the variables of a cell's own statements are the session's
		seen := map[string]bool{}
		for _, v := range locals {
			seen[v.name] = true
		}
		for _, v := range globals {
			if !seen[v.name] {
				locals = append(locals, v)
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	scope := func(name, hint string, list []variable) object {
		return object{"name": name, "presentationHint": hint, "expensive": false, "namedVariables": len(list),
			"variablesReference": s.handles.ref(container{list: list, frame: f})}
	}
	return object{"scopes": []object{scope("Locals", "locals", locals), scope("Globals", "globals", globals)}}, nil
}

// locals lists the variables of a call, without those that have not come to life yet.
func locals(f *debug.Frame) []variable {
	list := []variable{}
	for _, v := range f.Stmt().Vars {
		if p := f.Slots[v.Slot]; p != nil {
			list = append(list, variable{v.Name, v.Name, rt.ViewOf(v.Type, reflect.ValueOf(p))})
		}
	}
	return list
}

func (s *Server) globals() []variable {
	list := []variable{}
	for _, g := range s.t.Globals() {
		list = append(list, variable{g.Name, g.Name, rt.ViewOf(g.Type, g.Value)})
	}
	return list
}

// Long lists are shown in parts, and parts of parts.
const pageSize = 100

func (s *Server) variables(r *request) (object, error) {
	a := struct {
		Ref    int    `json:"variablesReference"`
		Filter string `json:"filter"`
		Start  int    `json:"start"`
		Count  int    `json:"count"`
	}{}
	if err := r.arguments(&a); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, h, err := s.container(a.Ref)
	if err != nil {
		return nil, err
	}
	out := []object{}
	if c.list != nil {
		from := min(max(a.Start, 0), len(c.list))
		to := len(c.list)
		if a.Count > 0 {
			to = min(from+a.Count, to)
		}
		for _, v := range c.list[from:to] {
			out = append(out, h.variable(v, c.frame))
		}
		return object{"variables": out}, nil
	}
	n := max(c.view.Named(), c.view.Indexed())
	from, to := 0, n
	if c.count > 0 {
		from, to = c.from, min(c.from+c.count, n)
	}
	if a.Filter == "indexed" && c.view.Indexed() == 0 || a.Filter == "named" && c.view.Named() == 0 {
		return object{"variables": out}, nil
	}
	if a.Count > 0 { // the client turns the pages
		from = min(from+max(a.Start, 0), to)
		to = min(from+a.Count, to)
	} else if step := pageStep(to - from); step > 0 {
		for i := from; i < to; i += step {
			k := min(step, to-i)
			out = append(out, object{"name": fmt.Sprintf("[%d … %d]", i, i+k-1), "value": fmt.Sprintf("%d of %d", k, n), "type": "",
				"variablesReference": h.ref(container{view: c.view, path: c.path, frame: c.frame, from: i, count: k})})
		}
		return object{"variables": out}, nil
	}
	for _, x := range c.view.Children(from, to-from) {
		v := variable{name: x.Name, view: x.View}
		if c.path != "" {
			switch {
			case x.Star:
				v.path = "*" + c.path
				v.name = v.path
			case x.Path != "":
				v.path = operand(c.path) + x.Path
			}
		}
		out = append(out, h.variable(v, c.frame))
	}
	return object{"variables": out}, nil
}

// operand is an expression that a selector or an index can follow.
func operand(path string) string {
	if strings.HasPrefix(path, "*") {
		return "(" + path + ")"
	}
	return path
}

// pageStep is how many of n entries go into one part; 0 when they are shown as they are.
func pageStep(n int) int {
	if n <= 2*pageSize {
		return 0
	}
	step := pageSize
	for n > step*pageSize {
		step *= pageSize
	}
	return step
}

// variable is how a variable is told to clients.
func (h *handles) variable(v variable, f *debug.Frame) object {
	o := object{"name": v.name, "value": v.view.Text(), "type": v.view.Type(), "variablesReference": 0}
	if v.path != "" {
		o["evaluateName"] = v.path
	}
	if h.both {
		o["type"] = fmt.Sprintf("%s = %s", o["type"], short(o["value"].(string)))
	}
	named, indexed := v.view.Named(), v.view.Indexed()
	if named+indexed > 0 {
		o["variablesReference"] = h.ref(container{view: v.view, path: v.path, frame: f})
	}
	if named > 0 {
		o["namedVariables"] = named
	}
	if indexed > 0 {
		o["indexedVariables"] = indexed
	}
	return o
}

// short is a text that fits into a panel.
func short(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// inspectVariables lists the variables of the session, also while nothing is stopped.
func (s *Server) inspectVariables(r *request) (object, error) {
	list := s.globals()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown.reset()
	out := []object{}
	for _, v := range list {
		out = append(out, s.shown.variable(v, nil))
	}
	return object{"variables": out}, nil
}

// evalFrame is the call an expression is evaluated in: the one asked for, or else that of the stop, or else none.
func (s *Server) evalFrame(id int) (*debug.Frame, error) {
	if id != 0 {
		return s.frame(id)
	}
	f, _ := s.t.Debugger.Where()
	return f, nil
}

func (s *Server) evaluate(r *request) (object, error) {
	a := struct {
		Expression string `json:"expression"`
		Frame      int    `json:"frameId"`
		Context    string `json:"context"`
	}{}
	if err := r.arguments(&a); err != nil {
		return nil, err
	}
	f, err := s.evalFrame(a.Frame)
	if err != nil {
		return nil, err
	}
	values, err := s.t.Evaluate(f, a.Expression)
	if err != nil {
		return nil, err
	}
	path := ""
	if token.IsIdentifier(strings.TrimSpace(a.Expression)) {
		path = strings.TrimSpace(a.Expression)
	}
	return s.result(values, path, f), nil
}

// result is the body of an evaluate response.
func (s *Server) result(values []any, path string, f *debug.Frame) object {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := &s.handles
	if f == nil {
		h = &s.shown
	}
	if len(values) == 0 {
		return object{"result": "", "type": "", "variablesReference": 0}
	}
	if len(values) == 1 {
		o := h.variable(variable{path: path, view: rt.ViewAny(values[0])}, f)
		o["result"], o["type"], o["presentationHint"] = o["value"], rt.ViewAny(values[0]).Type(), object{}
		delete(o, "value")
		delete(o, "name")
		delete(o, "evaluateName")
		return o
	}
	var texts, types []string
	var list []variable
	for i, v := range values {
		w := rt.ViewAny(v)
		texts, types = append(texts, w.Text()), append(types, w.Type())
		list = append(list, variable{name: fmt.Sprint(i), view: w})
	}
	return object{"result": strings.Join(texts, ", "), "type": "(" + strings.Join(types, ", ") + ")", "namedVariables": len(list),
		"variablesReference": h.ref(container{list: list, frame: f})}
}

// setVariable assigns the value of an expression to a variable or a part of one.
func (s *Server) setVariable(r *request) (object, error) {
	a := struct {
		Ref   int    `json:"variablesReference"`
		Name  string `json:"name"`
		Value string `json:"value"`
	}{}
	if err := r.arguments(&a); err != nil {
		return nil, err
	}
	s.mu.Lock()
	c, _, err := s.container(a.Ref)
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	path := ""
	if c.list != nil {
		for _, v := range c.list {
			if v.name == a.Name {
				path = v.path
			}
		}
	} else if c.path != "" {
		for _, x := range c.view.Children(0, max(c.view.Named(), c.view.Indexed())) {
			switch {
			case x.Star && a.Name == "*"+c.path:
				path = a.Name
			case x.Name == a.Name && x.Path != "":
				path = operand(c.path) + x.Path
			}
		}
	}
	if path == "" {
		return nil, fmt.Errorf("%s cannot be assigned to", a.Name)
	}
	if _, err := s.t.Evaluate(c.frame, path+" = "+a.Value); err != nil {
		return nil, err
	}
	values, err := s.t.Evaluate(c.frame, path)
	if err != nil {
		return nil, err
	}
	o := s.result(values, path, c.frame)
	o["value"] = o["result"]
	delete(o, "result")
	return o, nil
}

// richInspectVariables tells what a notebook would show for a variable.
func (s *Server) richInspectVariables(r *request) (object, error) {
	a := struct {
		Name  string `json:"variableName"`
		Frame int    `json:"frameId"`
	}{}
	if err := r.arguments(&a); err != nil {
		return nil, err
	}
	if a.Name == "" {
		return nil, errors.New("richInspectVariables: variableName is missing")
	}
	f, err := s.evalFrame(a.Frame)
	if err != nil {
		return nil, err
	}
	data, metadata, err := s.t.Rich(f, a.Name)
	if err != nil {
		return nil, err
	}
	if metadata == nil {
		metadata = object{}
	}
	return object{"data": data, "metadata": metadata}, nil
}

// copyToGlobals declares a variable of the session with the value of a local one.
func (s *Server) copyToGlobals(r *request) (object, error) {
	a := struct {
		Src   string `json:"srcVariableName"`
		Dst   string `json:"dstVariableName"`
		Frame int    `json:"srcFrameId"`
	}{}
	if err := r.arguments(&a); err != nil {
		return nil, err
	}
	f, err := s.evalFrame(a.Frame)
	if err != nil {
		return nil, err
	}
	if f == nil {
		return nil, errNotStopped
	}
	return nil, s.t.Copy(f, a.Src, a.Dst)
}
