package session

import "testing"

func TestIsComplete(t *testing.T) {
	s, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ code, status, indent string }{
		{"", "complete", ""},
		{"x := 1", "complete", ""},
		{"func f() int { return 1 }", "complete", ""},
		{"for i := range 3 {\n\tprintln(i)\n}\nx", "complete", ""},
		{"func f() {", "incomplete", "\t"},
		{"func f() {\n", "incomplete", "\t"},
		{"func f() {\n\tif true {", "incomplete", "\t\t"},
		{"func f() {\n\tx := 1\n", "incomplete", "\t"},
		{"x := (1 +", "incomplete", "\t"},
		{"x := 1 +", "incomplete", ""},
		{"fmt.Println(", "incomplete", "\t"},
		{"fmt.Println(1,", "incomplete", "\t"},
		{"x := []int{1,\n2,", "incomplete", "\t"},
		{"type T struct {\n\ta int", "incomplete", "\t"},
		{"switch x {\ncase 1:", "incomplete", "\t"},
		{"import (", "incomplete", "\t"},
		{"func", "incomplete", ""},
		{"x := `abc", "incomplete", ""},
		{"/* open", "incomplete", ""},
		{"func ( {", "invalid", ""},
		{"func f( {", "invalid", ""},
		{"x := (1 + * / {", "invalid", ""},
		{"x := )", "invalid", ""},
		{"if }", "invalid", ""},
		{"x := (1]", "invalid", ""},
		{"x = = 1", "invalid", ""},
		{"s := \"abc", "invalid", ""},
	} {
		if status, indent := s.IsComplete(tc.code); status != tc.status || indent != tc.indent {
			t.Errorf("%q: %s %q, want %s %q", tc.code, status, indent, tc.status, tc.indent)
		}
	}
}
