package rt

import (
	"errors"
	"fmt"
	htmltemplate "html/template"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"text/template"
)

type (
	mItem struct {
		Name  tString
		Price tFloat
		Tags  []tString
		hid   int
		Fn    func(tInt) tInt
	}
	mOrder struct {
		ID     tInt
		Items  []mItem
		Ptrs   []*mItem
		By     map[tString]mItem
		Codes  map[jColorKey]tInt
		Raw    map[string]tPoint
		Nil    *mItem
		Empty  tString
		Zero   tInt
		Yes    tBool
		Any    any
		Err    error
		Str    tStr
		PStr   tPStr
		Count  int
		Shape  tIface
		Matrix [][]tInt
		mEmbedded
		*mItem
	}
	mEmbedded struct{ Extra tString }
	jColorKey int
)

func (k jColorKey) String() string           { return fmt.Sprintf("K%d", int(k)) }
func (i mItem) Upper() string                { return strings.ToUpper(string(i.Name)) }
func (i *mItem) Rename(s string) tString     { i.Name = tString(s); return i.Name }
func (i mItem) Scale(f tFloat, n int) tFloat { return i.Price * f * tFloat(n) }
func (i mItem) Mul(f float64) float64        { return float64(i.Price) * f }
func (o mOrder) First() mItem                { return o.Items[0] }
func (o mOrder) Find(n tInt) (*mItem, error) {
	if int(n) >= len(o.Items) {
		return nil, errors.New("no such item")
	}
	return &o.Items[n], nil
}
func (o mOrder) Join(sep string, xs ...tString) string {
	var out []string
	for _, x := range xs {
		out = append(out, string(x))
	}
	return strings.Join(out, sep)
}
func (o mOrder) Boom() string { panic("boom") }

func init() {
	ownMethod["mOrder.First"] = true
}

func order() *mOrder {
	it := []mItem{{Name: "pen <b>", Price: 1.5, Tags: []tString{"a", "b"}}, {Name: "ink", Price: 2}}
	return &mOrder{ID: 7, Items: it, Ptrs: []*mItem{{Name: "p"}}, By: map[tString]mItem{"k": it[0], "a": it[1]}, Codes: map[jColorKey]tInt{2: 20, 1: 10, 11: 5}, Raw: map[string]tPoint{"x": {1, 2}},
		Yes: true, Any: it[1], Err: tVErr("bad"), Str: tStr{1}, PStr: tPStr{2}, Count: 3, Shape: tStr{9}, Matrix: [][]tInt{{1, 2}, {3}}, mEmbedded: mEmbedded{"x&y"}}
}

var templateTexts = []string{
	`{{.}}`, `{{.ID}} {{.Count}} {{.Empty}}|{{.Zero}} {{.Yes}} {{.Nil}}`, `{{range .Items}}[{{.Name}} {{.Price}} {{.Upper}}]{{end}}`, `{{range $i, $x := .Items}}{{$i}}={{$x.Name}} {{len $x.Tags}};{{end}}`,
	`{{range .Ptrs}}{{.Name}} {{.Rename "q"}} {{.Name}}{{.}}{{end}}`, `{{range .Nil}}x{{else}}none{{end}}`, `{{range $k, $v := .By}}{{$k}}:{{$v.Price}},{{end}}`, `{{range .By}}{{.Name}}{{end}}`,
	`{{range $k, $v := .Codes}}{{$k}}>{{$v}} {{end}}`, `{{range $k, $v := .Raw}}{{$k}} {{$v.X}} {{eq $k "x"}}{{end}}`, `{{if .Empty}}y{{else}}n{{end}}{{if .Zero}}y{{else}}n{{end}}{{if .Yes}}y{{end}}{{if .Nil}}y{{else}}n{{end}}{{if .Items}}y{{end}}`,
	`{{with .Any}}{{.Name}}{{end}}{{with .Empty}}x{{else}}e{{.ID}}{{end}}{{with $x := .ID}}{{$x}}{{end}}`, `{{.Any.Name}} {{.Any.Upper}} {{.Err}} {{.Str}} {{.PStr}} {{.Shape}}`, `{{.First.Name}} {{.First.Upper}} {{(.Find 1).Name}} {{(index .Items 0).Upper}}`,
	`{{.Find 9}}`, `{{.Missing}}`, `{{.Items.Foo}}`, `{{.Nil.Name}}`, `{{.First.hid}}`, `{{.ID.Foo}}`, `{{.Boom}}`, `{{.Find "x"}}`, `{{.Find}}`, `{{.ID 3}}`, `{{.First.Scale 2 3}} {{.First.Scale 2.5 1}} {{.First.Mul 2}}`, `{{2 | .Find}}`,
	`{{.Join "-" .Extra "q"}}`, `{{.Join "-" .Extra .Empty .First.Name}}`, `{{eq .ID 7}} {{ne .ID 7}} {{lt .ID 8}} {{ge .ID 9}} {{eq .Extra "x&y"}} {{eq .ID .Zero}} {{eq .Count 3}} {{eq .ID 1 7}}`, `{{and .ID .Extra}} {{or .Zero .Extra}} {{not .Zero}} {{not .ID}} {{and .Zero .ID}}`,
	`{{len .Items}} {{len .By}} {{len .Extra}} {{len .Matrix}}`, `{{index .Matrix 0 1}} {{index .By "k"}} {{(index .Raw "x").Y}} {{index .Items 1}}`, `{{index .Items 5}}`, `{{slice .Extra 1 2}} {{slice .Items 1}} {{len (slice .Items 0 1)}}`,
	`{{printf "%v %T %d" .ID .ID .ID}} {{print .ID .Extra}} {{println .Str}}`, `{{printf "%s" .First.Name | printf "%q"}}`, `{{.Extra | len}} {{.ID | eq 7}} {{.Zero | not}}`, `{{html .First.Name}} {{js .Extra}} {{urlquery .Extra}}`, `{{$o := .}}{{range .Items}}{{$o.ID}}{{.Name}}{{end}}`,
	`{{define "t"}}<{{.Name}}>{{end}}{{range .Items}}{{template "t" .}}{{end}}`, `{{block "b" .First}}{{.Name}}{{end}}`, `{{range .Items}}{{if eq .Name "ink"}}{{break}}{{end}}{{.Name}}{{end}}`, `{{range .Matrix}}{{range .}}{{.}},{{end}};{{end}}`, `{{.Extra}} {{.mEmbedded}}`, `{{.Name}}`,
	`{{range .Count}}x{{.}}{{end}}`, `{{call .First.Fn 3}}`, `{{call .Count}}`, `{{twice .ID}} {{.ID | twice}} {{twice 4}}`, `{{shout .Extra}}`, `{{shout .ID}}`, `{{(index .Ptrs 0).Rename "zz"}}{{(index .Ptrs 0).Name}}`, `{{- /* c */ -}} {{.ID -}} x`, `{{len .ID}}`, `{{range .ID}}{{.}}{{end}}`,
}

var hexAddress = regexp.MustCompile(`0x[0-9a-f]{6,}`)

func TestTemplatesMatchGo(t *testing.T) {
	twice := func(x tInt) tInt { return 2 * x }
	shout := func(s tString) tString { return s + "!" }
	nf := map[string]any{"twice": twice, "shout": shout}
	mf := map[string]any{"twice": boxFunc(twice), "shout": boxFunc(shout)}
	for _, text := range templateTexts {
		for _, byPointer := range []bool{true, false} {
			for _, opt := range []string{"missingkey=default", "missingkey=error"} {
				fresh := func() any {
					if byPointer {
						return order()
					}
					return *order()
				}
				clear(mir.moved)
				nd, md := fresh(), mir.box(fresh())
				check2 := func(kind, want, got string) {
					t.Helper()
					want, got = strings.ReplaceAll(want, "html/template", "template"), strings.ReplaceAll(got, "html/template", "template")
					if want != got && hexAddress.ReplaceAllString(want, "") != hexAddress.ReplaceAllString(got, "") {
						t.Errorf("%s %s (%s, pointer %v):\n go %s\n rt %s", kind, text, opt, byPointer, want, got)
					}
				}
				var w, g strings.Builder
				nt := template.Must(template.New("x").Funcs(nf).Option(opt).Parse(text))
				mt := template.Must(TextFuncs(template.New("x"), mf).Option(opt).Parse(text))
				werr, gerr := nt.Execute(&w, nd), ExecuteText(mt, &g, md)
				if strings.Contains(text, "shout .ID") && werr != nil && gerr != nil {
					werr, gerr = nil, nil // found in the function, not at its argument
				}
				check2("text", fmt.Sprint(w.String(), " ", werr), fmt.Sprint(g.String(), " ", gerr))
				nd, md = fresh(), mir.box(fresh())
				w.Reset()
				g.Reset()
				werr, gerr = nt.Execute(&w, map[string]any{"D": nd}), ExecuteText(mt, &g, map[string]any{"D": md})
				if werr != nil && gerr != nil {
					// A missing key among the arguments is found in another order, and at another place.
					werr, gerr = nil, nil
					if strings.HasSuffix(opt, "error") {
						w.Reset()
						g.Reset()
					}
				}
				check2("map", fmt.Sprint(w.String(), " ", werr), fmt.Sprint(g.String(), " ", gerr))
				nd, md = fresh(), mir.box(fresh())
				w.Reset()
				g.Reset()
				nh := htmltemplate.Must(htmltemplate.New("x").Funcs(nf).Option(opt).Parse("<p title='{{.ID}}'>" + text + "</p><script>var x = {{.First.Name}}</script>"))
				mh := htmltemplate.Must(HTMLFuncs(htmltemplate.New("x"), mf).Option(opt).Parse("<p title='{{.ID}}'>" + text + "</p><script>var x = {{.First.Name}}</script>"))
				werr, gerr = nh.Execute(&w, nd), ExecuteHTML(mh, &g, md)
				if strings.Contains(text, "shout .ID") && werr != nil && gerr != nil {
					werr, gerr = nil, nil
				}
				check2("html", fmt.Sprint(w.String(), " ", werr), fmt.Sprint(g.String(), " ", gerr))
			}
		}
	}
}

// boxFunc boxes a function over declared types: its representation converts arguments and results.
func boxFunc(f any) any {
	n := reflect.ValueOf(f)
	t := mir.of(n.Type())
	fn := reflect.MakeFunc(t.Rep, func(args []reflect.Value) []reflect.Value {
		for i := range args {
			args[i] = mir.native(t.Params[i], n.Type().In(i), args[i])
		}
		res := n.Call(args)
		for i := range res {
			res[i] = mir.rep(t.Results[i], res[i])
		}
		return res
	})
	return Box{t, fn.Interface()}
}

func TestPlainTemplatesAreLeftAlone(t *testing.T) {
	tm := template.Must(template.New("x").Parse("{{.A}} {{range .B}}{{.}}{{end}}"))
	var b strings.Builder
	if err := ExecuteText(tm, &b, map[string]any{"A": 1, "B": []any{2, "x"}}); err != nil || b.String() != "1 2x" {
		t.Errorf("%q %v", b.String(), err)
	}
	if holdsBox(map[string]any{"A": []any{1, map[string]any{"b": nil}}}) || !holdsBox([]any{map[string]any{"x": mir.box(tInt(1))}}) {
		t.Error("holdsBox")
	}
}
