package widgets

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
)

// kind says what values an attribute of a model may have.
type kind int

const (
	boolean    kind = iota // bool
	integer                // int
	float                  // float64, finite
	text                   // string
	textOrNull             // string or nil
	boolOrNull
	intOrNull
	floatOrNull
	texts     // []string
	integers  // []int
	floats    // []float64
	reference // *model or nil
	references
	anything // as it came: a json.RawMessage or what encodes to JSON
	fixed    // a string that a client cannot change
)

func (k kind) String() string {
	return [...]string{"true or false", "an integer", "a finite number", "a string", "a string or null", "true, false or null", "an integer or null", "a finite number or null",
		"a list of strings", "a list of integers", "a list of finite numbers", "a reference to a model", "a list of references to models", "anything", "nothing else than it is"}[k]
}

// prefix marks a reference to another model in the state of one.
const prefix = "IPY_MODEL_"

// decode turns what a client sent for an attribute into its Go value.
func (k kind) decode(raw json.RawMessage) (any, error) {
	raw = bytes.TrimSpace(raw)
	null := string(raw) == "null"
	bad := func() (any, error) { return nil, fmt.Errorf("it must be %v, not %s", k, clip(string(raw), 60)) }
	var err error
	switch k {
	case boolean, boolOrNull:
		if null && k == boolOrNull {
			return nil, nil
		}
		var v bool
		if err = json.Unmarshal(raw, &v); err == nil && !null {
			return v, nil
		}
	case integer, intOrNull:
		if null && k == intOrNull {
			return nil, nil
		}
		if v, ok := decodeInt(raw); ok {
			return v, nil
		}
	case float, floatOrNull:
		if null && k == floatOrNull {
			return nil, nil
		}
		var v float64
		if err = json.Unmarshal(raw, &v); err == nil && !null {
			return v, nil
		}
	case text, textOrNull:
		if null && k == textOrNull {
			return nil, nil
		}
		var v string
		if err = json.Unmarshal(raw, &v); err == nil && !null {
			return v, nil
		}
	case texts:
		var v []*string
		if err = json.Unmarshal(raw, &v); err == nil && !null && !slices.Contains(v, nil) {
			list := make([]string, len(v))
			for i, s := range v {
				list[i] = *s
			}
			return list, nil
		}
	case integers:
		var v []json.RawMessage
		if err = json.Unmarshal(raw, &v); err == nil && !null {
			list := make([]int, len(v))
			for i, r := range v {
				n, ok := decodeInt(r)
				if !ok {
					return bad()
				}
				list[i] = n
			}
			return list, nil
		}
	case floats:
		var v []*float64
		if err = json.Unmarshal(raw, &v); err == nil && !null && !slices.Contains(v, nil) {
			list := make([]float64, len(v))
			for i, x := range v {
				list[i] = *x
			}
			return list, nil
		}
	case reference:
		if null {
			return (*model)(nil), nil
		}
		var id string
		if json.Unmarshal(raw, &id) != nil {
			return bad()
		}
		return find(id)
	case references:
		var ids []*string
		if json.Unmarshal(raw, &ids) != nil || null || slices.Contains(ids, nil) {
			return bad()
		}
		list := make([]*model, len(ids))
		for i, id := range ids {
			m, err := find(*id)
			if err != nil {
				return nil, err
			}
			list[i] = m
		}
		return list, nil
	case anything:
		if !json.Valid(raw) {
			return bad()
		}
		return json.RawMessage(bytes.Clone(raw)), nil
	}
	return bad()
}

// decodeInt reads an integer, also one that is written 3.0 or 3e0.
func decodeInt(raw json.RawMessage) (int, bool) {
	var n int
	if string(bytes.TrimSpace(raw)) == "null" {
		return 0, false
	}
	if json.Unmarshal(raw, &n) == nil {
		return n, true
	}
	var x float64
	if json.Unmarshal(raw, &x) == nil && x == math.Trunc(x) && math.Abs(x) < 1<<53 {
		return int(x), true
	}
	return 0, false
}

// find returns the model that a reference names. mu is held.
func find(ref string) (*model, error) {
	id, ok := strings.CutPrefix(ref, prefix)
	if !ok {
		return nil, fmt.Errorf("a reference to a model begins with %s, not %q", prefix, clip(ref, 60))
	}
	if m := models[id]; m != nil {
		return m, nil
	}
	return nil, fmt.Errorf("there is no model %q", clip(id, 60))
}

// encode is the attribute's value as it goes onto the wire.
func encode(v any) any {
	switch v := v.(type) {
	case *model:
		if v == nil {
			return nil
		}
		return prefix + v.id
	case []*model:
		list := make([]string, len(v))
		for i, m := range v {
			list[i] = prefix + m.id
		}
		return list
	case []string:
		if v == nil {
			return []string{}
		}
	case []int:
		if v == nil {
			return []int{}
		}
	}
	return v
}

// equal compares two values of an attribute.
func equal(a, b any) bool {
	switch a := a.(type) {
	case []string:
		b, ok := b.([]string)
		return ok && slices.Equal(a, b)
	case []int:
		b, ok := b.([]int)
		return ok && slices.Equal(a, b)
	case []float64:
		b, ok := b.([]float64)
		return ok && slices.Equal(a, b)
	case []*model:
		b, ok := b.([]*model)
		return ok && slices.Equal(a, b)
	case json.RawMessage:
		b, ok := b.(json.RawMessage)
		return ok && bytes.Equal(a, b)
	case bool, int, float64, string, nil, *model:
		return a == b
	}
	return false
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
