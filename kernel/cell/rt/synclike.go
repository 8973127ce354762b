package rt

import (
	"context"
	"sync"
	"time"
)

// waiting are functions to call in place of methods of package sync that wait: an interrupt ends them. Keys are as in
// Methods. A lock that is free is taken at once; another is waited for on a goroutine of its own, and if the lock comes
// after the interrupt it is given back.
func waiting() map[string]any {
	return map[string]any{
		"sync.Mutex.Lock":     lockMutex,
		"sync.RWMutex.Lock":   lockWriter,
		"sync.RWMutex.RLock":  lockReader,
		"sync.Locker.Lock":    lock,
		"sync.WaitGroup.Wait": func(wg *sync.WaitGroup) { await(wg.Wait, nil) },
		"sync.WaitGroup.Go": func(wg *sync.WaitGroup, f func()) {
			wg.Add(1)
			Go(0, func() { defer wg.Done(); f() })
		},
		"sync.Cond.Wait": waitCond,
	}
}

func lockMutex(m *sync.Mutex) {
	if !m.TryLock() {
		await(m.Lock, m.Unlock)
	}
}

func lockWriter(m *sync.RWMutex) {
	if !m.TryLock() {
		await(m.Lock, m.Unlock)
	}
}

func lockReader(m *sync.RWMutex) {
	if !m.TryRLock() {
		await(m.RLock, m.RUnlock)
	}
}

func lock(l sync.Locker) {
	switch l := l.(type) {
	case *sync.Mutex:
		lockMutex(l)
	case *sync.RWMutex:
		lockWriter(l)
	default:
		await(l.Lock, l.Unlock)
	}
}

// waitCond is c.Wait. Where an interrupt ends it the caller holds c.L again, as it does after Wait: it is going to
// unlock it.
func waitCond(c *sync.Cond) {
	defer func() {
		if v := recover(); v != nil {
			if _, ok := v.(Interrupted); ok {
				const patience = 20 * time.Millisecond
				got, late := make(chan struct{}), make(chan struct{})
				go func() {
					c.L.Lock()
					select {
					case got <- struct{}{}:
					case <-late:
						c.L.Unlock()
					}
				}()
				select {
				case <-got:
				case <-time.After(patience):
					close(late)
				}
			}
			panic(v)
		}
	}()
	await(c.Wait, c.L.Unlock)
}

// afterFunc is time.AfterFunc, and afterContext context.AfterFunc: they call a function of a cell on a goroutine of
// their own, where nobody else would recover its panic.
func afterFunc(d time.Duration, f func()) *time.Timer {
	r := Mine()
	return time.AfterFunc(d, func() { r.contain(0, f) })
}

func afterContext(ctx context.Context, f func()) (stop func() bool) {
	r := Mine()
	return context.AfterFunc(ctx, func() { r.contain(0, f) })
}
