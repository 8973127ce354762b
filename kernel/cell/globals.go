package cell

import "go/types"

// Globals calls use with the emitted name of every live variable and function. What was named once and is not any more
// has been declared anew: no program emitted from now on refers to it.
func (c *Compiler) Globals(use func(name string)) {
	for _, d := range c.live {
		switch o := d.obj.(type) {
		case *types.Var:
			use(c.vars[o])
		case *types.Func:
			if name := c.funcs[o]; name != "" {
				use(name)
			}
		}
	}
}

// forget lets go of what is known of a variable or a function that has been declared anew. Whatever refers to it by name has been
// compiled again; methods stay, since values of the former type still have them.
func (c *Compiler) forget(d *decl) {
	switch o := d.obj.(type) {
	case *types.Var:
		delete(c.vars, o)
	case *types.Func:
		if o.Type().(*types.Signature).Recv() == nil {
			delete(c.funcs, o)
			delete(c.bodies, o)
		}
	}
}
