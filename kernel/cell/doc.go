// Package cell compiles notebook cells to the part of Go that the embedded interpreter gets right.
//
// # The way of a cell
//
//	split.go     cuts the text into declarations and statements and parses them
//	hoist.go     makes package variables of top-level := and var; x := x + 1 reads the former x
//	check.go     type-checks with go/types against the live declarations, and again whatever depends on a changed one
//	places.go    where run-time errors find their places
//	goname.go    the names of functions and closures as package runtime gives them
//	errors.go    places, excerpts and carets; diagnose*.go adds what to do about it
//	redeclare.go what depends on what; a type declared anew unchanged stays the same type for the values there are
//	rep*.go      the representation of every type
//	facts.go     which variables closures capture, which functions defer, recover or leave loops over functions
//	scope*.go    what completion and inspection ask: the live names, and what a text says around a cursor
//	lower*.go    statements and expressions, a file for each concern
//	subst.go     type arguments; generic.go the sources of generic functions of compiled packages
//	helpers.go   compiled functions of just the type a place needs
//	vec          pure functions of floats, compiled
//	emit.go      puts the program together; show.go shows the last value
//	rt           what emitted code calls: boxes, dispatch, panics, defers, channels; fmt, json and reflect for declared types
//	debug        what instrumented cells call (lower_debug.go); evaluate.go compiles what is typed into the debugger
//
// Nothing reaches the interpreter that go/types has not accepted, so a rejected cell changes nothing.
//
// # What the interpreter gets wrong, and how cells avoid it
//
// Each has a golden file in testdata/lower, and the programs of tests/differential run both ways.
//
//	types declared by users lose their identity in interfaces,     erased to representations; identity travels in a
//	their methods and field names are mixed up                     box (types)
//	closures made in a loop share its variables                    captured variables live in boxes, closures are made
//	                                                               by top-level functions (closure)
//	defer reads its arguments late and can deadlock;               defer frames in compiled code (defer)
//	recover yields the wrong values
//	range shares variables, forgets the assigning form, knows      plain loops; a closure and a code for how the loop
//	neither integers nor functions                                 was left (range, rangefunc)
//	generic functions are inferred wrongly, some yield zero        one function per instance (generic)
//	&& and || go wrong in nested conditions; so do                 statements; chains of if (control)
//	fallthrough and some switches
//	a multiple assignment evaluates its operands late              operands first, checks with the stores (assign)
//	redefined functions and types keep their former callers        new names, dependants emitted again (redeclare)
//	indices, nil pointers and divisions panic with other texts,    checked by emitted code that knows its place
//	without the place
//	(*p) | x and (*p) + x in a literal are taken for types         temporaries
//	&x.f and &x[i] are refused for many operands                   compiled helpers
//	-0 becomes 0 as an argument, alone or in a struct               passed through reflection where a float is 0 (zero)
//	a function passed on inside a function literal that             named by a top-level function (zero)
//	stands above it does nothing
//
// Functions of package runtime that look at the stack see the functions of cells, with Go's names and lines; the file of a
// place is its cell. Compiled functions between them, and the interpreter, are not shown.
//
// # What is refused
//
// A cell that cannot be run as Go would run it is refused before anything happens, except where noted.
//
//	unsafe, syscall, plugin, cgo                      not importable
//	goto out of the body of a range-over-func loop    refused
//	functions without a body                          refused
//	array types that contain themselves               refused: type A [2]*A
//	runtime.Stack, debug.Stack, debug.PrintStack      refused: they would show the interpreter
//	runtime.Caller, Callers, CallersFrames in a       refused: cells do not follow such directives
//	session with line directives
//	runtime.FuncForPC of a function's address         refused when it is called
//	memory statistics and allocation counts           refused: they would count the interpreter's
//	runtime.SetFinalizer, AddCleanup                  refused: the interpreter may hold on to the object
//	testing.Main, MainStart, AllocsPerRun             refused
//	reflect.StructOf with a field of a type declared  refused when it is called: it would take a new type
//	in a cell
//	reflect's setters in a variable of a type like    refused when it is called
//	type F func() F, which contains itself
//	testing/quick's Value and Config.Values           refused: their reflect.Values know only compiled types
//	encoding/xml of types declared in a cell          refused when it is called: it names elements after types
//	encoding/gob of such types with interfaces,       refused when it is called
//	unexported or embedded fields
//	generic functions of compiled packages without    refused by name
//	a portable source
//
// # What Go leaves open
//
// Where the language does not say whether a variable is read before or after a call that changes it, as in x + f(), cells
// read from left to right, and Go's compiler often calls first. Assignments compute what is called first, then the value,
// then the place, as Go's compiler does.
package cell
