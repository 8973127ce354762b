package main

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"example.org/godp/stdlib"
)

// residentFile is how much of mapped files is resident, in kB.
func residentFile(t *testing.T) int {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`RssFile:\s+(\d+) kB`).FindSubmatch(b)
	if m == nil {
		t.Fatal("/proc/self/status has no RssFile")
	}
	n, _ := strconv.Atoi(string(m[1]))
	return n
}

func TestTrimGivesPagesBackAndBreaksNothing(t *testing.T) {
	before := residentFile(t)
	trim()
	after := residentFile(t)
	if after >= before*3/4 {
		t.Errorf("%d kB of files were resident, %d are", before, after)
	}
	if b, err := stdlib.Export("fmt"); err != nil || len(b) == 0 {
		t.Errorf("embedded data after the trim: %d bytes, %v", len(b), err)
	}
	if commands()[0].name != "install" {
		t.Error("code or constants are gone")
	}
}
