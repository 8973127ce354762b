package rt

import (
	"sync"
	"testing"
)

func TestGoid(t *testing.T) {
	own := goid()
	if own == 0 || goid() != own {
		t.Fatalf("%d, then %d", own, goid())
	}
	var mu sync.Mutex
	seen := map[int64]bool{own: true}
	var here, done sync.WaitGroup
	here.Add(50)
	for range 50 {
		done.Go(func() {
			here.Done()
			here.Wait() // all are alive at once
			mu.Lock()
			defer mu.Unlock()
			seen[goid()] = true
		})
	}
	done.Wait()
	if len(seen) != 51 {
		t.Errorf("51 goroutines have %d numbers", len(seen))
	}
}
