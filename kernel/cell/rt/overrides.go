package rt

import (
	"io"
	"reflect"
)

// Overrides returns the functions that take the place of compiled ones which look at the types of their arguments,
// keyed as the interpreter's symbol tables are: package path and name, then the function ("fmt/fmt", "Println"). out
// and in are asked at every call for what fmt.Print writes to and fmt.Scan reads from.
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
	}
}
