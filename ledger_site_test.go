package main

import "testing"

// A ledger's lines name the cell and the line that asked: in the cell itself, in a function of another cell, in a goroutine, in a loop of compiled code, and in cells
// that run later.
func TestLedgerNamesTheCell(t *testing.T) {
	got := output(t,
		"ledger := dp.NewLedger(10, 0)\nlap := dp.Laplace{Eps: 0.1, Ledger: ledger}\ndata := dp.NestedBalls(50, 2, dp.Seed(1))",
		"// nothing here\nlap.Perturb(3)",
		"func ask() {\n\tlap.Perturb(1)\n}",
		"x := 1\nask()\n_ = x",
		"done := make(chan bool)\ngo func() {\n\tlap.Perturb(2)\n\tclose(done)\n}()\n<-done",
		"m, err := dp.ObjectivePerturbation{Eps: 1,\n\tLambda: 0.1, Ledger: ledger}.Train(data)",
		"p, err := dp.Private(data, ledger)\np.ErrorRate(m, 0.5, nil)",
		"for _, e := range ledger.Entries() {\n\tfmt.Println(e.Site)\n}")
	// The released numbers are random: only what follows them is compared.
	want := "In[2]:2\nIn[3]:2, called from In[4]:2\nIn[5]:3\nIn[6]:1\nIn[7]:2\n"
	if len(got) < len(want) || got[len(got)-len(want):] != want {
		t.Errorf("got\n%s\nwant it to end in\n%s", got, want)
	}
}
