package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"example.org/godp/kernel/notebook"
	"example.org/godp/kernel/worker"
)

// exercises runs the exercise notebook with other answers in its answer cells and returns what it prints.
func exercises(t *testing.T, answers map[string]string) string {
	t.Helper()
	nb, err := notebook.Open("notebooks/23-exercises.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	e, err := newEngine(worker.Streams{Stdout: &b, Stderr: io.Discard, Panic: func(e *worker.Error) { t.Errorf("goroutine: %s", e.Value) }})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i, c := range nb.Cells {
		if c.Type != "code" {
			continue
		}
		code := c.Source
		for tag, answer := range answers {
			if c.HasTag(tag) {
				code = answer
				n++
			}
		}
		if out := e.Execute(context.Background(), i+1, code, worker.Options{}); out.Err != nil {
			t.Fatalf("cell %d: %s", i, out.Err.Value)
		}
	}
	if n != len(answers) {
		t.Fatalf("%d of %d answers found their cell", n, len(answers))
	}
	return b.String()
}

// The graders pass right answers and fail the usual mistakes: too little noise, too much, a bias, the wrong sensitivity, nothing spent, an unprivate model. (The right answers
// use secure randomness; together they fail by chance less than once in a thousand runs.)
func TestExercises(t *testing.T) {
	count := func(noise string) string {
		return fmt.Sprintf("func countPassed(d *dp.Data, src *dp.Source) float64 {\n\tn := 0.0\n\tfor i := 0; i < d.Len(); i++ {\n\t\tif d.Label(i) > 0 {\n\t\t\tn++\n\t\t}\n\t}\n\treturn n + %s\n}", noise)
	}
	share := func(body string) string { return "func shareCoffee(p *dp.PrivateData) float64 {\n" + body + "\n}" }
	train := func(body string) string {
		return "func trainPrivate(p *dp.PrivateData) (*dp.Model, error) {\n" + body + "\n}"
	}
	right := map[string]string{
		"exercise-1": count("src.Exp() - src.Exp()"),
		"exercise-2": "func sensitivityOfMean(n int) float64 { return 2 / float64(n) }",
		"exercise-3": share(`	v, err := p.Release(dp.Laplace{Eps: 0.2, Query: func(d *dp.Data) []float64 {
		n := 0.0
		for i := 0; i < d.Len(); i++ {
			if d.Row(i)[1] > 0.3 {
				n++
			}
		}
		return []float64{n}
	}}, nil)
	if err != nil {
		panic(err)
	}
	return v[0] / float64(p.Len())`),
		"exercise-4": "together, err := dp.OptimalEps(0.05, 0, 100, 1e-6)",
		"exercise-5": train("return p.Train(dp.ObjectivePerturbation{Eps: 0.5, Lambda: 0.005, Loss: dp.Huber(0.5)})"),
	}
	if got := exercises(t, right); strings.Contains(got, "✗") || strings.Count(got, "✓") != 5 || !strings.Contains(got, "5 of 5") {
		t.Errorf("right answers:\n%s", got)
	}
	for _, c := range []struct{ tag, answer, want string }{
		{"exercise-1", count("0.5 * (src.Exp() - src.Exp())"), "✗ exercise 1: not 1-DP"},
		{"exercise-1", count("5 * (src.Exp() - src.Exp())"), "✗ exercise 1: private, but the mean error"},
		{"exercise-1", count("src.Exp() - src.Exp() + 1"), "✗ exercise 1: private, but 1."},
		{"exercise-2", "func sensitivityOfMean(n int) float64 { return 4 / float64(n) }", "✗ exercise 2: n = 1: private, but the true ε is only 0.5"},
		{"exercise-4", "together := 2.0", "✗ exercise 4: too small"},
		{"exercise-5", train("return nil, nil"), "✗ exercise 5: the model carries no guarantee"},
		{"exercise-5", train("return p.Train(dp.OutputPerturbation{Eps: 0.6, Lambda: 0.01})"), "✗ exercise 5: dp: the ledger refuses"},
	} {
		if got := exercises(t, map[string]string{c.tag: c.answer}); !strings.Contains(got, c.want) {
			t.Errorf("%s: the grader says\n%s\nwant %q", c.answer, got, c.want)
		}
	}
}
