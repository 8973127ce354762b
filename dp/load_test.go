package dp

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var small = Schema{
	Columns: []Column{{Name: "age", Max: 100}, {Name: "job", Levels: []string{"a", "b"}}, {Name: "gain", Max: 10, Log: true}, {Name: "hours", Bins: []float64{20, 40}}},
	Label:   "y", Header: true, Positive: []string{"yes"}, Negative: []string{"no"}, Missing: "?",
}

func TestSchemaRows(t *testing.T) {
	d, err := small.Read(strings.NewReader("y,gain,job,age,hours\nyes, 0, b, 50, 40\nno,10,a,1000,19\nno,?,a,5,6\n"))
	if err != nil {
		t.Fatal(err)
	}
	if d.Len() != 2 || d.Dim() != 7 || d.Label(0) != 1 || d.Label(1) != -1 {
		t.Fatalf("%d rows of %d columns", d.Len(), d.Dim())
	}
	names := strings.Join(d.Features(), " ")
	if names != "age job=a job=b gain hours<20 hours≥20 hours≥40" {
		t.Errorf("names %q", names)
	}
	for i, want := range [][]float64{{0.5, 0, 1, 0, 0, 0, 1}, {1, 1, 0, 1, 1, 0, 0}} {
		n := math.Max(1, norm2(want))
		for j, v := range d.Row(i) {
			if math.Abs(v-want[j]/n) > 1e-11 {
				t.Errorf("row %d is %v, want %v/%g", i, d.Row(i), want, n)
				break
			}
		}
	}
	v, err := small.Vector([]string{"50", "b", "0", "40"})
	if err != nil || math.Abs(v[0]-0.5*1/1.5) > 1e-9 {
		t.Errorf("Vector: %v %v", v, err)
	}
}

func TestSchemaRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"missing column", "y,gain,job,hours\nyes,1,a,3\n", `no column "age"`},
		{"text in a number", "y,gain,job,age,hours\nyes,1,a,old,3\n", `line 2: column "age": "old" is not a number`},
		{"NaN", "y,gain,job,age,hours\nyes,1,a,3,3\nyes,NaN,a,3,3\n", `line 3: column "gain": NaN`},
		{"level", "y,gain,job,age,hours\nyes,1,c,3,3\n", `no level "c"`},
		{"label", "y,gain,job,age,hours\nmaybe,1,a,3,3\n", `no label "maybe"`},
		{"short line", "y,gain,job,age,hours\nyes,1,a\n", "line 2: 3 fields"},
		{"no rows", "y,gain,job,age,hours\n", "no rows"},
		{"empty file", "", "no rows"},
		{"only missing", "y,gain,job,age,hours\nyes,?,a,3,3\n", "no rows"},
	} {
		if _, err := small.Read(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
	for _, c := range []struct {
		name, want string
		s          Schema
	}{
		{"no columns", "Columns", Schema{Positive: []string{"1"}}},
		{"no bounds", "bounds of x", Schema{Columns: []Column{{Name: "x"}}, Positive: []string{"1"}}},
		{"no positive", "Positive", Schema{Columns: []Column{{Name: "x", Max: 1}}}},
		{"bins", "Bins of x", Schema{Columns: []Column{{Name: "x", Bins: []float64{2, 1}}}, Positive: []string{"1"}}},
		{"radius", "radius", Schema{Columns: []Column{{Name: "x", Max: 1}}, Positive: []string{"1"}, Radius: -1}},
	} {
		if _, err := c.s.Read(strings.NewReader("1,1\n")); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
	if _, err := LoadCSV(filepath.Join(t.TempDir(), "none.csv"), small); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent file: %v", err)
	}
}

func FuzzSchemaRead(f *testing.F) {
	f.Add("y,gain,job,age,hours\nyes, 0, b, 50, 40\n")
	f.Add("y,gain,job,age,hours\nno,-1e400,a,Inf,0x1p3\n\"yes\",1,a,2,3")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := small.Read(strings.NewReader(text))
		if err != nil {
			return
		}
		for i := range d.Len() {
			if n := norm2(d.Row(i)); !(n <= 1+1e-12) || d.Label(i) != 1 && d.Label(i) != -1 {
				t.Fatalf("row %d of norm %g with label %g", i, n, d.Label(i))
			}
		}
	})
}

// adult is the real data set where it is on this machine, and a stand-in made from published aggregates elsewhere.
func adult(t testing.TB) (d *Data, real bool) { return adultAs(t, AdultSchema()) }

func adultAs(t testing.TB, s Schema) (d *Data, real bool) {
	t.Helper()
	d, err := LoadAdultAs(s)
	var missing *MissingData
	if errors.As(err, &missing) {
		if d, err = adultStandIn(45222, s, Seed(1)); err == nil {
			return d, false
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return d, true
}

func TestAdultFacts(t *testing.T) {
	d, real := adult(t)
	if d.Len() != 45222 || d.Dim() != 105 {
		t.Errorf("%d rows of %d columns, want 45222 of 105", d.Len(), d.Dim())
	}
	pos := 0.0
	for i := range d.Len() {
		if d.Label(i) > 0 {
			pos++
		}
	}
	want := oracles(t, "AdultPositiveRate")[0]
	if real {
		near(t, "positive rate", pos/float64(d.Len()), want.out("rate"), 1e-12)
	} else if math.Abs(pos/45222-want.out("rate")) > 0.01 { // 5 standard deviations
		t.Errorf("stand-in rate %g", pos/45222)
	}
	for i := 0; i < d.Len(); i += 97 {
		if n := norm2(d.Row(i)); n > 1 || n < 1-1e-11 {
			t.Fatalf("row %d has norm %g", i, n)
		}
	}
}

func TestKDDFacts(t *testing.T) {
	if testing.Short() {
		t.Log("short: the stand-in only")
	}
	var d *Data
	real := false
	if !testing.Short() {
		var err error
		d, err = LoadKDD("", KDDNormal)
		var missing *MissingData
		if err != nil && !errors.As(err, &missing) {
			t.Fatal(err)
		}
		real = err == nil
	}
	if !real {
		d = KDDStandIn(20_000, Seed(1))
	}
	pos := 0.0
	for i := range d.Len() {
		if d.Label(i) > 0 {
			pos++
		}
	}
	if d.Dim() != 119 || math.Abs(pos/float64(d.Len())-0.1969) > 0.014 {
		t.Errorf("%d columns, %g positive", d.Dim(), pos/float64(d.Len()))
	}
	if real && (d.Len() != 494021 || pos != 97278) {
		t.Errorf("%d rows, %g normal; want 494021 and 97278", d.Len(), pos)
	}
}

func TestFindDataSaysWhatToDo(t *testing.T) {
	t.Setenv("GODP_DATA", t.TempDir())
	for _, err := range []error{second(LoadAdult()), second(LoadKDD("", KDDDoS)), second(LoadAdult("adult.test"))} {
		var missing *MissingData
		if !errors.As(err, &missing) || !strings.Contains(err.Error(), "godp data fetch") {
			t.Errorf("got %v", err)
		}
	}
	if _, err := LoadAdult("nonsense.csv"); err == nil || !strings.Contains(err.Error(), "no file nonsense.csv") {
		t.Errorf("got %v", err)
	}
}

func TestNestedBalls(t *testing.T) {
	for _, o := range oracles(t, "AnnulusRadius") {
		near(t, o.ID, AnnulusRadius(int(o.num("d")), o.num("r0"), o.num("r1"), o.num("u")), o.out("r"), 1e-12)
	}
	const n = 40_000
	d := NestedBalls(n, 5, Seed(1))
	wrong, plus := 0.0, 0.0
	for i := range n {
		best := -1.0
		if norm2(d.Row(i)) <= 0.15 {
			best = 1
		}
		if best != d.Label(i) {
			wrong++
		}
		if d.Label(i) > 0 {
			plus++
		}
	}
	o := oracles(t, "NestedBallsBayesError")[0]
	// Within 5 standard deviations of the exact values: false alarm 6e-7 each, seed fixed.
	if math.Abs(wrong/n-o.out("bayes_error")) > 5*math.Sqrt(0.05*0.95/n) || math.Abs(plus/n-o.out("p_plus")) > 5*0.5/math.Sqrt(n) {
		t.Errorf("Bayes error %g, positive share %g", wrong/n, plus/n)
	}
}
