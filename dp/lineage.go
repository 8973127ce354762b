package dp

import "weak"

// lineage names the data set some rows were taken from, and which of its rows they are. The ledger uses
// it to see that two releases used disjoint rows.
type lineage struct {
	root any     // identity of the data set that was loaded; nil = the holder is one itself
	n    int     // its number of rows
	rows []int32 // the rows taken, in order; nil = all of them in order
}

// lineage returns where d's rows come from; for data that were never cut or mapped, d itself.
func (d *Data) lineage() lineage {
	if d.from.root != nil {
		return d.from
	}
	// Sharing a row store makes two Data the same data set. A weak pointer identifies it without keeping it.
	var id any
	switch {
	case len(d.x.Val) > 0:
		id = weak.Make(&d.x.Val[0])
	case len(d.x.Ptr) > 0:
		id = weak.Make(&d.x.Ptr[0])
	}
	return lineage{root: id, n: d.x.N}
}

// pick is the lineage of Subset(idx).
func (l lineage) pick(idx []int) lineage {
	rows := make([]int32, len(idx))
	for k, i := range idx {
		rows[k] = int32(i)
		if l.rows != nil {
			rows[k] = l.rows[i]
		}
	}
	return lineage{root: l.root, n: l.n, rows: rows}
}

// provenance is lineage in the form the ledger reads.
func (d *Data) provenance() (root any, n int, rows []int32) {
	l := d.lineage()
	return l.root, l.n, l.rows
}
