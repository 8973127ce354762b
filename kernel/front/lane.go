package front

import (
	"context"
	"sync"
)

// lane is a queue of requests that are served one after the other: the main shell has one, and so has each subshell.
type lane struct {
	mu      sync.Mutex
	waiting []queuedRequest
	failed  *failureMark // of the latest cell that failed
	wake    chan struct{}
	ctx     context.Context // ends with the subshell
	cancel  context.CancelFunc
}

type queuedRequest struct {
	r     *request
	serve func(*front, *request)
}

func (f *front) newLane() *lane {
	ctx, cancel := context.WithCancel(f.ctx)
	l := &lane{wake: make(chan struct{}, 1), ctx: ctx, cancel: cancel}
	f.wg.Go(func() {
		for {
			select {
			case <-l.wake:
			case <-ctx.Done():
				return
			}
			for {
				q, ok := l.pop()
				if !ok || ctx.Err() != nil {
					break
				}
				f.serve(q.r, q.serve)
			}
		}
	})
	return l
}

func (l *lane) push(q queuedRequest) {
	l.mu.Lock()
	l.waiting = append(l.waiting, q)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *lane) pop() (q queuedRequest, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		return q, false
	}
	q = l.waiting[0]
	if q.r.msg.Header.MsgType == "execute_request" && l.failed.precedes(q.r) {
		q.serve = onAborted
	}
	l.waiting[0] = queuedRequest{}
	l.waiting = l.waiting[1:]
	return q, true
}

// abort takes the waiting execute requests out of the queue; with a mark, also those that are still on their way.
func (l *lane) abort(mark *failureMark) []*request {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed = mark
	var aborted []*request
	var rest []queuedRequest
	for _, q := range l.waiting {
		if q.r.msg.Header.MsgType == "execute_request" {
			aborted = append(aborted, q.r)
		} else {
			rest = append(rest, q)
		}
	}
	l.waiting = rest
	return aborted
}

// laneOf returns the lane of r's subshell, nil when there is no such subshell.
func (f *front) laneOf(r *request) *lane {
	f.lanesMu.Lock()
	defer f.lanesMu.Unlock()
	return f.lanes[r.msg.Header.SubshellID]
}

// enqueue puts r into its lane.
func (f *front) enqueue(r *request, serve func(*front, *request)) {
	l := f.laneOf(r)
	if l == nil {
		f.serve(r, func(f *front, r *request) {
			r.fail("SubshellNotFound", "there is no subshell "+r.msg.Header.SubshellID)
		})
		return
	}
	r.lane = l.ctx.Done()
	l.push(queuedRequest{r, serve})
}
