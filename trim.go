package main

import "time"

// startTime is how long a front or a worker takes to be ready, several times over.
const startTime = 150 * time.Millisecond

// trimAfterStart calls trim when the start is over, whether the first cell runs then or not. It halves the memory that a kernel
// which waits for its first cell keeps resident, in both of its processes.
func trimAfterStart() { time.AfterFunc(startTime, trim) }
