package dp

import (
	"fmt"
	"reflect"
	"slices"
)

// A trainer made of trainers hands its source and the absence of its ledger down to them. By the package's convention these are
// the fields Rand *Source and Ledger *Ledger of a struct, so that a new trainer takes part without being listed here.
// A trainer that is not such a struct is used as it is.

// withSource returns t drawing from src, recursively. Without force, a trainer that has a source of its own keeps it.
func withSource(t Trainer, src *Source, force bool) Trainer {
	return rewire(reflect.ValueOf(t), func(rand **Source, _ **Ledger) {
		if rand != nil && (force || *rand == nil) {
			*rand = src
		}
	}).Interface().(Trainer)
}

// withoutLedger returns t charging nobody, recursively, for fits to public rows.
func withoutLedger(t Trainer) Trainer {
	return rewire(reflect.ValueOf(t), func(_ **Source, ledger **Ledger) {
		if ledger != nil {
			*ledger = nil
		}
	}).Interface().(Trainer)
}

func withSources(ts []Trainer, src *Source, force bool) []Trainer {
	out := make([]Trainer, len(ts))
	for i, t := range ts {
		out[i] = withSource(t, src, force)
	}
	return out
}

// rewire returns a copy of the struct v (and of the trainers and feature descriptions in its fields) on whose Rand and
// Ledger fields f was called.
func rewire(v reflect.Value, f func(rand **Source, ledger **Ledger)) reflect.Value {
	if v.Kind() == reflect.Interface && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return v
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	for i := range out.NumField() {
		if !out.Type().Field(i).IsExported() {
			continue
		}
		switch p := out.Field(i).Addr().Interface().(type) {
		case **Source:
			if out.Type().Field(i).Name == "Rand" {
				f(p, nil)
			}
		case **Ledger:
			if out.Type().Field(i).Name == "Ledger" {
				f(nil, p)
			}
		case *[]Trainer:
			ts := make([]Trainer, len(*p))
			for j, t := range *p {
				if t != nil {
					ts[j] = rewire(reflect.ValueOf(t), f).Interface().(Trainer)
				}
			}
			*p = ts
		case *Trainer:
			if *p != nil {
				*p = rewire(reflect.ValueOf(*p), f).Interface().(Trainer)
			}
		case *RandomFeatures:
			f(&p.Rand, nil)
		}
	}
	return out
}

// checkCandidates refuses empty lists and nil trainers.
func checkCandidates(where string, ts []Trainer) error {
	if len(ts) == 0 {
		return badArg(where, "Candidates", "none", "at least one trainer is required")
	}
	for i, t := range ts {
		if t == nil {
			return badArg(where, fmt.Sprintf("Candidates[%d]", i), "nil", "must be a trainer such as dp.ObjectivePerturbation{Eps: 1, Lambda: 1e-3}")
		}
	}
	return nil
}

// mergeAssumptions is the union of assumption lists; of two with the same text the worse status stays.
func mergeAssumptions(lists ...[]Assumption) []Assumption {
	worse := map[Status]int{Enforced: 0, Checked: 1, Assumed: 2, Violated: 3}
	var out []Assumption
	for _, l := range lists {
		for _, a := range l {
			i := slices.IndexFunc(out, func(b Assumption) bool { return b.Text == a.Text })
			switch {
			case i < 0:
				out = append(out, a)
			case worse[a.Status] > worse[out[i].Status]:
				out[i] = a
			}
		}
	}
	return out
}

// mergeLeaks is the union of leak marks.
func mergeLeaks(lists ...[]string) []string {
	var out []string
	for _, l := range lists {
		for _, s := range l {
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// firstRows is the first n rows of d, sharing its memory: what a claim about any n of its rows is asked of. It is for claims
// only, which look at public facts.
func firstRows(d *Data, n int) *Data {
	out := *d
	out.x.N = n
	if d.x.Sparse() {
		end := d.x.Ptr[n]
		out.x.Ptr, out.x.Idx, out.x.Val = d.x.Ptr[:n+1], d.x.Idx[:end], d.x.Val[:end]
	} else {
		out.x.Val = d.x.Val[:n*d.x.D]
	}
	if d.y != nil {
		out.y = d.y[:n]
	}
	if d.class != nil {
		out.class = d.class[:n]
	}
	if d.weight != nil {
		out.weight = d.weight[:n]
	}
	return &out
}
