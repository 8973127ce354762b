package session

import (
	"fmt"
	"go/types"
	"strings"
	"text/tabwriter"
)

// help is %help.
func (s *Session) help(*call) Outcome {
	w := tabwriter.NewWriter(s.cfg.Stdout, 0, 0, 3, ' ', 0)
	for _, d := range directives {
		if d.available(s) {
			fmt.Fprintf(w, "%s\t%s\n", d.usage(), d.about)
		}
	}
	w.Flush()
	fmt.Fprintln(s.cfg.Stdout, "Each stands on a line of its own, one with %% on the first line of the cell; the rest of a cell is Go.")
	return Outcome{}
}

// who is %who.
func (s *Session) who(*call) Outcome {
	var groups [4][]string
	for _, d := range s.scope.Load().Declarations() {
		o := d.Object
		switch o := o.(type) {
		case *types.Var:
			groups[0] = append(groups[0], "var "+o.Name()+"\t"+types.TypeString(o.Type(), qualifier))
		case *types.Func:
			groups[1] = append(groups[1], "func "+o.Name()+"\t"+strings.TrimPrefix(types.TypeString(o.Type(), qualifier), "func"))
		case *types.TypeName:
			t := o.Type().Underlying()
			kind := types.TypeString(t, qualifier)
			switch t.(type) {
			case *types.Struct:
				kind = "struct"
			case *types.Interface:
				kind = "interface"
			}
			groups[2] = append(groups[2], "type "+o.Name()+"\t"+kind)
		case *types.Const:
			groups[3] = append(groups[3], "const "+o.Name()+"\t"+types.TypeString(o.Type(), qualifier)+" = "+o.Val().String())
		}
	}
	w := tabwriter.NewWriter(s.cfg.Stdout, 0, 0, 2, ' ', 0)
	n := 0
	for _, g := range groups {
		n += len(g)
		for _, line := range g {
			fmt.Fprintln(w, line)
		}
	}
	if n == 0 {
		fmt.Fprintln(w, "nothing is declared")
	}
	w.Flush()
	return Outcome{}
}

// reset is %reset. Goroutines that cells have started go on.
func (s *Session) reset(x *call) Outcome {
	if err := s.boot(); err != nil {
		return x.fail(err)
	}
	s.saved = nil
	if s.cfg.OnReset != nil {
		s.cfg.OnReset()
	}
	fmt.Fprintln(s.cfg.Stdout, "all declarations are forgotten")
	return Outcome{}
}

// budget is %budget.
func (s *Session) budget(*call) Outcome {
	fmt.Fprintln(s.cfg.Stdout, strings.TrimRight(s.cfg.Budget(), "\n"))
	return Outcome{}
}
