package dp

import (
	"context"
	"fmt"
	"math"
	"strings"
)

// PublicData marks a data set as public. Only public data can be cross-validated on and used for PublicTuning: these
// functions take a *PublicData and nothing else, so private rows cannot slip in unnoticed.
type PublicData struct {
	d   *Data
	why string
}

// DeclarePublic declares that every row of d is public knowledge or belongs to people outside the protected data, and why. The reason
// is written into the guarantee of every model tuned on it, as an assumption.
func DeclarePublic(d *Data, why string) (*PublicData, error) {
	if d == nil || d.Len() == 0 {
		return nil, badArg("DeclarePublic", "d", "no data", "at least one row is required")
	}
	if strings.TrimSpace(why) == "" {
		return nil, badArg("DeclarePublic", "why", `""`, "say in a few words why these rows need no protection")
	}
	return &PublicData{d: d, why: why}, nil
}

// Data returns the rows, which are public.
func (p *PublicData) Data() *Data { return p.d }

// Why is the reason given.
func (p *PublicData) Why() string { return p.why }

// ErrorRate is the exact error rate of m on the public rows. It costs nothing.
func (p *PublicData) ErrorRate(m Classifier) float64 { return ErrorRate(m, p.d) }

// String says what is public and why.
func (p *PublicData) String() string {
	return fmt.Sprintf("public data: %d rows × %d columns (%s)", p.d.Len(), p.d.Dim(), p.why)
}

// overlap returns the number of rows of d that were declared public, as far as both are known to come from one data set.
func (p *PublicData) overlap(d *Data) int {
	rootP, n, rowsP := p.d.provenance()
	rootD, _, rowsD := d.provenance()
	if rootP == nil || rootP != rootD {
		return 0
	}
	all := func(rows []int32) []int32 {
		if rows != nil {
			return rows
		}
		out := make([]int32, n)
		for i := range out {
			out[i] = int32(i)
		}
		return out
	}
	seen := map[int32]bool{}
	for _, r := range all(rowsP) {
		seen[r] = true
	}
	k := 0
	for _, r := range all(rowsD) {
		if seen[r] {
			k++
		}
	}
	return k
}

// CrossValidation estimates the error rates of trainers on public data by k-fold cross-validation: train on k−1 folds, test on the
// remaining one, for each fold. On private data the estimates would be releases without any protection, hence the type.
type CrossValidation struct {
	Candidates []Trainer // at least one; private trainers include the cost of their noise at this sample size
	Folds      int       // k ≥ 2; 0 means 5
	Rand       *Source   // for the folds and candidates without a source of their own; nil means Secure()
}

// CrossValidated is the result of a CrossValidation.
type CrossValidated struct {
	Index  int         // the candidate with the smallest mean error (the first of equals)
	Mean   []float64   // mean error rate of each candidate
	SD     []float64   // standard deviation of its error rates over the folds
	Errors [][]float64 // Errors[i][j]: error rate of candidate i on fold j
}

// String is a table, one candidate a line.
func (c *CrossValidated) String() string {
	var b strings.Builder
	for i := range c.Mean {
		mark := " "
		if i == c.Index {
			mark = "*"
		}
		fmt.Fprintf(&b, "%s candidate %d: error %.4f ± %.4f\n", mark, i, c.Mean[i], c.SD[i])
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (c CrossValidation) folds(n int) (int, error) {
	k := c.Folds
	if k == 0 {
		k = 5
	}
	if k < 2 || k > n {
		return 0, badArg("CrossValidation", "Folds", c.Folds, fmt.Sprintf("must lie between 2 and the number of rows, %d (0 means 5)", n))
	}
	return k, nil
}

// Run cross-validates under the ambient context.
func (c CrossValidation) Run(p *PublicData) (*CrossValidated, error) {
	return c.RunContext(ambientContext(), p)
}

// RunContext cross-validates. It fails on bad arguments, when ctx is done, or when a candidate fails.
func (c CrossValidation) RunContext(ctx context.Context, p *PublicData) (*CrossValidated, error) {
	const where = "CrossValidation"
	if err := checkCandidates(where, c.Candidates); err != nil {
		return nil, err
	}
	if p == nil {
		return nil, badArg(where, "p", "nil", "public data are required; see dp.DeclarePublic")
	}
	if !p.d.Binary() {
		return nil, badArg(where, "p", "data with classes", "labels must be -1 and +1")
	}
	k, err := c.folds(p.d.Len())
	if err != nil {
		return nil, err
	}
	for i, t := range c.Candidates {
		if _, err := t.Claim(firstRows(p.d, p.d.Len()-p.d.Len()/k)); err != nil {
			return nil, fmt.Errorf("dp: CrossValidation: Candidates[%d]: %w", i, err)
		}
	}
	src := orSecure(c.Rand)
	candidates := c.Candidates
	if c.Rand != nil {
		candidates = withSources(candidates, src, false)
	}
	n := p.d.Len()
	order := src.Perm(n)
	out := &CrossValidated{}
	for i, t := range candidates {
		errs := make([]float64, k)
		for j := range errs {
			if err := cancelled(ctx, where); err != nil {
				return nil, err
			}
			lo, hi := j*n/k, (j+1)*n/k
			train := p.d.Subset(append(append([]int(nil), order[:lo]...), order[hi:]...))
			m, err := t.TrainContext(ctx, train)
			if err != nil {
				return nil, fmt.Errorf("dp: CrossValidation: Candidates[%d], fold %d: %w", i, j, err)
			}
			errs[j] = ErrorRate(m, p.d.Subset(order[lo:hi]))
		}
		mean, sd := meanAndSD(errs)
		out.Errors, out.Mean, out.SD = append(out.Errors, errs), append(out.Mean, mean), append(out.SD, sd)
		if mean < out.Mean[out.Index] {
			out.Index = i
		}
	}
	return out, nil
}

func meanAndSD(v []float64) (mean, sd float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		sd += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(sd / float64(len(v)-1))
}

// PublicTuning chooses among trainers by cross-validation on public data and then trains the winner on all private rows. The choice
// does not touch the private data, so the guarantee is the winner's own.
type PublicTuning struct {
	Candidates []Trainer
	Public     *PublicData // disjoint from the private rows: rows known to be in both are refused
	Folds      int         // 0 means 5
	Rand       *Source     // for the folds and candidates without a source of their own; nil means Secure()
}

// check validates everything that can be seen without training.
func (t PublicTuning) check(d *Data) error {
	const where = "PublicTuning"
	if err := checkCandidates(where, t.Candidates); err != nil {
		return err
	}
	if t.Public == nil {
		return badArg(where, "Public", "nil", "public data are required; see dp.DeclarePublic")
	}
	if d == nil || d.Len() == 0 {
		return badArg(where, "d", "no data", "at least one row is required")
	}
	if d.Dim() != t.Public.d.Dim() {
		return badArg(where, "Public", fmt.Sprintf("%d columns", t.Public.d.Dim()), fmt.Sprintf("the private data have %d", d.Dim()))
	}
	if k := t.Public.overlap(d); k > 0 {
		return badArg(where, "Public", fmt.Sprintf("%d rows that are also private", k), "the public rows must not be among the protected ones: split first, then declare one part public")
	}
	return nil
}

// Claim is a guarantee that holds whichever candidate wins: the largest ε and δ among them.
func (t PublicTuning) Claim(d *Data) (Guarantee, error) {
	if err := t.check(d); err != nil {
		return Guarantee{}, err
	}
	var worst Guarantee
	for i, c := range t.Candidates {
		g, err := c.Claim(d)
		if err != nil {
			return g, fmt.Errorf("dp: PublicTuning: Candidates[%d]: %w", i, err)
		}
		if i == 0 {
			worst = g
			continue
		}
		worst.Eps, worst.Delta, worst.Rho = math.Max(worst.Eps, g.Eps), math.Max(worst.Delta, g.Delta), maxOrNaN(worst.Rho, g.Rho)
		worst.Seeded = worst.Seeded || g.Seeded
		worst.Certificate = maxOrNaN(worst.Certificate, g.Certificate)
		worst.Assumptions, worst.Leaks = mergeAssumptions(worst.Assumptions, g.Assumptions), mergeLeaks(worst.Leaks, g.Leaks)
	}
	worst.Mechanism = fmt.Sprintf("one of %d candidates, chosen on public data", len(t.Candidates))
	return t.annotate(worst), nil
}

func (t PublicTuning) annotate(g Guarantee) Guarantee {
	g.Assumptions = mergeAssumptions(g.Assumptions, []Assumption{{Text: "the parameters were chosen on public data only", Status: Enforced, Detail: t.Public.String()},
		{Text: "the data declared public need no protection", Status: Assumed, Detail: t.Public.why}})
	return g
}

// Train tunes and trains under the ambient context.
func (t PublicTuning) Train(d *Data) (*Model, error) { return t.TrainContext(ambientContext(), d) }

// TrainContext cross-validates on the public data and trains the winner on d. Params["choice"] says which candidate won.
func (t PublicTuning) TrainContext(ctx context.Context, d *Data) (*Model, error) {
	if _, err := t.Claim(d); err != nil {
		return nil, err
	}
	cv, err := CrossValidation{Candidates: t.rehearsal(), Folds: t.Folds, Rand: t.Rand}.RunContext(ctx, t.Public)
	if err != nil {
		return nil, err
	}
	winner := t.Candidates[cv.Index]
	if t.Rand != nil {
		winner = withSource(winner, t.Rand, false)
	}
	m, err := winner.TrainContext(ctx, d)
	if err != nil {
		return nil, err
	}
	m.Guarantee = t.annotate(m.Guarantee)
	if m.Params == nil {
		m.Params = map[string]float64{}
	}
	m.Params["choice"] = float64(cv.Index)
	return m, nil
}

// rehearsal is the candidates without their ledgers: fits to public rows are not charged to the private data.
func (t PublicTuning) rehearsal() []Trainer {
	out := make([]Trainer, len(t.Candidates))
	for i, c := range t.Candidates {
		out[i] = withoutLedger(c)
	}
	return out
}

// Release tunes and trains with the given randomness and returns the weights.
func (t PublicTuning) Release(d *Data, src *Source) ([]float64, error) {
	m, err := withSource(t, orSecure(src), true).TrainContext(ambientContext(), d)
	if err != nil {
		return nil, err
	}
	return m.Weights, nil
}
