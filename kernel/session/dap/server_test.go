package dap

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/godp/kernel/cell/debug"
	"example.org/godp/kernel/cell/rt"
)

// target is a program in which nothing runs: it has one variable, xs, of n ints.
func target(n int, event func(json.RawMessage)) Target {
	xs := make([]int, n)
	for i := range xs {
		xs[i] = i
	}
	intType := &rt.Type{Kind: reflect.Int, Name: "int", Rep: reflect.TypeFor[int](), Faithful: true}
	typ := &rt.Type{Kind: reflect.Slice, Elem: intType, Rep: reflect.TypeFor[[]int](), Faithful: true}
	return Target{
		Debugger: debug.New(), Event: event,
		Lines: func(text string) (lines []int) {
			for i, l := range strings.Split(text, "\n") {
				if strings.TrimSpace(l) != "" {
					lines = append(lines, i+1)
				}
			}
			return lines
		},
		Globals: func() []Global { return []Global{{"xs", typ, reflect.ValueOf(&xs)}} },
		Sources: func() (names, texts []string) { return []string{"In[1]", "In[2]"}, []string{"x := 1", "x"} },
		Evaluate: func(_ *debug.Frame, text string) ([]any, error) {
			if text == "bad" {
				return nil, errors.New("undefined: bad")
			}
			return []any{text, len(text)}, nil
		},
		Rich: func(*debug.Frame, string) (data, metadata map[string]any, err error) {
			return object{"text/plain": "1"}, nil, nil
		},
		Copy: func(*debug.Frame, string, string) error { return nil },
	}
}

// ask sends a request and returns the response.
func ask(t testing.TB, s *Server, content string) map[string]any {
	t.Helper()
	replies := make(chan json.RawMessage, 2)
	s.Handle([]byte(content), func(m json.RawMessage) { replies <- m })
	select {
	case m := <-replies:
		var r map[string]any
		if err := json.Unmarshal(m, &r); err != nil {
			t.Fatalf("%s is answered with %s: %v", content, m, err)
		}
		return r
	case <-time.After(10 * time.Second):
		t.Fatalf("%s is not answered", content)
		return nil
	}
}

func TestRequests(t *testing.T) {
	var events []string
	s := New(target(3, func(e json.RawMessage) { events = append(events, string(e)) }))
	for _, c := range [][2]string{ // request, part of the response
		{`{`, `not a request`},
		{`{"command":"fly","seq":3}`, `the request \"fly\" is not supported`},
		{`{"command":"stackTrace","seq":4}`, `initialize comes first`},
		{`{"command":"debugInfo"}`, `"isStarted":false`},
		{`{"command":"initialize","arguments":{"linesStartAt1":false}}`, `"supportsLogPoints":true`},
		{`{"command":"initialize","arguments":{"linesStartAt1":7}}`, `the arguments do not fit`},
		{`{"command":"initialize","arguments":null}`, `"success":true`},
		{`{"command":"attach"}`, `"success":true`},
		{`{"command":"dumpCell","arguments":{"code":"a\n\nb"}}`, `"sourcePath":"`},
		{`{"command":"setBreakpoints","arguments":{}}`, `source.path is missing`},
		{`{"command":"setBreakpoints","arguments":{"source":{"path":"/elsewhere"},"breakpoints":[{"line":7}]}}`, `"line":7,"message":"There is no statement`},
		{`{"command":"setBreakpoints","arguments":{"source":{"path":"/elsewhere"},"lines":[]}}`, `"breakpoints":[]`},
		{`{"command":"setExceptionBreakpoints","arguments":{"filters":["panics","uncaught"]}}`, `"breakpoints":[{"verified":true},{"verified":true}]`},
		{`{"command":"source","arguments":{"source":{"path":"/elsewhere"}}}`, `source unavailable`},
		{`{"command":"threads"}`, `"threads":[{"id":1,"name":"no cell is running"}]`},
		{`{"command":"stackTrace","arguments":{"threadId":1}}`, `"stackFrames":[]`},
		{`{"command":"scopes","arguments":{"frameId":1}}`, `there is no frame 1`},
		{`{"command":"variables","arguments":{"variablesReference":5}}`, `there are no variables 5 any more`},
		{`{"command":"continue"}`, `nothing is stopped`},
		{`{"command":"next"}`, `nothing is stopped`},
		{`{"command":"exceptionInfo"}`, `has not stopped at a panic`},
		{`{"command":"evaluate","arguments":{"expression":"bad"}}`, `undefined: bad`},
		{`{"command":"evaluate","arguments":{"expression":"good"}}`, `"result":"\"good\", 4","type":"(string, int)"`},
		{`{"command":"evaluate","arguments":{"expression":"x","frameId":9}}`, `there is no frame 9`},
		{`{"command":"richInspectVariables","arguments":{}}`, `variableName is missing`},
		{`{"command":"richInspectVariables","arguments":{"variableName":"x"}}`, `{"data":{"text/plain":"1"},"metadata":{}}`},
		{`{"command":"copyToGlobals","arguments":{"srcVariableName":"x","dstVariableName":"x"}}`, `nothing is stopped`},
		{`{"command":"modules"}`, `"totalModules":2`},
		{`{"command":"modules","arguments":{"startModule":1,"moduleCount":1}}`, `{"modules":[{"id":1,"isUserCode":true,"name":"In[2]","path":"` + debug.New().Path("x") + `"}],"totalModules":2}`},
		{`{"command":"inspectVariables"}`, `"evaluateName":"xs","indexedVariables":3,"name":"xs","type":"[]int","value":"[0, 1, 2]"`},
		{`{"command":"initialize","arguments":{"clientID":"jupyterlab"}}`, `"success":true`},
		{`{"command":"inspectVariables"}`, `"name":"xs","type":"[]int = [0, 1, 2]","value":"[0, 1, 2]"`},
		{`{"command":"pause"}`, `"success":true`},
		{`{"command":"disconnect"}`, `"success":true`},
		{`{"command":"debugInfo"}`, `"isStarted":false`},
	} {
		r := ask(t, s, c[0])
		b, _ := json.Marshal(r)
		if !strings.Contains(string(b), c[1]) {
			t.Errorf("%s is answered with\n%s\nwhich has no\n%s", c[0], b, c[1])
		}
		if failed := r["success"] == false; failed != (r["message"] != nil) {
			t.Errorf("%s: success and message do not fit: %s", c[0], b)
		}
	}
	if !strings.Contains(strings.Join(events, "\n"), `"initialized"`) {
		t.Errorf("events %s", events)
	}
}

// A breakpoint in a cell that is not known yet finds its place when the cell comes, and clients are told.
func TestLateSources(t *testing.T) {
	var events []string
	tg := target(0, func(e json.RawMessage) { events = append(events, string(e)) })
	s := New(tg)
	ask(t, s, `{"command":"initialize"}`)
	path := tg.Debugger.Path("a\n\nb")
	r := ask(t, s, fmt.Sprintf(`{"command":"setBreakpoints","arguments":{"source":{"path":%q},"breakpoints":[{"line":2},{"line":9}]}}`, path))
	if b, _ := json.Marshal(r); strings.Contains(string(b), `"verified":true`) {
		t.Errorf("verified before the cell is known: %s", b)
	}
	s.AddSource("In[7]", "a\n\nb")
	if got := strings.Join(events, "\n"); strings.Count(got, `"line":3`) != 2 || strings.Count(got, `"verified":true`) != 2 || !strings.Contains(got, `"reason":"changed"`) {
		t.Errorf("events %s", got)
	}
	if l := tg.Debugger.Breakpoints()[path]; len(l) != 2 || l[0].Line != 3 || l[1].Line != 3 {
		t.Errorf("breakpoints %v", l)
	}
}

// Long lists come in parts, which together have every element once and in order.
func TestLongLists(t *testing.T) {
	for _, n := range []int{0, 1, 200, 201, 10_000, 10_001, 123_456} {
		s := New(target(n, func(json.RawMessage) {}))
		var leaves []string
		most := 0
		var walk func(ref float64)
		walk = func(ref float64) {
			list := ask(t, s, fmt.Sprintf(`{"command":"variables","arguments":{"variablesReference":%d}}`, int(ref)))["body"].(map[string]any)["variables"].([]any)
			most = max(most, len(list))
			for _, v := range list {
				v := v.(map[string]any)
				if r := v["variablesReference"].(float64); r != 0 {
					walk(r)
				} else {
					leaves = append(leaves, v["value"].(string))
				}
			}
		}
		xs := ask(t, s, `{"command":"inspectVariables"}`)["body"].(map[string]any)["variables"].([]any)[0].(map[string]any)
		if r := xs["variablesReference"].(float64); r != 0 {
			walk(r)
		}
		want := make([]string, n)
		for i := range want {
			want[i] = fmt.Sprint(i)
		}
		if !slices.Equal(leaves, want) {
			t.Errorf("%d elements: %d came, such as %.100q", n, len(leaves), leaves)
		}
		if most > 2*pageSize {
			t.Errorf("%d elements: %d at once", n, most)
		}
		if n > 150 { // a client that turns pages itself
			b, _ := json.Marshal(ask(t, s, fmt.Sprintf(`{"command":"variables","arguments":{"variablesReference":%d,"start":%d,"count":2}}`, int(xs["variablesReference"].(float64)), n-1)))
			if !strings.Contains(string(b), fmt.Sprintf(`"value":"%d"`, n-1)) {
				t.Errorf("the last page of %d: %s", n, b)
			}
		}
	}
}

func TestHitConditions(t *testing.T) {
	for text, want := range map[string][]int{"": {1, 2, 3, 4, 5, 6}, "3": {3, 4, 5, 6}, " >= 5": {5, 6}, ">4": {5, 6}, "== 2": {2}, "= 2": {2}, "<3": {1, 2}, "<= 1": {1}, "% 3": {3, 6}} {
		f, err := debug.HitCondition(text)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for n := 1; n <= 6; n++ {
			if f(n) {
				got = append(got, n)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{"x", "%0", "> x", "1 2", "!= 3", ">", "-1"} {
		if _, err := debug.HitCondition(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// Whatever comes is answered once, with a response.
func FuzzHandle(f *testing.F) {
	for name := range commands {
		f.Add(`{"type":"request","seq":1,"command":"` + name + `"}`)
		f.Add(`{"command":"` + name + `","arguments":{"source":{"path":"p"},"breakpoints":[{"line":-1,"hitCondition":"%"}],"frameId":1,"variablesReference":1073741824,"start":-5,"count":-1,"startModule":-1,"code":"x","filters":[""],"name":"x","value":"1","threadId":1}}`)
	}
	f.Add(`{"command":5}`)
	f.Add(`[]`)
	f.Add(``)
	f.Fuzz(func(t *testing.T, content string) {
		s := New(target(5, func(e json.RawMessage) {
			if !json.Valid(e) {
				t.Errorf("event %q", e)
			}
		}))
		ask(t, s, `{"command":"initialize"}`)
		ask(t, s, `{"command":"attach"}`)
		ask(t, s, `{"command":"inspectVariables"}`)
		r := ask(t, s, content)
		if r["type"] != "response" || r["success"] == nil {
			t.Errorf("%q is answered with %v", content, r)
		}
	})
}

// Requests in any order leave the server working.
func TestAnyOrder(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var names []string
	for n := range commands {
		names = append(names, n)
	}
	slices.Sort(names)
	s := New(target(500, func(json.RawMessage) {}))
	for range 2000 {
		ask(t, s, fmt.Sprintf(`{"command":%q,"arguments":{"source":{"path":"p%d"},"breakpoints":[{"line":%d}],"frameId":%d,"variablesReference":%d,"code":"x%d","expression":"e"}}`,
			names[rnd.IntN(len(names))], rnd.IntN(3), rnd.IntN(9), rnd.IntN(4), 1<<30+rnd.IntN(8), rnd.IntN(5)))
	}
	if r := ask(t, s, `{"command":"debugInfo"}`); r["success"] != true {
		t.Errorf("debugInfo %v", r)
	}
}
