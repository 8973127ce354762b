package rt

import (
	"bytes"
	"io"
	"reflect"
	"strings"
)

// Overrides returns the functions that take the place of compiled ones which look at the types of their arguments,
// keyed as the interpreter's symbol tables are: package path and name, then the function ("fmt/fmt", "Println"). out
// and in are asked at every call for what fmt.Print writes to and fmt.Scan reads from. Methods has the methods of
// compiled types that need the same. So do functions that wait, which an interrupt ends, and those that start goroutines.
//
// They do what compiled Go does on the declared type: packages fmt, encoding/json, errors and reflect whole (see Value); log
// (except Fatal, which formats with the boxes' own Format) and log/slog; sort.Slice and its kin; text/template and
// html/template.
//
// Refused, by a panic that names the function and the type (Refused): reflect.StructOf with declared types; package
// encoding/xml; encoding/gob for types with unexported fields, embedded fields, interfaces or marshalling methods;
// encoding/binary for types with interfaces, and its decoders for types with unexported or embedded fields.
//
// Known differences: compiled code that meets a box in a container of its own formats and encodes it rightly but
// cannot know %T or %p, nor the escaping a json.Encoder was set to where the option "string" doubles it; an error in
// the arguments of a template's method names the method instead of the argument.
func Overrides(out func() io.Writer, in func() io.Reader) map[string]map[string]reflect.Value {
	return map[string]map[string]reflect.Value{
		"fmt/fmt":                Fmt(out, in),
		"errors/errors":          Errors(),
		"encoding/json/json":     JSON(),
		"reflect/reflect":        Reflect(),
		"sort/sort":              Sort(),
		"encoding/binary/binary": Binary(),
		"encoding/xml/xml":       XML(),
		"log/log":                Log(),
		"strings/strings": values(map[string]any{"Repeat": func(s string, n int) string {
			room(0, float64(len(s))*float64(n))
			return strings.Repeat(s, n)
		}}),
		"bytes/bytes": values(map[string]any{"Repeat": func(b []byte, n int) []byte {
			room(0, float64(len(b))*float64(n))
			return bytes.Repeat(b, n)
		}}),
		"time/time":       values(map[string]any{"Sleep": Sleep, "AfterFunc": afterFunc}),
		"context/context": values(map[string]any{"AfterFunc": afterContext}),
	}
}
