package rt

import "reflect"

// Table is what emitted code imports as package h.
func Table() map[string]reflect.Value {
	return map[string]reflect.Value{
		"Enter": reflect.ValueOf(Enter), "Recover": reflect.ValueOf(Recover),
		"Line": reflect.ValueOf((*Line)(nil)), "Token": reflect.ValueOf((*Token)(nil)), "Frame": reflect.ValueOf((*Frame)(nil)), "NewFrame": reflect.ValueOf(NewFrame),
		"Select": reflect.ValueOf((*Select)(nil)), "NewSelect": reflect.ValueOf(NewSelect), "Go": reflect.ValueOf(Go),
		"Panic": reflect.ValueOf(Panic), "PanicIndex": reflect.ValueOf(PanicIndex), "PanicSlice": reflect.ValueOf(PanicSlice),
		"PanicSlice3": reflect.ValueOf(PanicSlice3), "PanicNil": reflect.ValueOf(PanicNil), "PanicDivide": reflect.ValueOf(PanicDivide),
		"PanicShift": reflect.ValueOf(PanicShift), "PanicYield": reflect.ValueOf(PanicYield), "CheckMake": reflect.ValueOf(CheckMake), "CheckString": reflect.ValueOf(CheckString),
		"Runes": reflect.ValueOf(Runes), "RuneString": reflect.ValueOf(RuneString), "RuneStringU": reflect.ValueOf(RuneStringU),
		"Clear": reflect.ValueOf(Clear), "IsNil": reflect.ValueOf(IsNil), "Min": reflect.ValueOf(Min), "Max": reflect.ValueOf(Max),
		"Complex": reflect.ValueOf(Complex), "Real": reflect.ValueOf(Real), "Imag": reflect.ValueOf(Imag),
		"ComplexMul64": reflect.ValueOf(ComplexMul64), "ComplexQuo64": reflect.ValueOf(ComplexQuo64), "ComplexQuo128": reflect.ValueOf(ComplexQuo128),
		"Print": reflect.ValueOf(Print), "Println": reflect.ValueOf(Println), "Equal": reflect.ValueOf(Equal), "Disarm": reflect.ValueOf(Disarm), "Eface": reflect.ValueOf(Eface), "PanicIndexU": reflect.ValueOf(PanicIndexU), "Hashable": reflect.ValueOf(Hashable),
	}
}
