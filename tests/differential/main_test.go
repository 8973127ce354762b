// Package differential holds the cell compiler to its promise: the same program, compiled by Go and run as cells, prints the
// same or is refused by name.
//
// The programs are those of the Go distribution that are made to be run (its test directory and the examples of the standard
// library), programs of our own (testdata/programs) and sequences of cells (testdata/cells). What Go prints is recorded in testdata/oracle.json.gz, so that a test run compiles
// nothing; what each program came to is recorded in testdata/status.txt, and may only get better:
//
//	go test ./tests/differential                         compare all, fail where a program got worse
//	go test ./tests/differential -short                  a sample
//	go test ./tests/differential -update                 record what got better
//	go test ./tests/differential -oracle                 run what has no recorded output through Go (minutes)
//	go test ./tests/differential -only 'chan/' -show 20  some of them, and show the differences
//	go test ./tests/differential -unequal -show 999 -v   all that is still to be done
package differential

import (
	"flag"
	"os"
	"testing"
	"time"
)

var (
	update    = flag.Bool("update", false, "record the outcomes, where they got better, in testdata/status.txt")
	oracles   = flag.Bool("oracle", false, "run programs without recorded output through the Go toolchain and record it")
	only      = flag.String("only", "", "regular expression: only programs with such a name")
	show      = flag.Int("show", 0, "show the details of so many programs that are not equal")
	unequal   = flag.Bool("unequal", false, "only programs that the record does not call equal")
	engine    = flag.String("engine", "", "what runs the cells: the name of an engine, for comparing engines")
	random    = flag.Int("random", 200, "number of random programs")
	firstSeed = flag.Int("seed", 1, "seed of the first random program")
	limit     = flag.Duration("limit", 60*time.Second, "processor time allowed for one program; a third of it for one recorded as slow")
)

// childEnv names the engine that a child process is to run a program with, instead of the tests.
const childEnv = "GODP_DIFFERENTIAL_ENGINE"

func TestMain(m *testing.M) {
	if name := os.Getenv(childEnv); name != "" {
		os.Exit(child(name, os.Args[1]))
	}
	os.Exit(m.Run())
}
