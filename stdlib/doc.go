package stdlib

import (
	_ "embed"
	"encoding/json"
	"sync"
)

//go:embed data/base.doc.pack
var baseDoc string

//go:embed data/local.doc.pack
var localDoc string

var docs = open(&localDoc, &baseDoc)

var docCache sync.Map // path -> map[string]string

// Doc returns the doc comment of an exported name of a package, as plain text: name is "Func", "Type", "Type.Method",
// "Type.Field" or the name of a constant or variable, and "" is the package itself. A method promoted from an embedded type is
// found under that type. The text is empty when there is no comment, no such name or no such package.
func Doc(path, name string) string {
	if m, ok := docCache.Load(path); ok {
		return m.(map[string]string)[name]
	}
	var m map[string]string
	for _, a := range docs() {
		if !a.Has(path) {
			continue
		}
		b, err := a.Read(path)
		if err == nil {
			err = json.Unmarshal(b, &m)
		}
		if err != nil {
			panic(err) // the build is broken, not its use
		}
		break
	}
	docCache.Store(path, m)
	return m[name]
}
