package session

import (
	"fmt"
	"go/types"
	"html"
	"strings"

	"example.org/godp/kernel/cell"
	"example.org/godp/kernel/display"
)

// Inspect describes what stands at the cursor (a byte offset): how it is declared and what its documentation says; with
// detail 1 also the source, for what cells have declared, and the methods of a type. It may be called while a cell runs.
func (s *Session) Inspect(code string, cursor int, detail int) (display.Bundle, bool) {
	cursor = min(max(cursor, 0), len(code))
	if mayHaveDirectives(code) {
		if d := directiveAt(code, cursor); d != nil && d.available(s) {
			return describe(d.usage(), d.about, ""), true
		}
		code, _ = s.withoutDirectives(code)
	}
	scope := s.scope.Load()
	var p cell.Place
	for at := cursor; at >= 0; {
		p = scope.At(code, at, &s.importer, false)
		if p.Object != nil || p.Import {
			break
		}
		// Inside the brackets of a call: the function that is being called.
		if at = callee(code[:at]); at < 0 {
			break
		}
	}
	if p.Object == nil {
		name := code[p.Start:p.End]
		path, ok := p.Packages[name]
		if !ok || p.Dot {
			return display.Bundle{}, false
		}
		return describe("package "+name+" // import \""+path+"\"", s.doc(path, ""), ""), true
	}
	o := p.Object
	if pn, ok := o.(*types.PkgName); ok {
		path := pn.Imported().Path()
		return describe("package "+pn.Imported().Name()+" // import \""+path+"\"", s.doc(path, ""), ""), true
	}
	head := types.ObjectString(o, qualifier)
	if _, ok := o.(*types.Builtin); ok {
		head = "builtin func " + o.Name()
	}
	if len(head) > 4000 {
		head = head[:4000] + " …"
	}
	doc, more := "", ""
	if p.Declared != nil {
		doc = p.Declared.Doc()
		head += " // " + p.Declared.Cell
		if detail > 0 {
			more = p.Declared.Source()
		}
	} else if o.Pkg() != nil && o.Pkg().Path() != "main" {
		doc = s.doc(o.Pkg().Path(), docName(o, p))
	} else if o.Pkg() == nil {
		doc = s.doc("builtin", o.Name())
	}
	if tn, ok := o.(*types.TypeName); ok && detail > 0 {
		ms := types.NewMethodSet(types.NewPointer(tn.Type()))
		for i := range ms.Len() {
			if m := ms.At(i).Obj(); m.Exported() {
				more += "\n" + types.ObjectString(m, qualifier)
			}
		}
	}
	return describe(head, doc, strings.TrimSpace(more)), true
}

func (s *Session) doc(path, name string) string {
	if s.cfg.Doc == nil {
		return ""
	}
	return s.cfg.Doc(path, name)
}

// docName is the name under which the documentation has an object: "Func", "Type", "Type.Method" or "Type.Field".
func docName(o types.Object, p cell.Place) string {
	owner := p.Recv
	if p.Selection != nil {
		owner = p.Selection.Recv()
	}
	if f, ok := o.(*types.Func); ok {
		r := f.Signature().Recv()
		if r == nil {
			return o.Name()
		}
		if owner == nil {
			owner = r.Type()
		}
	} else if v, ok := o.(*types.Var); !ok || !v.IsField() {
		return o.Name()
	}
	if ptr, ok := owner.(*types.Pointer); ok {
		owner = ptr.Elem()
	}
	if n, ok := types.Unalias(owner).(*types.Named); ok {
		return n.Obj().Name() + "." + o.Name()
	}
	return o.Name()
}

// callee returns an offset inside the name of the function whose brackets are open at the end of text, −1 if there is none.
func callee(text string) int {
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case ')', ']', '}':
			depth++
		case '[', '{':
			if depth--; depth < 0 {
				return -1
			}
		case '(':
			if depth--; depth < 0 {
				if i == 0 {
					return -1
				}
				return len(strings.TrimRight(text[:i], " \t"))
			}
		case '\n':
			if depth == 0 && strings.HasSuffix(strings.TrimRight(text[:i], " \t"), "}") {
				return -1
			}
		}
	}
	return -1
}

func describe(head, doc, more string) display.Bundle {
	doc = strings.TrimSpace(doc)
	text := head
	page := fmt.Sprintf("<pre><b>%s</b></pre>", html.EscapeString(head))
	if doc != "" {
		text += "\n\n" + doc
		page += fmt.Sprintf("<pre>%s</pre>", html.EscapeString(doc))
	}
	if more != "" {
		text += "\n\n" + more
		page += fmt.Sprintf("<pre>%s</pre>", html.EscapeString(more))
	}
	return display.Bundle{Data: map[string]any{"text/plain": text, "text/html": page}}
}
