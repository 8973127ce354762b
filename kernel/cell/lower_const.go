package cell

import (
	"fmt"
	"go/constant"
	"go/types"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Constants. The checker has computed them; the interpreter gets values whose type cannot be mistaken:
// testdata/lower/const.txtar.

// zero is the zero value of t as an operand.
func (f *fn) zero(t types.Type) string {
	rep := f.u.c.reps.of(t).Rep
	if rep.PkgPath() == "" {
		switch rep.Kind() {
		case reflect.Bool:
			return "false"
		case reflect.String:
			return `""`
		case reflect.Int:
			return "0"
		case reflect.Float64:
			return "0.0"
		}
	}
	return f.zeroed(f.u.c.reps.text(rep))
}

// literal writes the constant v of type t.
func (f *fn) literal(v constant.Value, t types.Type) string {
	t = types.Default(t)
	if isInterface(t) {
		panic("internal: literal of interface type")
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		panic(&refusedError{f.u.pos, fmt.Sprintf("internal: constant of type %v", t)})
	}
	rep := f.u.c.reps.of(t).Rep
	txt := f.u.c.reps.text(rep)
	named := rep.PkgPath() != ""
	switch {
	case b.Info()&types.IsBoolean != 0:
		s := strconv.FormatBool(constant.BoolVal(v))
		if named {
			return txt + "(" + s + ")"
		}
		return s
	case b.Info()&types.IsString != 0:
		s := strconv.Quote(constant.StringVal(v))
		if named {
			return txt + "(" + s + ")"
		}
		return s
	case b.Info()&types.IsInteger != 0:
		s := constant.ToInt(v).ExactString()
		if b.Kind() == types.Int && !named && s[0] != '-' {
			return s
		}
		return txt + "(" + s + ")"
	case b.Info()&types.IsFloat != 0:
		if x, _ := constant.Float64Val(constant.ToFloat(v)); math.IsInf(x, 0) {
			panic(refused("constant %s overflows float64", v))
		}
		s := floatText(v, rep.Bits())
		if b.Kind() == types.Float64 && !named {
			if s[0] == '-' {
				return "(" + s + ")"
			}
			return s
		}
		return txt + "(" + s + ")"
	case b.Info()&types.IsComplex != 0:
		re, im := floatText(constant.Real(v), 64), floatText(constant.Imag(v), 64)
		s := "complex(" + re + ", " + im + ")"
		if b.Kind() == types.Complex128 && !named {
			return s
		}
		return txt + "(" + s + ")"
	}
	panic("internal: literal")
}

func floatText(v constant.Value, bits int) string {
	var x float64
	if bits == 32 {
		y, _ := constant.Float32Val(constant.ToFloat(v))
		x = float64(y)
	} else {
		x, _ = constant.Float64Val(constant.ToFloat(v))
	}
	if math.IsInf(x, 0) {
		return v.ExactString()
	}
	s := strconv.FormatFloat(x, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}
