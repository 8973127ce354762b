package wire

import "sync"

// Replay remembers recent signatures, so that a recorded message that is sent again can be refused.
// Two honest messages never share a signature, because every message has its own msg_id.
// The zero value is ready; it remembers the last ReplayMemory messages.
type Replay struct {
	mu   sync.Mutex
	seen map[string]struct{}
	ring []string
	next int
}

// ReplayMemory is the number of signatures that a Replay remembers.
const ReplayMemory = 1 << 14

// Seen tells whether the signature of frames was met before, and remembers it. Unsigned messages are never seen.
func (r *Replay) Seen(frames [][]byte) bool {
	sig := ""
	for i, f := range frames {
		if string(f) == delimiter && i+1 < len(frames) {
			sig = string(frames[i+1])
			break
		}
	}
	if sig == "" {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.seen[sig]; ok {
		return true
	}
	if r.seen == nil {
		r.seen = map[string]struct{}{}
	}
	if len(r.ring) < ReplayMemory {
		r.ring = append(r.ring, sig)
	} else {
		delete(r.seen, r.ring[r.next])
		r.ring[r.next] = sig
		r.next = (r.next + 1) % ReplayMemory
	}
	r.seen[sig] = struct{}{}
	return false
}
