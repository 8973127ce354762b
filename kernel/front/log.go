package front

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// logger writes the front's log. A problem that comes again and again, such as messages with a wrong signature,
// is written the first time and then each time its count reaches a power of ten.
type logger struct {
	mu    sync.Mutex
	w     io.Writer
	count map[string]int
}

func (l *logger) printf(format string, a ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.w, "[godp %s] %s\n", time.Now().Format("15:04:05.000"), fmt.Sprintf(format, a...))
}

// Write writes what the worker prints before it captures its own output.
func (l *logger) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// repeated logs a problem that may come often; kind tells problems apart.
func (l *logger) repeated(kind, format string, a ...any) {
	l.mu.Lock()
	if l.count == nil {
		l.count = map[string]int{}
	}
	l.count[kind]++
	n := l.count[kind]
	l.mu.Unlock()
	switch {
	case n == 1:
		l.printf(format, a...)
	case powerOfTen(n):
		l.printf(format+" (%d times now)", append(a, n)...)
	}
}

func powerOfTen(n int) bool {
	for n >= 10 && n%10 == 0 {
		n /= 10
	}
	return n == 1
}
