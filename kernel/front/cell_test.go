package front

import "testing"

func TestCellsAreRememberedForLateOutput(t *testing.T) {
	var cs cells
	if cs.find(0) != nil || cs.find(7) != nil {
		t.Error("found a cell where there is none")
	}
	first := &cell{}
	cs.add(first)
	cs.setLatest(first)
	for range 3 * cellMemory { // completions and the like do not push cells out
		cs.id()
	}
	if cs.find(first.id) != first {
		t.Error("the first cell was forgotten although no other came")
	}
	silent := &cell{silent: true}
	cs.add(silent)
	comm := &cell{comm: true}
	for range 3 * cellMemory { // a slider is dragged
		cs.add(&cell{comm: true})
	}
	cs.add(comm)
	if cs.find(0) != first {
		t.Error("unlabelled output does not go to the latest cell that shows any")
	}
	if cs.find(silent.id) != silent || cs.find(comm.id) != comm {
		t.Error("labelled output does not find its request")
	}
	var last *cell
	for range cellMemory {
		last = &cell{}
		cs.add(last)
		cs.setLatest(last)
	}
	if cs.find(first.id) != last {
		t.Error("output of a forgotten cell does not go to the latest")
	}
	if len(cs.byID) != cellMemory+commMemory || len(cs.order) != cellMemory {
		t.Errorf("%d cells kept, want %d", len(cs.byID), cellMemory+commMemory)
	}
}
