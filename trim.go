package main

import "time"

// startTimes are when the start is over: usually, and on a machine that has much else to do.
var startTimes = []time.Duration{150 * time.Millisecond, time.Second}

// trimAfterStart calls trim when the start is over, whether the first cell runs then or not. It halves the memory that a kernel
// which waits for its first cell keeps resident. It is for the front; a worker calls trim when it is ready and then warms up, so
// that what its first cell needs is there.
func trimAfterStart() {
	for _, d := range startTimes {
		time.AfterFunc(d, trim)
	}
}
