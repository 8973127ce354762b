package worker

import "sync"

// queue holds what must not run at the same time, in the order in which it came. Putting something in never waits.
type queue struct {
	mu     sync.Mutex
	more   *sync.Cond
	list   []func()
	closed bool
}

func newQueue() *queue {
	q := &queue{}
	q.more = sync.NewCond(&q.mu)
	return q
}

func (q *queue) push(f func()) {
	q.mu.Lock()
	q.list = append(q.list, f)
	q.mu.Unlock()
	q.more.Signal()
}

// run calls what is put in until the queue is closed; what is in it then, it still calls.
func (q *queue) run() {
	for {
		q.mu.Lock()
		for len(q.list) == 0 && !q.closed {
			q.more.Wait()
		}
		if len(q.list) == 0 {
			q.mu.Unlock()
			return
		}
		f := q.list[0]
		q.list[0] = nil
		q.list = q.list[1:]
		q.mu.Unlock()
		f()
	}
}

func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.more.Signal()
}
