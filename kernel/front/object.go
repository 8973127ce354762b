package front

import (
	"encoding/json"

	"example.org/godp/kernel/wire"
)

// field is a member of a JSON object whose value is JSON already. A missing value stands for {}.
type field struct {
	name  string
	value json.RawMessage
}

// object makes a JSON object. Values of many megabytes are copied once, and not parsed again as encoding/json would.
func object(fields ...field) json.RawMessage {
	size := 2
	for _, f := range fields {
		size += len(f.name) + len(f.value) + 6
	}
	b := append(make([]byte, 0, size), '{')
	for i, f := range fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(wire.AppendString(b, []byte(f.name)), ':')
		b = append(b, orEmpty(f.value)...)
	}
	return append(b, '}')
}

// orEmpty is o, or {} where there is none.
func orEmpty(o json.RawMessage) json.RawMessage {
	if len(o) == 0 {
		return json.RawMessage("{}")
	}
	return o
}
