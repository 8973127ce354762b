package dp_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// shownBy names, for a type that is a result or an option of something else, the example in which a value of it appears.
var shownBy = map[string]string{
	"AuditReport": "Audit_Search", "BoundCheck": "CheckObjective", "BudgetReport": "Ledgers", "Condition": "Bound", "Constant": "Bound", "Flavour": "GaussianObjectiveDelta",
	"Chain16": "PathakRajFacts_Theorem3", "KernelReading": "ERMFacts_RowsNeeded", "MarginReading": "PathakRajFacts_Lemma4", "Reading10": "SVMFacts",
	"Reading13": "SVMFacts", "Reading16": "SVMFacts", "Theorem3Reading": "PathakRajFacts_Theorem3", "GaussianClass": "GaussianFrom", "GaussianFacts": "PrivateLargeMargin", "GaussianMethod": "PrivateLargeMargin",
	"GaussianMode": "ClassTuning", "GaussianModel": "LargeMargin", "LoadSoftmax": "SoftmaxModel_Save", "MembershipROC": "MembershipInference",
	"OneVsRestModel": "OneVsRest", "PrivacyLoss": "ExactLoss", "PrivateData": "Private", "SVMModel": "SVM", "SVMNoise": "PrivateSVMFinite", "WorstCase": "WorstPair",
}

// Every exported name of the package has a documentation comment, and every exported function and type an example (its own, of one of
// its methods, or one in which it appears).
func TestEveryExportedNameIsDocumented(t *testing.T) {
	fset := token.NewFileSet()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	examples := map[string]bool{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		f, err := parser.ParseFile(fset, e.Name(), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(e.Name(), "_test.go") {
			files = append(files, f)
			continue
		}
		for _, x := range doc.Examples(f) {
			examples[x.Name] = true
			if i := strings.Index(x.Name, "_"); i > 0 {
				examples[x.Name[:i]] = true
			}
			if x.Output == "" && !x.EmptyOutput && !x.Unordered {
				t.Errorf("Example%s has no output, so nothing checks it", x.Name)
			}
		}
	}
	p, err := doc.NewFromFiles(fset, files, "example.org/godp/dp")
	if err != nil {
		t.Fatal(err)
	}
	names := 0
	check := func(name, text string, shown bool) {
		names++
		if strings.TrimSpace(text) == "" {
			t.Errorf("%s has no documentation", name)
		}
		if !shown || examples[name] {
			return
		}
		if by := shownBy[name]; by == "" || !examples[by] {
			t.Errorf("%s has no example", name)
		}
	}
	for _, f := range p.Funcs {
		check(f.Name, f.Doc, true)
	}
	for _, ty := range p.Types {
		check(ty.Name, ty.Doc, true)
		for _, f := range ty.Funcs {
			check(f.Name, f.Doc, true)
		}
		for _, m := range ty.Methods {
			if m.Name != "Error" { // of the interface error
				check(ty.Name+"."+m.Name, m.Doc, false)
			}
		}
		for _, c := range ty.Consts {
			if c.Doc == "" && allComments(c) != len(c.Decl.Specs) {
				t.Errorf("%s: the constants %v have no documentation", ty.Name, c.Names)
			}
		}
	}
	if names < 400 {
		t.Errorf("only %d exported names found", names)
	}
	for name := range shownBy {
		if examples[name] {
			t.Errorf("%s has an example of its own now: take it off the list", name)
		}
	}
}

// allComments counts the constants of a block that carry a comment of their own.
func allComments(c *doc.Value) int {
	n := 0
	for _, s := range c.Decl.Specs {
		if v, ok := s.(*ast.ValueSpec); ok && (v.Doc != nil || v.Comment != nil) {
			n++
		}
	}
	return n
}
