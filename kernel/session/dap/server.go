package dap

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sync"

	"example.org/godp/kernel/cell/debug"
	"example.org/godp/kernel/cell/rt"
)

// Target is what the server debugs. All fields are required.
type Target struct {
	Debugger *debug.Debugger
	Event    func(json.RawMessage)         // takes an event
	Lines    func(text string) []int       // the lines of a cell on which the program can stop, ascending
	Globals  func() []Global               // the variables of the session
	Sources  func() (names, text []string) // the cells that have been run

	// Evaluate returns the values of an expression in a call, nil for the top level. It may take long.
	Evaluate func(f *debug.Frame, text string) ([]any, error)
	// Rich is Evaluate that returns what a notebook shows: MIME types with data and their metadata.
	Rich func(f *debug.Frame, text string) (data, metadata map[string]any, err error)
	// Copy makes a variable of the session with the value of a local one.
	Copy func(f *debug.Frame, src, dst string) error
}

// Global is a variable of the session.
type Global struct {
	Name  string
	Type  *rt.Type
	Value reflect.Value // a pointer to its representation
}

// Server serves one session. Its methods may be called by any goroutine.
type Server struct {
	t Target

	mu          sync.Mutex
	seq         int
	started     bool
	lineBase    int               // what clients call the first line
	texts       map[string]string // by path: what was dumped or run
	names       map[string]string // by path: In[3], for those that were run
	wanted      map[string][]point
	lastPoint   int
	handles     handles // of a stopped program
	shown       handles // of inspectVariables
	stoppedText string
}

// New returns a server and connects it with its debugger.
func New(t Target) *Server {
	s := &Server{t: t, lineBase: 1, texts: map[string]string{}, names: map[string]string{}, wanted: map[string][]point{}}
	s.handles.base, s.shown.base = 1, 1<<30
	t.Debugger.Stopped = s.stopped
	t.Debugger.Continued = s.continued
	return s
}

// request is what comes from a client.
type request struct {
	Seq       int             `json:"seq"`
	Type      string          `json:"type"`
	Command   string          `json:"command"`
	Arguments json.RawMessage `json:"arguments"`
}

// arguments reads the arguments into v; absent ones leave it as it is.
func (r *request) arguments(v any) error {
	if len(r.Arguments) == 0 || string(r.Arguments) == "null" {
		return nil
	}
	if err := json.Unmarshal(r.Arguments, v); err != nil {
		return fmt.Errorf("%s: the arguments do not fit: %v", r.Command, err)
	}
	return nil
}

// object is a JSON object.
type object = map[string]any

// handler serves a request and returns the body of the response.
type handler struct {
	serve   func(s *Server, r *request) (object, error)
	started bool // only after initialize
	slow    bool // runs code of the cell: answered when that is done, perhaps after later requests
}

var commands = map[string]handler{
	"initialize":              {serve: (*Server).initialize},
	"attach":                  {serve: (*Server).attach, started: true},
	"configurationDone":       {serve: (*Server).nothing},
	"disconnect":              {serve: (*Server).disconnect},
	"terminate":               {serve: (*Server).disconnect},
	"debugInfo":               {serve: (*Server).debugInfo},
	"dumpCell":                {serve: (*Server).dumpCell, started: true},
	"setBreakpoints":          {serve: (*Server).setBreakpoints, started: true},
	"setExceptionBreakpoints": {serve: (*Server).setExceptionBreakpoints, started: true},
	"source":                  {serve: (*Server).source, started: true},
	"threads":                 {serve: (*Server).threads, started: true},
	"stackTrace":              {serve: (*Server).stackTrace, started: true},
	"scopes":                  {serve: (*Server).scopes, started: true},
	"variables":               {serve: (*Server).variables},
	"inspectVariables":        {serve: (*Server).inspectVariables},
	"richInspectVariables":    {serve: (*Server).richInspectVariables, slow: true},
	"copyToGlobals":           {serve: (*Server).copyToGlobals, started: true, slow: true},
	"evaluate":                {serve: (*Server).evaluate, started: true, slow: true},
	"setVariable":             {serve: (*Server).setVariable, started: true, slow: true},
	"continue":                {serve: (*Server).resume, started: true},
	"next":                    {serve: (*Server).next, started: true},
	"stepIn":                  {serve: (*Server).stepIn, started: true},
	"stepOut":                 {serve: (*Server).stepOut, started: true},
	"pause":                   {serve: (*Server).pause, started: true},
	"exceptionInfo":           {serve: (*Server).exceptionInfo, started: true},
	"modules":                 {serve: (*Server).modules},
}

// Handle answers a request: it calls reply once, for those that evaluate something later and on another goroutine.
func (s *Server) Handle(content json.RawMessage, reply func(json.RawMessage)) {
	var r request
	if err := json.Unmarshal(content, &r); err != nil {
		reply(s.response(&r, nil, fmt.Errorf("not a request of the debug adapter protocol: %v", err)))
		return
	}
	h, ok := commands[r.Command]
	switch {
	case !ok:
		reply(s.response(&r, nil, fmt.Errorf("the request %q is not supported", r.Command)))
	case h.started && !s.isStarted():
		reply(s.response(&r, nil, fmt.Errorf("%s: the debugger is not started: initialize comes first", r.Command)))
	case h.slow:
		go func() { reply(s.answer(&r, h)) }()
	default:
		reply(s.answer(&r, h))
	}
}

// answer serves a request; a fault of the server is a failed request.
func (s *Server) answer(r *request, h handler) (response json.RawMessage) {
	defer func() {
		if p := recover(); p != nil {
			response = s.response(r, nil, fmt.Errorf("%s: the debugger failed: %v", r.Command, p))
		}
	}()
	body, err := h.serve(s, r)
	return s.response(r, body, err)
}

func (s *Server) isStarted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.started
}

func (s *Server) number() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	return s.seq
}

func (s *Server) response(r *request, body object, err error) json.RawMessage {
	m := object{"type": "response", "seq": s.number(), "request_seq": r.Seq, "command": r.Command, "success": err == nil}
	if err != nil {
		m["message"] = err.Error()
		body = object{"error": object{"id": 1, "format": err.Error(), "showUser": true}}
	}
	if body != nil {
		m["body"] = body
	}
	return encode(m)
}

func (s *Server) event(name string, body object) {
	m := object{"type": "event", "seq": s.number(), "event": name}
	if body != nil {
		m["body"] = body
	}
	s.t.Event(encode(m))
}

func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil { // only numbers that JSON has not, and we send none
		panic(err)
	}
	return b
}

func (s *Server) initialize(r *request) (object, error) {
	a := struct {
		Client        string `json:"clientID"`
		LinesStartAt1 *bool  `json:"linesStartAt1"`
	}{}
	if err := r.arguments(&a); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started, s.lineBase = true, 1
	// JupyterLab shows only the type of a variable, unless it is one of Python's int, float, bool and str.
	s.handles.both = a.Client == "jupyterlab"
	s.shown.both = s.handles.both
	if a.LinesStartAt1 != nil && !*a.LinesStartAt1 {
		s.lineBase = 0
	}
	return object{
		"supportsConfigurationDoneRequest":  true,
		"supportsConditionalBreakpoints":    true,
		"supportsHitConditionalBreakpoints": true,
		"supportsLogPoints":                 true,
		"supportsEvaluateForHovers":         true,
		"supportsSetVariable":               true,
		"supportsExceptionInfoRequest":      true,
		"supportsModulesRequest":            true,
		"supportsDelayedStackTraceLoading":  true,
		"supportsTerminateRequest":          true,
		"supportsFunctionBreakpoints":       false,
		"supportsStepBack":                  false,
		"supportsRestartFrame":              false,
		"supportsGotoTargetsRequest":        false,
		"supportsCompletionsRequest":        false,
		"exceptionBreakpointFilters": []object{
			{"filter": filterPanics, "label": "Panics", "default": false, "description": "Stops at every panic, where it happens, also where it will be recovered."},
			{"filter": filterUncaught, "label": "Uncaught panics and errors", "default": true, "description": "Stops at a panic or an error that ends the cell or a goroutine, after its deferred calls."},
		},
	}, nil
}

func (s *Server) attach(r *request) (object, error) {
	s.t.Debugger.Attach()
	names, texts := s.t.Sources()
	for i := range names {
		s.AddSource(names[i], texts[i])
	}
	s.event("initialized", nil)
	return nil, nil
}

func (s *Server) nothing(r *request) (object, error) { return nil, nil }

// disconnect lets the program run and forgets everything.
func (s *Server) disconnect(r *request) (object, error) {
	s.t.Debugger.Detach()
	s.mu.Lock()
	s.started = false
	clear(s.wanted)
	s.handles.reset()
	s.shown.reset()
	s.mu.Unlock()
	s.event("terminated", nil)
	return nil, nil
}

func (s *Server) threads(r *request) (object, error) {
	list, _ := s.t.Debugger.Threads()
	out := []object{}
	for _, t := range list {
		out = append(out, object{"id": t.ID, "name": t.Name})
	}
	if len(out) == 0 {
		out = append(out, object{"id": debug.MainThread, "name": "no cell is running"})
	}
	return object{"threads": out}, nil
}

// modules lists the cells that have been run, whose source can be asked for. (Packages are compiled in: they have none to show.)
func (s *Server) modules(r *request) (object, error) {
	a := struct {
		Start int `json:"startModule"`
		Count int `json:"moduleCount"`
	}{}
	if err := r.arguments(&a); err != nil {
		return nil, err
	}
	all := []object{}
	names, texts := s.t.Sources()
	for i := range names {
		all = append(all, object{"id": len(all), "name": names[i], "path": s.t.Debugger.Path(texts[i]), "isUserCode": true})
	}
	total := len(all)
	from := min(max(a.Start, 0), total)
	to := total
	if a.Count > 0 {
		to = min(from+a.Count, total)
	}
	return object{"modules": all[from:to], "totalModules": total}, nil
}
