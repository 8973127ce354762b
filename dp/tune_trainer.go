package dp

import (
	"fmt"
	"slices"
)

// withSource returns t drawing from src, recursively for trainers made of trainers. Without force, a trainer that has a source
// of its own keeps it. A trainer of the user's own type is returned as it is.
func withSource(t Trainer, src *Source, force bool) Trainer {
	pick := func(own *Source) *Source {
		if own != nil && !force {
			return own
		}
		return src
	}
	switch v := t.(type) {
	case ObjectivePerturbation:
		v.Rand = pick(v.Rand)
		return v
	case OutputPerturbation:
		v.Rand = pick(v.Rand)
		return v
	case KernelMachine:
		v.Features.Rand = pick(v.Features.Rand)
		if v.Trainer != nil {
			v.Trainer = withSource(v.Trainer, src, force)
		}
		return v
	case PrivateTuning:
		v.Rand, v.Candidates = pick(v.Rand), withSources(v.Candidates, src, force)
		return v
	case PublicTuning:
		v.Rand, v.Candidates = pick(v.Rand), withSources(v.Candidates, src, force)
		return v
	case BestOf:
		v.Rand, v.Candidates = pick(v.Rand), withSources(v.Candidates, src, force)
		return v
	}
	return t
}

func withSources(ts []Trainer, src *Source, force bool) []Trainer {
	out := slices.Clone(ts)
	for i, t := range out {
		if t != nil {
			out[i] = withSource(t, src, force)
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

// firstRows is the part of d that a claim about any n of its rows is asked of: public facts only are used.
func firstRows(d *Data, n int) *Data {
	idx := make([]int, n)
	for i := range idx {
		idx[i] = i
	}
	return d.Subset(idx)
}

// withoutLedger returns t charging nobody, for fits to public rows.
func withoutLedger(t Trainer) Trainer {
	switch v := t.(type) {
	case ObjectivePerturbation:
		v.Ledger = nil
		return v
	case OutputPerturbation:
		v.Ledger = nil
		return v
	case KernelMachine:
		if v.Trainer != nil {
			v.Trainer = withoutLedger(v.Trainer)
		}
		return v
	case PrivateTuning:
		v.Ledger = nil
		return v
	case BestOf:
		v.Ledger = nil
		return v
	}
	return t
}
