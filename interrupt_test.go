package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"example.org/godp/kernel/front"
	"example.org/godp/kernel/kerneltest"
	"example.org/godp/kernel/worker"
)

// interruptible are cells that run until they are interrupted, wherever they are then.
var interruptible = map[string]string{
	"loop":                  "for {\n\tn++\n}",
	"empty loop":            "for {\n}",
	"function":              "func spin(i int) int {\n\tfor {\n\t\ti++\n\t}\n}\nspin(1)",
	"recursion":             "func ping(i int) int {\n\tif i > 50 { return 0 }\n\treturn ping(i+1) + ping(i+1)\n}\nping(0)",
	"sleep":                 "time.Sleep(time.Hour)",
	"many sleeps":           "for {\n\ttime.Sleep(time.Millisecond)\n}",
	"receive":               "<-make(chan int)",
	"receive from nil":      "var none chan int\n<-none",
	"send":                  "make(chan int) <- 1",
	"select":                "select {}",
	"select of two":         "a, b := make(chan int), make(chan int)\nselect {\ncase <-a:\ncase b <- 1:\n}",
	"select with default":   "for {\n\tselect {\n\tcase <-make(chan int):\n\tdefault:\n\t}\n}",
	"range over a channel":  "for range make(chan int) {\n}",
	"range over a ticker":   "for range time.Tick(10 * time.Millisecond) {\n}",
	"Mutex.Lock":            "var mu sync.Mutex\nmu.Lock()\nmu.Lock()",
	"RWMutex.RLock":         "var mu sync.RWMutex\nmu.Lock()\nmu.RLock()",
	"RWMutex.Lock":          "var mu sync.RWMutex\nmu.RLock()\nmu.Lock()",
	"Locker.Lock":           "var mu sync.Mutex\nvar l sync.Locker = &mu\nl.Lock()\nl.Lock()",
	"embedded Mutex.Lock":   "var s struct {\n\tsync.Mutex\n\tn int\n}\ns.Lock()\ns.Lock()",
	"Lock as a value":       "var mu sync.Mutex\nf := mu.Lock\nf()\nf()",
	"WaitGroup.Wait":        "var wg sync.WaitGroup\nwg.Add(1)\nwg.Wait()",
	"WaitGroup.Go":          "var wg sync.WaitGroup\nwg.Go(func() {\n\tfor {\n\t}\n})\nwg.Wait()",
	"Cond.Wait":             "var mu sync.Mutex\nc := sync.NewCond(&mu)\nmu.Lock()\nc.Wait()",
	"Once.Do":               "var once sync.Once\nonce.Do(func() {\n\tfor {\n\t}\n})",
	"context":               "<-context.Background().Done()",
	"print":                 "for {\n\tfmt.Println(\"line\", n)\n}",
	"sprint":                "for {\n\t_ = fmt.Sprintf(\"%v %d\", []int{1, 2}, n)\n}",
	"sort.Slice":            "s := make([]int, 2_000_000)\nfor i := range s[:1000] {\n\ts[i] = i * 7919 % 1009\n}\nfor {\n\tsort.Slice(s, func(i, j int) bool { return s[i] < s[j] })\n}",
	"sort.Sort":             "type byValue []int\nfunc (b byValue) Len() int { return len(b) }\nfunc (b byValue) Less(i, j int) bool { return b[i] < b[j] }\nfunc (b byValue) Swap(i, j int) { b[i], b[j] = b[j], b[i] }\nfor {\n\tsort.Sort(byValue(make([]int, 2_000_000)))\n}",
	"slices.SortFunc":       "for {\n\tslices.SortFunc(make([]int, 100_000), func(a, b int) int { return a - b })\n}",
	"sort.Search":           "for {\n\tsort.Search(1<<60, func(i int) bool { time.Sleep(time.Millisecond); return false })\n}",
	"goroutines":            "var tree func(depth int)\nvar wg sync.WaitGroup\ntree = func(depth int) {\n\tdefer wg.Done()\n\tif depth == 0 {\n\t\tfor {\n\t\t}\n\t}\n\twg.Add(2)\n\tgo tree(depth - 1)\n\tgo tree(depth - 1)\n}\nwg.Add(1)\ntree(4)\nwg.Wait()",
	"in a defer":            "f := func() {\n\tdefer func() {\n\t\tfor {\n\t\t}\n\t}()\n}\nf()",
	"in a defer of a panic": "f := func() {\n\tdefer func() {\n\t\tfor {\n\t\t}\n\t}()\n\tpanic(1)\n}\nf()",
	"in a recover":          "f := func() {\n\tdefer func() {\n\t\trecover()\n\t\ttime.Sleep(time.Hour)\n\t}()\n\tpanic(1)\n}\nf()",
	"a recover around":      "for {\n\tfunc() {\n\t\tdefer func() { recover() }()\n\t\ttime.Sleep(time.Hour)\n\t}()\n}",
	"a recover around code": "for {\n\tfunc() {\n\t\tdefer func() { recover() }()\n\t\tfor {\n\t\t}\n\t}()\n}",
	"panics":                "for {\n\tfunc() {\n\t\tdefer func() { recover() }()\n\t\tpanic(1)\n\t}()\n}",
	"range over a function": "for i := range func(yield func(int) bool) {\n\tfor yield(1) {\n\t}\n} {\n\tn = i\n}",
	"range over a function that ignores yield": "for range func(yield func() bool) {\n\tfor {\n\t\tyield()\n\t}\n} {\n}",
	"iter.Pull":   "next, stop := iter.Pull(func(yield func(int) bool) {\n\tfor {\n\t}\n})\ndefer stop()\nnext()",
	"strings.Map": "for {\n\tstrings.Map(func(r rune) rune { return r + 1 }, strings.Repeat(\"a\", 10_000))\n}",
	"allocations": "for {\n\t_ = make([]int, 1<<16)\n}",
	"a Stringer":  "type slow int\nfunc (slow) String() string {\n\tfor {\n\t}\n}\nfmt.Println(slow(1))",
	"a training":  "dp.Sweep{X: []float64{.1, .2, .3, .4}, Draws: 1000000}.Run(\"\", data, data, func(x float64) dp.Trainer { return dp.ObjectivePerturbation{Eps: x, Rand: src} })",
	"a timeit":    "%timeit time.Sleep(time.Second)",
	"shell":       "!sleep 100",
}

// An interrupt ends a cell wherever it is, and everything defined before goes on working: closures, and goroutines that
// wait. The time is a tenth of a second on a machine that does nothing else; the test allows for one that does.
func TestInterrupt(t *testing.T) {
	for name, cell := range interruptible {
		t.Run(name, func(t *testing.T) {
			e, err := newEngine(worker.Streams{Stdout: io.Discard, Stderr: io.Discard, Panic: func(*worker.Error) {}})
			if err != nil {
				t.Fatal(err)
			}
			run := func(n int, ctx context.Context, c string) worker.Outcome {
				return e.Execute(ctx, n, c, worker.Options{})
			}
			if out := run(1, context.Background(), "n := 0\nadd := func(k int) int { n += k; return n }\nsrc := dp.Seed(1)\ndata := dp.NestedBalls(200, 3, src)\n"+
				"ask, answer := make(chan int), make(chan int)\ngo func() { for x := range ask { answer <- x * x } }()\nbeats, quit := new(atomic.Int64), new(atomic.Bool)\ngo func() { for !quit.Load() { time.Sleep(time.Millisecond); beats.Add(1) } }()"); out.Err != nil {
				t.Fatal(out.Err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			var at time.Time
			time.AfterFunc(100*time.Millisecond, func() { at = time.Now(); cancel() })
			out := run(2, ctx, cell)
			late := time.Since(at)
			if out.Err == nil || out.Err.Name != "interrupted" || out.Abandoned {
				t.Fatalf("%+v, want an interrupted cell", out)
			}
			t.Logf("%v", late)
			if late > 500*time.Millisecond {
				t.Errorf("stopped after %v", late)
			}
			out = run(3, context.Background(), "n = 0\nask <- 5\nb := beats.Load()\nfor i := 0; i < 1000 && beats.Load() == b; i++ {\n\ttime.Sleep(10 * time.Millisecond)\n}\nfmt.Sprint(add(3) + add(4), <-answer, beats.Load() > b)")
			if out.Err != nil || out.Result.Data["text/plain"] != `10 25 true` && out.Result.Data["text/plain"] != `"10 25 true"` {
				t.Errorf("after the interrupt: %+v, want 10 25 true", out)
			}
			run(4, context.Background(), "quit.Store(true)\nclose(ask)")
		})
	}
}

// What a stopped function has deferred runs, so locks are free again; what it recovers is not the interrupt.
func TestInterruptRunsWhatIsDeferred(t *testing.T) {
	e := start(t, "var mu sync.Mutex\nvar steps []string\nnote := func(s string) { steps = append(steps, s) }\nc := make(chan int)",
		"func outer() {\n\tdefer note(\"outer\")\n\tinner()\n\tnote(\"not here\")\n}\nfunc inner() {\n\tmu.Lock()\n\tdefer mu.Unlock()\n\tdefer func() { note(fmt.Sprint(\"recovered \", recover())) }()\n\tfor {\n\t}\n}")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if out := e.Execute(ctx, 3, "go func() {\n\tdefer close(c)\n\tfor {\n\t}\n}()\nouter()", worker.Options{}); out.Err == nil || out.Err.Name != "interrupted" {
		t.Fatalf("%+v", out)
	}
	out := e.Execute(t.Context(), 4, "mu.Lock()\nmu.Unlock()\n<-c\nfmt.Sprint(steps)", worker.Options{})
	if out.Err != nil || out.Result.Data["text/plain"] != `"[recovered <nil> outer]"` && out.Result.Data["text/plain"] != "[recovered <nil> outer]" {
		t.Errorf("%+v", out)
	}
	// a deferred call that does not end is stopped too
	ctx, cancel = context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	if out := e.Execute(ctx, 5, "f := func() {\n\tdefer func() {\n\t\tselect {}\n\t}()\n\tfor {\n\t}\n}\nf()", worker.Options{}); out.Err == nil || out.Err.Name != "interrupted" || time.Since(began) > 2*time.Second {
		t.Errorf("%+v after %v", out, time.Since(began))
	}
}

// Goroutines that compiled functions start for a cell report their panics too.
func TestPanicInCompiledGoroutine(t *testing.T) {
	failed := make(chan *worker.Error, 10)
	e, err := newEngine(worker.Streams{Panic: func(e *worker.Error) { failed <- e }})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []string{"var wg sync.WaitGroup\nwg.Go(func() { panic(\"WaitGroup.Go\") })\nwg.Wait()",
		"time.AfterFunc(time.Millisecond, func() { panic(\"time.AfterFunc\") })",
		"ctx, cancel := context.WithCancel(context.Background())\ncontext.AfterFunc(ctx, func() { panic(\"context.AfterFunc\") })\ncancel()"} {
		if out := e.Execute(t.Context(), i+1, c, worker.Options{}); out.Err != nil {
			t.Fatal(out.Err)
		}
		select {
		case e := <-failed:
			if !strings.Contains(c, e.Value) {
				t.Errorf("%s: %v", c, e)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%s: nothing was reported", c)
		}
	}
}

// program starts a kernel with the real worker process.
func program(t *testing.T, args ...string) *kerneltest.Kernel {
	t.Helper()
	cmd, err := self(append([]string{"worker"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	return kerneltest.Start(t, front.Config{WorkerCommand: cmd})
}

// Reading standard input is interrupted, by interpreted readers and compiled ones; and so are cells in the real process.
func TestInterruptOfTheProgram(t *testing.T) {
	k := program(t)
	if r := k.Execute("kept := 7"); r.Reply.Content["status"] != "ok" {
		t.Fatal(r.Reply)
	}
	for name, code := range map[string]string{
		"fmt.Scan":      "var s string\nfmt.Scan(&s)",
		"os.Stdin":      "b := make([]byte, 10)\nos.Stdin.Read(b)",
		"bufio.Scanner": "sc := bufio.NewScanner(os.Stdin)\nfor sc.Scan() {\n}",
		"io.ReadAll":    "io.ReadAll(os.Stdin)",
		"display.Input": "display.Input(\"name\")",
		"a loop":        "for {\n}",
		"a lock":        "var mu sync.Mutex\nmu.Lock()\nmu.Lock()",
		"printing":      "for i := 0; ; i++ {\n\tfmt.Println(i)\n}",
	} {
		t.Run(name, func(t *testing.T) {
			id := k.Client.SendExecute(code, kerneltest.M{"allow_stdin": true})
			time.Sleep(300 * time.Millisecond)
			at := time.Now()
			k.Client.Send("control", "interrupt_request", nil)
			r := k.Client.Await("shell", id)
			late := time.Since(at)
			t.Log(late, r.Reply, len(r.IOPub))
			if r.Reply.Content["status"] != "error" || late > 2*time.Second {
				t.Errorf("after %v: %v", late, r.Reply)
			}
			if r := k.Execute("kept"); r.Reply.Content["status"] != "ok" || !strings.Contains(fmt.Sprint(r.IOPub), "7") {
				t.Errorf("afterwards: %v %v", r.Reply, r.IOPub)
			}
		})
	}
}
