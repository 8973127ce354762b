package rt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

type (
	jVal   struct{ N int } // MarshalJSON on the value, UnmarshalJSON on the pointer
	jPtr   struct{ N int } // MarshalJSON on the pointer
	jText  struct{ A, B int }
	jKey   int
	jBad   struct{}
	jErr   struct{}
	jNum   float64
	jColor string
	jBase  struct {
		ID   int `json:"id"`
		Name string
	}
	jbase2 struct {
		Name  string
		Other int
	}
	jInner struct {
		Deep int
		hid  int
	}
	jEmbed struct {
		jBase
		jbase2
		*jInner
		Top  string `json:"top,omitempty"`
		Skip int    `json:"-"`
		Dash int    `json:"-,"`
		low  int
		Tag  jColor `json:"<tag>"`
	}
	jOpts struct {
		I   int            `json:",string"`
		F   jNum           `json:"f,string"`
		S   jColor         `json:"s,string"`
		B   bool           `json:"b,string,omitempty"`
		P   *int           `json:"p,string"`
		E   []tInt         `json:"e,omitempty"`
		M   map[string]any `json:"m,omitempty"`
		Z   jZero          `json:"z,omitzero"`
		ZP  *jZero         `json:"zp,omitzero"`
		ZPt tPoint         `json:"zpt,omitzero"`
		T   time.Time      `json:"t,omitzero"`
		O   tPoint         `json:"o,omitempty"`
		N   json.Number    `json:"n,omitempty"`
		NS  json.Number    `json:"ns,string"`
	}
	jZero struct{ V int }
	jAll  struct {
		V  jVal
		PV *jVal
		P  jPtr
		PP *jPtr
		T  jText
		TP *jText
		K  map[jText]jVal
		Q  map[jKey]jPtr
		L  []jPtr
		A  [2]jVal
		By tBytes
		U8 tU8s
		R  json.RawMessage
		I  any
		E  error
		D  time.Duration
		W  time.Time
		X  map[tString][]*tPoint
		jVal2
	}
	jVal2 struct{ Z tFloat }
	jRec  struct {
		V    tInt
		Kids []*jRec `json:"kids,omitempty"`
		M    map[string]jRec
	}
	jFold  struct{ FooBar, Foobar, K int }
	jHidU  struct{ *jbase2 }
	jIface struct {
		S tIface
		A any
		P any
	}
)

func (v jVal) MarshalJSON() ([]byte, error) {
	return []byte(fmt.Sprintf("{ \"val\" : %d, \"h\":\"<&>\" }", v.N)), nil
}
func (v *jVal) UnmarshalJSON(b []byte) error {
	if string(b) == `"bad"` {
		return errors.New("jVal: bad")
	}
	v.N = len(b)
	return nil
}
func (v *jPtr) MarshalJSON() ([]byte, error) { return []byte(fmt.Sprint(v.N * 2)), nil }
func (v jText) MarshalText() ([]byte, error) { return []byte(fmt.Sprintf("%d<%d", v.A, v.B)), nil }
func (v *jText) UnmarshalText(b []byte) error {
	_, err := fmt.Sscanf(string(b), "%d<%d", &v.A, &v.B)
	return err
}
func (jBad) MarshalJSON() ([]byte, error) { return []byte("{not json"), nil }
func (jErr) MarshalText() ([]byte, error) { return nil, errors.New("no text") }
func (z jZero) IsZero() bool              { return z.V == 7 }

func jsonSamples() []any {
	n := 5
	rec := &jRec{V: 1, Kids: []*jRec{{V: 2}, nil}, M: map[string]jRec{"a": {V: 3}}}
	return []any{
		jVal{3}, &jVal{3}, (*jVal)(nil), jPtr{3}, &jPtr{3}, []jPtr{{1}}, [1]jPtr{{1}}, &[1]jPtr{{1}}, map[string]jPtr{"a": {1}},
		jText{1, 2}, &jText{1, 2}, map[jText]int{{1, 2}: 3}, map[jKey]tString{3: "c", -1: "b"}, jBad{}, []jBad{{}}, jErr{}, map[string]jErr{"k": {}}, map[jErr]int{{}: 1},
		jNum(1e21), jNum(1.5), jNum(math.NaN()), jNum(math.Inf(-1)), tF32(0.1), tF32(1e-7), jColor("a<b>&\u2028\xff\"\\\n"), tBool(true), tInt(-5), tU8(5), tBytes("xyz"), tBytes(nil), tU8s{1, 2},
		jEmbed{jBase{1, "n"}, jbase2{"m", 2}, &jInner{3, 4}, "", 1, 2, 3, "c"}, jEmbed{}, &jEmbed{Top: "t"},
		jOpts{}, jOpts{I: 3, F: 2.5, S: "q\"<", B: true, P: &n, E: []tInt{1}, M: map[string]any{"x": tInt(1)}, Z: jZero{7}, ZP: &jZero{7}, N: "12", NS: "3"},
		jOpts{Z: jZero{1}, ZP: &jZero{2}, ZPt: tPoint{1, 0}, N: "bad"},
		jAll{}, &jAll{V: jVal{1}, PV: &jVal{2}, P: jPtr{3}, PP: &jPtr{4}, T: jText{5, 6}, TP: &jText{7, 8}, K: map[jText]jVal{{2, 1}: {1}, {1, 2}: {2}}, Q: map[jKey]jPtr{1: {2}},
			L: []jPtr{{1}}, A: [2]jVal{{1}, {2}}, By: tBytes("b"), U8: tU8s{1}, R: json.RawMessage(`{"a": 1}`), I: tPoint{1, 2}, E: &tErr{3}, D: 5, W: time.Unix(0, 0).UTC(), X: map[tString][]*tPoint{"k": {{1, 2}, nil}}, jVal2: jVal2{3}},
		rec, *rec, jRec{}, tChan(nil), tFunc(nil), tCplx(1), map[tBool]int{true: 1}, map[any]any{}, []any{tInt(1), tPoint{1, 2}, jVal{1}, &jPtr{2}, nil, tChan(nil)},
		[]any{tInt(1), tPoint{1, 2}, jVal{1}, &jPtr{2}, nil, map[string]any{"a": jText{1, 2}}}, map[string]any{"z": tString("<"), "a": jColor("&")}, struct{}{}, struct {
			A tInt `json:"a"`
			b int
		}{1, 2}, jIface{S: tStr{1}, A: tInt(1), P: &tPoint{1, 2}}, tMixed{A: 1, C: []tPoint{{1, 2}}}, tNode{1, nil}, jFold{1, 2, 3}, jHidU{&jbase2{"a", 1}}, jHidU{},
		[]jVal{{1}}, map[string]*jVal{"a": nil}, [][]jVal{nil, {}}, tPoint{1, 2}, &tPoint{1, 2}, (*tPoint)(nil), []tBytes{tBytes("a"), nil}, time.Second, 5, "s", nil, []int{1}, struct{ A time.Time }{},
	}
}

func TestMarshalMatchesGo(t *testing.T) {
	for i, v := range jsonSamples() {
		b := mir.box(v)
		want, werr := json.Marshal(v)
		got, gerr := Marshal(b)
		check(t, fmt.Sprintf("Marshal #%d %T", i, v), fmt.Sprint(string(want), werr), fmt.Sprint(string(got), gerr))
		if fmt.Sprintf("%T", werr) != fmt.Sprintf("%T", gerr) {
			t.Errorf("Marshal #%d %T: error types %T and %T", i, v, werr, gerr)
		}
		want, werr = json.MarshalIndent(v, ">", "  ")
		got, gerr = MarshalIndent(b, ">", "  ")
		check(t, fmt.Sprintf("MarshalIndent #%d %T", i, v), fmt.Sprint(string(want), werr), fmt.Sprint(string(got), gerr))
		for _, esc := range []bool{true, false} {
			var w, g bytes.Buffer
			we, ge := json.NewEncoder(&w), json.NewEncoder(&g)
			we.SetEscapeHTML(esc)
			ge.SetEscapeHTML(esc)
			werr, gerr = we.Encode(v), Encode(ge, b)
			check(t, fmt.Sprintf("Encode #%d %T", i, v), fmt.Sprint(w.String(), werr), fmt.Sprint(g.String(), gerr))
			if _, ok := v.(jOpts); werr == nil && !ok { // compiled code escapes HTML once where ",string" does it twice
				// Compiled code that meets the box in a container.
				w.Reset()
				g.Reset()
				we.Encode([]any{v})
				ge.Encode([]any{b})
				check(t, fmt.Sprintf("compiled Encode #%d %T", i, v), w.String(), g.String())
			}
		}
	}
}

func TestMarshalCycle(t *testing.T) {
	type slot = struct{ Next any }
	node := &Type{Kind: reflect.Struct, Name: "main.Ring", Rep: reflect.TypeFor[slot]()}
	p := &Type{Kind: reflect.Pointer, Elem: node, Rep: reflect.PointerTo(node.Rep)}
	node.Fields = []Field{{Name: "Next", Type: p, Exported: true}}
	ring := &slot{}
	ring.Next = ring
	_, err := Marshal(Box{p, ring})
	if err == nil || err.Error() != "json: unsupported value: encountered a cycle via *main.Ring" {
		t.Errorf("got %v", err)
	}
}

// jsonTexts are decoded into every target.
var jsonTexts = []string{
	`null`, `true`, `12`, `-3`, `1.5`, `1e400`, `300`, `"x"`, `"1<2"`, `"YWJj"`, `"!!"`, `[]`, `[1]`, `[1,2,3,4]`, `[null]`, `["a",{"A":1}]`, `{}`, `{"N":1}`, `{"A":1,"B":2}`,
	`{"id":3,"Name":"n","Other":4,"Deep":5,"top":"x","-":6,"<tag>":"c","low":9,"jBase":{"id":1}}`, `{"ID":3,"NAME":"n","deep":1}`, `{"FOOBAR":1,"foobar":2,"\u212a":3,"FooBar":4}`,
	`{"I":"5","f":"2.5","s":"\"q\"","b":"true","p":"7","e":[1,2],"m":{"a":[1,"b"]},"z":{"V":1},"zp":{"V":2},"n":12,"ns":"13"}`,
	`{"I":5}`, `{"I":"x"}`, `{"f":"true"}`, `{"s":"q"}`, `{"b":"1"}`, `{"p":null,"I":null}`, `{"I":""}`, `{"ns":"x"}`, `{"p":"1.5"}`, `{"b":"null"}`, `{"f":"null","s":"null"}`,
	`{"V":"bad"}`, `{"V":{"a":1},"PV":[1],"T":"3<4","TP":"5<6","K":{"1<2":[1,2],"3<4":null},"Q":{"1":{"N":2}},"L":[{"N":1}],"A":[1,2,3],"By":"YWJj","U8":"AQI=","R":{"x": 1},"I":{"a":1},"D":7,"W":"1970-01-01T00:00:01Z","X":{"a":[{"X":1},null]},"Z":2}`,
	`{"T":5}`, `{"T":"zz"}`, `{"TP":null}`, `{"T":[1]}`, `{"Q":{"x":{}}}`, `{"Q":{"99999999999999999999":{}}}`, `{"K":{"zz":1}}`, `{"A":5}`, `{"By":5}`, `{"By":"!"}`, `{"E":{}}`, `{"E":1}`, `{"W":5}`, `{"W":"x"}`, `{"D":"x"}`,
	`{"X":{"a":[{"X":"s"}]}}`, `{"X":{"a":{"X":"s"}}}`, `{"V":1,"kids":[{"V":2,"kids":[null]},{"V":"x"}],"M":{"a":{"V":3,"M":{}}}}`, `{"S":1,"A":{"b":[1.5]},"P":{"X":9}}`, `{"S":null,"A":null,"P":null}`, `{"S":{}}`, `{"P":[]}`,
	`{"A":1,"b":"x","C":[{"X":1,"Y":2},{"X":3}],"E":{"q":1},"P":{"X":5},"Err":null}`, `{"Next":{"V":2,"Next":{"V":3}},"V":1}`, `{"a":1,"b":2}`, `{"a":"x"}`, `{"2":"x"}`, `{"N":{"x":1}}`, `{"unknown":{"a":[1,{}]},"X":1}`,
	` { "X" : 1 , "Y" : [ ] } `, `{"X":1`, `{"X":}`, ``, `[1,]`, `{"a" 1}`, `tru`, `{"X":1}{`, `{"\u0058":1,"X":2}`, `{"X":1e1000}`, `"\ud800"`, `{"Name":5,"Other":"x"}`,
}

func jsonTargets() []func() any {
	n := 9
	return []func() any{
		func() any { return new(tInt) }, func() any { return new(tU8) }, func() any { return new(tFloat) }, func() any { return new(tF32) }, func() any { return new(tString) }, func() any { return new(tBool) },
		func() any { return new(tBytes) }, func() any { return new(tU8s) }, func() any { return &tInts{7, 8, 9, 10, 11} }, func() any { return &tArr{7, 8, 9} }, func() any { return &tMap{"a": 9, "k": 1} },
		func() any { return &map[jKey]tString{1: "q"} }, func() any { return new(map[jText]tInt) }, func() any { return new(map[tKey]int) }, func() any { return new(tPoint) }, func() any { return new(*tPoint) },
		func() any { p := &tPoint{1, 2}; return &p }, func() any { return new(jVal) }, func() any { return new(*jVal) }, func() any { return new(jText) }, func() any { return new([]jVal) }, func() any { return new([]*jText) },
		func() any { return new(jEmbed) }, func() any { return &jEmbed{Skip: 3, low: 4, jInner: &jInner{hid: 5}} }, func() any { return new(jOpts) }, func() any { return &jOpts{P: &n} }, func() any { return new(jAll) },
		func() any { return new(jRec) }, func() any { return new(jFold) }, func() any { return new(jHidU) }, func() any { return &jHidU{&jbase2{}} }, func() any { return new(jIface) },
		func() any { return &jIface{P: &tPoint{3, 4}, A: tInt(3)} }, func() any { return new(tMixed) }, func() any { return new(tNode) }, func() any { return new(tChan) }, func() any { return new(tFunc) }, func() any { return new(tCplx) },
		func() any { return new(tIface) }, func() any { return new([]tPoint) }, func() any { return &[]tPoint{{1, 2}, {3, 4}} }, func() any { return new(map[string]tPoint) }, func() any { return new(map[string]*jVal) },
		func() any { return tInt(1) }, func() any { return (*tInt)(nil) }, func() any { return tPoint{} }, func() any { return new(struct{ X, Y tFloat }) },
	}
}

func describe(err error) string {
	var te *json.UnmarshalTypeError
	if errors.As(err, &te) {
		return fmt.Sprintf("%v | %s %s %d %s %s", err, te.Value, te.Type, te.Offset, te.Struct, te.Field)
	}
	return fmt.Sprintf("%T %v", err, err)
}

func TestUnmarshalMatchesGo(t *testing.T) {
	for _, mk := range jsonTargets() {
		for _, text := range jsonTexts {
			for mode := range 4 {
				native := mk()
				mirrored := mir.box(mk())
				var werr, gerr error
				if mode == 0 {
					werr, gerr = json.Unmarshal([]byte(text), native), Unmarshal([]byte(text), mirrored)
				} else {
					w, g := json.NewDecoder(strings.NewReader(text)), json.NewDecoder(strings.NewReader(text))
					if mode&2 != 0 {
						w.UseNumber()
						g.UseNumber()
					}
					if mode&1 != 0 {
						w.DisallowUnknownFields()
						g.DisallowUnknownFields()
					}
					werr, gerr = w.Decode(native), Decode(g, mirrored)
				}
				what := fmt.Sprintf("Unmarshal %q into %T (mode %d)", text, native, mode)
				clear(mir.moved)
				if d := describe(werr); d != describe(gerr) {
					t.Errorf("%s:\n go %s\n rt %s", what, d, describe(gerr))
				}
				back := mir.native(mir.of(reflect.TypeOf(native)), reflect.TypeOf(native), reflect.ValueOf(mirrored.(Box).V))
				if a, b := dump(native), dump(back.Interface()); a != b {
					t.Errorf("%s:\n go %s\n rt %s", what, a, b)
				}
			}
		}
	}
}

// dump shows a value with everything its pointers reach.
func dump(v any) string {
	var b strings.Builder
	dumpTo(&b, reflect.ValueOf(v), 0)
	return b.String()
}

func dumpTo(w io.Writer, v reflect.Value, depth int) {
	if !v.IsValid() || depth > 12 {
		fmt.Fprint(w, "invalid")
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			fmt.Fprintf(w, "nil(%v)", v.Type())
			return
		}
		fmt.Fprintf(w, "%v>", v.Elem().Type())
		dumpTo(w, v.Elem(), depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			fmt.Fprintf(w, " %s:", v.Type().Field(i).Name)
			dumpTo(w, v.Field(i), depth+1)
		}
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() {
			fmt.Fprint(w, "nil")
			return
		}
		fmt.Fprint(w, "[")
		for i := range v.Len() {
			dumpTo(w, v.Index(i), depth+1)
			fmt.Fprint(w, " ")
		}
		fmt.Fprint(w, "]")
	case reflect.Map:
		if v.IsNil() {
			fmt.Fprint(w, "nil")
			return
		}
		for _, e := range (val{v: v}).sorted() {
			dumpTo(w, e.key.v, depth+1)
			fmt.Fprint(w, ":")
			dumpTo(w, e.value.v, depth+1)
			fmt.Fprint(w, ",")
		}
	default:
		fmt.Fprint(w, v)
	}
}

// FuzzUnmarshal compares any text decoded into a few targets with encoding/json.
func FuzzUnmarshal(f *testing.F) {
	for i, s := range jsonTexts {
		f.Add(s, i)
	}
	targets := jsonTargets()
	f.Fuzz(func(t *testing.T, text string, which int) {
		mk := targets[((which%len(targets))+len(targets))%len(targets)]
		native, mirrored := mk(), mir.box(mk())
		werr, gerr := json.Unmarshal([]byte(text), native), Unmarshal([]byte(text), mirrored)
		if describe(werr) != describe(gerr) {
			t.Errorf("%q into %T:\n go %s\n rt %s", text, native, describe(werr), describe(gerr))
		}
		back := mir.native(mir.of(reflect.TypeOf(native)), reflect.TypeOf(native), reflect.ValueOf(mirrored.(Box).V))
		if a, b := dump(native), dump(back.Interface()); a != b {
			t.Errorf("%q into %T:\n go %s\n rt %s", text, native, a, b)
		}
	})
}
