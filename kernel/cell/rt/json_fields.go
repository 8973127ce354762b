package rt

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// jsonField is a field that encoding/json reads or writes for a struct type, promoted ones included. The selection
// follows encoding/json (encode.go of the Go distribution, Copyright 2010 The Go Authors, BSD licence).
type jsonField struct {
	name      string
	tag       bool
	index     []int
	typ       typ // of the field, a pointer followed
	declared  typ // of the field
	omitEmpty bool
	omitZero  bool
	quoted    bool
}

func isJSONName(s string) bool {
	if s == "" {
		return false
	}
	for _, c := range s {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return false
		}
	}
	return true
}

func hasOption(opts, name string) bool {
	for opts != "" {
		var o string
		o, opts, _ = strings.Cut(opts, ",")
		if o == name {
			return true
		}
	}
	return false
}

func quotable(k reflect.Kind) bool {
	return k == reflect.Bool || k >= reflect.Int && k <= reflect.Uintptr || k == reflect.Float32 || k == reflect.Float64 || k == reflect.String
}

// jsonFields lists the fields of struct type t in the order of their declaration.
func jsonFields(t typ) []jsonField {
	type level struct {
		typ   typ
		index []int
	}
	var current []level
	next := []level{{typ: t}}
	var count, nextCount map[typ]int
	visited := map[typ]bool{}
	var fields []jsonField
	for len(next) > 0 {
		current, next = next, nil
		count, nextCount = nextCount, map[typ]int{}
		for _, l := range current {
			if visited[l.typ] {
				continue
			}
			visited[l.typ] = true
			for i, sf := range l.typ.fields() {
				if sf.embedded {
					e := sf.typ
					if e.kind() == reflect.Pointer {
						e = e.elem()
					}
					if !sf.exported && e.kind() != reflect.Struct {
						continue
					}
				} else if !sf.exported {
					continue
				}
				tag := sf.tag.Get("json")
				if tag == "-" {
					continue
				}
				name, opts, _ := strings.Cut(tag, ",")
				if !isJSONName(name) {
					name = ""
				}
				index := append(append([]int(nil), l.index...), i)
				ft := sf.typ
				if !ft.named() && ft.kind() == reflect.Pointer {
					ft = ft.elem()
				}
				if name != "" || !sf.embedded || ft.kind() != reflect.Struct {
					f := jsonField{name: name, tag: name != "", index: index, typ: ft, declared: sf.typ,
						omitEmpty: hasOption(opts, "omitempty"), omitZero: hasOption(opts, "omitzero"),
						quoted: hasOption(opts, "string") && quotable(ft.kind())}
					if name == "" {
						f.name = sf.name
					}
					fields = append(fields, f)
					if count[l.typ] > 1 {
						fields = append(fields, f) // a second instance, so that the two annihilate
					}
					continue
				}
				nextCount[ft]++
				if nextCount[ft] == 1 {
					next = append(next, level{ft, index})
				}
			}
		}
	}
	slices.SortFunc(fields, func(a, b jsonField) int {
		if c := strings.Compare(a.name, b.name); c != 0 {
			return c
		}
		if c := cmp.Compare(len(a.index), len(b.index)); c != 0 {
			return c
		}
		if a.tag != b.tag {
			return truth(b.tag) - truth(a.tag)
		}
		return slices.Compare(a.index, b.index)
	})
	out := fields[:0]
	for i, n := 0, 0; i < len(fields); i += n {
		for n = 1; i+n < len(fields) && fields[i+n].name == fields[i].name; n++ {
		}
		// Of the fields of one name the shallowest wins, a tagged one first; a draw hides them all.
		if n == 1 || len(fields[i].index) != len(fields[i+1].index) || fields[i].tag != fields[i+1].tag {
			out = append(out, fields[i])
		}
	}
	slices.SortFunc(out, func(a, b jsonField) int { return slices.Compare(a.index, b.index) })
	return out
}

// foldName maps names that differ only in case to one string.
func foldName(s string) string {
	var b strings.Builder
	for _, r := range s {
		if 'a' <= r && r <= 'z' {
			b.WriteRune(r - 'a' + 'A')
			continue
		}
		for {
			r2 := unicode.SimpleFold(r)
			if r2 <= r {
				r = r2
				break
			}
			r = r2
		}
		b.WriteRune(r)
	}
	return b.String()
}

var (
	sigMarshal   = sig[func() ([]byte, error)]()
	sigUnmarshal = sig[func([]byte) error]()
	sigIsZero    = sig[func() bool]()
	jsonNumber   = reflect.TypeFor[json.Number]()
)
