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
	comm := &cell{}
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
	if len(cs.byID) != cellMemory || len(cs.order) != cellMemory {
		t.Errorf("%d cells kept, want %d", len(cs.byID), cellMemory)
	}
}

func TestAdmit(t *testing.T) {
	c := &cell{}
	for _, tc := range []struct {
		text, shown string
		cut         bool
	}{
		{"abc", "abc", false},
		{"de\u00e9", "de", true}, // three bytes are left, the third is half a character
		{"x", "", false},
	} {
		shown, cut := c.admit([]byte(tc.text), 6)
		if string(shown) != tc.shown || cut != tc.cut {
			t.Errorf("%q: shown %q, cut %v; want %q, %v", tc.text, shown, cut, tc.shown, tc.cut)
		}
	}
	if c.dropped != 3 {
		t.Errorf("%d bytes dropped, want 3", c.dropped)
	}
	unlimited := &cell{}
	if shown, cut := unlimited.admit(make([]byte, 1000), -1); len(shown) != 1000 || cut {
		t.Error("a negative limit is none")
	}
}
