package stdlib

import (
	"testing"

	"example.org/godp/stdlib/internal/stamp"
)

// The generated files were made from the present generator, Go release, modules and exported API.
func TestNotStale(t *testing.T) {
	for _, group := range stamp.Groups {
		want, err := stamp.Compute("..", group)
		if err != nil {
			t.Fatal(err)
		}
		if have, err := stamp.Recorded("..", group); err != nil || have != want {
			t.Errorf("the generated files of group %q are stale (%v): run go generate ./stdlib and commit what it changes", group, err)
		}
	}
}
