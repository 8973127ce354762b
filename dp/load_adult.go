package dp

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// AdultSchema is the public schema of the UCI Adult data set (Becker, Kohavi 1996; doi 10.24432/C5XW20): is an income above
// $50,000? The levels are those the archive's description lists and that occur in complete cases: 98 one-hot coordinates, 6
// numeric ones and a constant make 105. Every row is divided by its own norm.
//
// No number in it comes from the labels, from a maximum of the file or from an error on it. Each has a public source:
//
//   - age 17 to 90: the archive takes persons over 16 (AAGE > 16), and the Current Population Survey codes 90 as "90 or more";
//   - education-num 1 to 16: the codes of the 16 levels of education;
//   - hours-per-week 1 to 99: the archive takes persons with HRSWK > 0, and the survey's field has two digits;
//   - capital-gain 0 to 99,999: the survey's field has five digits;
//   - capital-loss 0 to 5,000: United States tax law lets $3,000 of a net loss be deducted in a year (26 U.S.C. §1211(b)), and
//     other losses of a year are of that order;
//   - fnlwgt 0 to 1,500,000: the survey's weight with two implied decimals, one interview for at most 15,000 persons;
//   - the two amounts of money range over powers of ten, so they enter by ln(1 + v/$1,000): income statistics are published in
//     thousands of dollars, and so is this label ("50K").
//
// Whoever writes such an argument has seen results on this file, as everybody in the field has. For the record, the mean
// accuracies at ε = 0.1, 0.5, 1, 2 of all encodings that were measured before this one was settled: the amounts linear .796 .825
// .829 .832, as ln(1 + v/$1) .803 .833 .837 .839, as here .800 .832 .838 .842; and [AdultSchemaTuned] .809 .842 .845 .846. For an
// encoding without such a history see [AdultSchemaPlain].
func AdultSchema() Schema {
	l := func(s string) []string { return strings.Fields(s) }
	return Schema{
		Columns: []Column{
			{Name: "age", Min: 17, Max: 90},
			{Name: "workclass", Levels: l("Private Self-emp-not-inc Self-emp-inc Federal-gov Local-gov State-gov Without-pay"), Other: true},
			{Name: "fnlwgt", Min: 0, Max: 1_500_000},
			{Name: "education", Levels: l("Bachelors Some-college 11th HS-grad Prof-school Assoc-acdm Assoc-voc 9th 7th-8th 12th Masters 1st-4th 10th Doctorate 5th-6th Preschool")},
			{Name: "education-num", Min: 1, Max: 16},
			{Name: "marital-status", Levels: l("Married-civ-spouse Divorced Never-married Separated Widowed Married-spouse-absent Married-AF-spouse")},
			{Name: "occupation", Levels: l("Tech-support Craft-repair Other-service Sales Exec-managerial Prof-specialty Handlers-cleaners Machine-op-inspct Adm-clerical Farming-fishing Transport-moving Priv-house-serv Protective-serv Armed-Forces")},
			{Name: "relationship", Levels: l("Wife Own-child Husband Not-in-family Other-relative Unmarried")},
			{Name: "race", Levels: l("White Asian-Pac-Islander Amer-Indian-Eskimo Other Black")},
			{Name: "sex", Levels: l("Female Male")},
			{Name: "capital-gain", Min: 0, Max: 99_999, Log: true, Unit: 1000},
			{Name: "capital-loss", Min: 0, Max: 5_000, Log: true, Unit: 1000},
			{Name: "hours-per-week", Min: 1, Max: 99},
			{Name: "native-country", Levels: l("United-States Cambodia England Puerto-Rico Canada Germany Outlying-US(Guam-USVI-etc) India Japan Greece South China Cuba Iran Honduras Philippines Italy Poland Jamaica Vietnam Mexico Portugal Ireland France Dominican-Republic Laos Ecuador Taiwan Haiti Columbia Hungary Guatemala Nicaragua Scotland Thailand Yugoslavia El-Salvador Trinadad&Tobago Peru Hong Holand-Netherlands")},
		},
		Label: "income", LabelAt: -1, Positive: []string{">50K"}, Negative: []string{"<=50K"},
		Missing: "?", Trim: ".", Comment: '|', Intercept: true, Unit: true,
	}
}

// AdultSchemaPlain is AdultSchema with every numeric column linear from zero to its public upper bound: the encoding of the
// papers with public bounds in place of column maxima.
func AdultSchemaPlain() Schema {
	s := AdultSchema()
	for i := range s.Columns {
		c := &s.Columns[i]
		c.Min, c.Log, c.Unit = 0, false, 0
	}
	return s
}

// AdultSchemaTuned is AdultSchema with clamps and scales that were picked by comparing test errors on Adult itself: a working
// life from 17 to 60, gains up to $15,000 at twice the scale, and smaller scales for columns that say little. It is worth about
// a point of accuracy, and for Adult it is tuning on the test data, which no ε of a model accounts for. So the data it reads
// carry a leak mark, and a model trained on them is not Private. For study, and as a public encoding of other data.
func AdultSchemaTuned() Schema {
	s := AdultSchema()
	s.Leak = "the encoding's clamps and scales were picked by test errors on this very data set (AdultSchemaTuned)"
	set := func(name string, min, max, scale float64) {
		for i := range s.Columns {
			if c := &s.Columns[i]; c.Name == name {
				c.Min, c.Max, c.Scale, c.Log, c.Unit = min, max, scale, false, 0
			}
		}
	}
	set("age", 17, 60, 0)
	set("fnlwgt", 0, 1_500_000, 0.5)
	set("education-num", 1, 16, 1.5)
	set("race", 0, 0, 0.5)
	set("capital-gain", 0, 15_000, 2)
	set("capital-loss", 0, 2_500, 0)
	set("hours-per-week", 20, 60, 0)
	set("native-country", 0, 0, 0.5)
	return s
}

// LoadAdult reads the Adult data set by AdultSchema: complete cases, public levels and bounds. Without arguments it reads the
// training and the test part (45,222 complete cases, 24.8 % positive) from wherever FindData finds them; otherwise the given
// files, where "adult.data" and "adult.test" are also looked for.
func LoadAdult(files ...string) (*Data, error) {
	return LoadAdultAs(AdultSchema(), files...)
}

// LoadAdultAs is LoadAdult with a schema of one's own for the same 14 columns.
func LoadAdultAs(s Schema, files ...string) (*Data, error) {
	if len(files) == 0 {
		files = []string{"adult.data", "adult.test"}
	}
	var from []io.Reader
	for _, name := range files {
		known := "adult/adult.data"
		if filepath.Base(name) == "adult.test" {
			known = "adult/adult.test"
		}
		path, err := locate(name, known)
		if err != nil {
			return nil, err
		}
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("dp: LoadAdult: %w", err)
		}
		defer f.Close()
		from = append(from, f)
	}
	d, err := s.Read(from...)
	if err != nil {
		return nil, fmt.Errorf("dp: LoadAdult: %s: %w", strings.Join(files, ", "), err)
	}
	return d, nil
}
