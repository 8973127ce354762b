package dp

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
)

// ledgerFile is the saved form. Infinities are written as -1, which no budget can be.
// It holds row numbers (public) but nothing computed from the rows, not even a
// checksum: a checksum lets a reader test guesses.
type ledgerFile struct {
	Format  string      `json:"format"`
	Eps     float64     `json:"eps"`
	Delta   float64     `json:"delta"`
	ZCDP    bool        `json:"zcdp"`
	Rows    int         `json:"rows"`
	Dim     int         `json:"dim"`
	Entries []entryFile `json:"entries"`
}

type entryFile struct {
	Site      string          `json:"site"`
	What      string          `json:"what"`
	Part      string          `json:"part,omitempty"`
	Rows      [][2]int32      `json:"rows,omitempty"` // runs [from, to)
	Eps       float64         `json:"eps"`
	Delta     float64         `json:"delta"`
	Rho       float64         `json:"rho"`
	Marks     []string        `json:"marks,omitempty"`
	Refused   bool            `json:"refused,omitempty"`
	Guarantee json.RawMessage `json:"guarantee"`
}

// maxLedgerRows keeps a damaged file from asking for all memory.
const maxLedgerRows = 1 << 26

const ledgerFormat = "godp ledger 1"

// MarshalJSON writes every line, so that a ledger can be kept beside the models it paid for.
func (l *Ledger) MarshalJSON() ([]byte, error) {
	b := l.book
	b.mu.Lock()
	defer b.mu.Unlock()
	f := ledgerFile{Format: ledgerFormat, Eps: finite(b.eps), Delta: b.delta, ZCDP: b.zcdp, Rows: b.n, Dim: b.dim}
	for i, e := range b.entries {
		g, err := json.Marshal(e.Guarantee)
		if err != nil {
			return nil, fmt.Errorf("dp: ledger line %d: %w", e.N, err)
		}
		f.Entries = append(f.Entries, entryFile{Site: e.Site, What: e.What, Part: e.Part, Rows: runs(b.rowsOf[i]),
			Eps: finite(e.Guarantee.Eps), Delta: e.Guarantee.Delta, Rho: finite(e.Guarantee.Rho), Marks: e.Marks, Refused: e.Refused, Guarantee: g})
	}
	return json.Marshal(f)
}

// UnmarshalJSON reads what MarshalJSON wrote and recomputes the totals from the lines.
// The ledger is then not bound; [Ledger.Bind] ties it to its data set again.
func (l *Ledger) UnmarshalJSON(data []byte) error {
	var f ledgerFile
	if err := json.Unmarshal(data, &f); err != nil {
		return fmt.Errorf("dp: not a saved ledger: %w", err)
	}
	if f.Format != ledgerFormat {
		return fmt.Errorf("dp: not a saved ledger: format is %q, want %q", f.Format, ledgerFormat)
	}
	eps := infinite(f.Eps)
	if !(eps > 0) || !(f.Delta >= 0 && f.Delta <= 1) || f.Rows < 0 || f.Dim < 0 || f.Rows > maxLedgerRows || (f.ZCDP && (math.IsInf(eps, 1) || f.Delta <= 0 || f.Delta >= 1)) {
		return fmt.Errorf("dp: not a saved ledger: the budget (%v, %v) over %d rows makes no sense", eps, f.Delta, f.Rows)
	}
	n := newLedger(eps, f.Delta, f.ZCDP)
	b := n.book
	b.n, b.dim = f.Rows, f.Dim
	for i, e := range f.Entries {
		rows, err := unruns(e.Rows, f.Rows)
		if err != nil {
			return fmt.Errorf("dp: saved ledger, line %d: %w", i+1, err)
		}
		g := Guarantee{}
		if err := json.Unmarshal(e.Guarantee, &g); err != nil {
			return fmt.Errorf("dp: saved ledger, line %d: %w", i+1, err)
		}
		g.Eps, g.Delta, g.Rho = infinite(e.Eps), e.Delta, math.NaN()
		if e.Rho > 0 {
			g.Rho = e.Rho
		}
		b.entries = append(b.entries, Entry{N: i + 1, Site: e.Site, What: e.What, Part: e.Part, Guarantee: g, Marks: e.Marks, Refused: e.Refused})
		if e.Refused {
			rows = nil
		}
		b.rowsOf = append(b.rowsOf, rows)
		if e.Refused {
			continue
		}
		s, err := b.price(e.What, g)
		if err != nil {
			return err
		}
		b.atom, b.class, b.base = b.spread(rows, s)
		b.replace = b.replace || g.Neighbours != AddRemove
	}
	l.book, l.rows, l.part = b, nil, ""
	return nil
}

// Save writes the ledger to path (and nothing else there: the file is replaced at once).
func (l *Ledger) Save(path string) error {
	data, err := json.MarshalIndent(l, "", " ")
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".ledger-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(data); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// LoadLedger reads a ledger saved by [Ledger.Save].
func LoadLedger(path string) (*Ledger, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	l := new(Ledger)
	if err := json.Unmarshal(data, l); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

func finite(x float64) float64 {
	if math.IsInf(x, 1) || math.IsNaN(x) {
		return -1
	}
	return x
}

func infinite(x float64) float64 {
	if x == -1 {
		return math.Inf(1)
	}
	return x
}

// runs writes a sorted or unsorted list of row numbers as half-open runs.
func runs(rows []int32) [][2]int32 {
	var out [][2]int32
	for _, r := range rows {
		if k := len(out); k > 0 && out[k-1][1] == r {
			out[k-1][1]++
			continue
		}
		out = append(out, [2]int32{r, r + 1})
	}
	return out
}

func unruns(runs [][2]int32, n int) ([]int32, error) {
	var rows []int32
	for _, r := range runs {
		if r[0] < 0 || r[1] <= r[0] || int(r[1]) > n || len(rows)+int(r[1]-r[0]) > n {
			return nil, fmt.Errorf("row numbers [%d, %d) do not fit a data set of %d rows", r[0], r[1], n)
		}
		for i := r[0]; i < r[1]; i++ {
			rows = append(rows, i)
		}
	}
	return rows, nil
}
