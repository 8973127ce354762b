package dap

import (
	"errors"
	"fmt"

	"example.org/godp/kernel/cell/debug"
)

var errNotStopped = errors.New("nothing is stopped")

// stopped is called by the debugger.
func (s *Server) stopped(x debug.Stop) {
	s.mu.Lock()
	s.handles.reset()
	s.stoppedText = x.Text
	s.mu.Unlock()
	body := object{"reason": x.Reason, "threadId": x.Thread, "allThreadsStopped": true, "preserveFocusHint": false}
	if x.Text != "" {
		body["text"] = x.Text
		body["description"] = "Paused on panic"
		if x.Reason != "exception" {
			body["description"] = "Paused on breakpoint"
		}
	}
	if len(x.Hit) > 0 {
		body["hitBreakpointIds"] = x.Hit
	}
	s.event("stopped", body)
}

// continued is called by the debugger.
func (s *Server) continued(thread int) {
	s.mu.Lock()
	s.handles.reset()
	s.mu.Unlock()
	s.event("continued", object{"threadId": thread, "allThreadsContinued": true})
}

func (s *Server) run(mode debug.Mode) (object, error) {
	if !s.t.Debugger.Resume(mode) {
		return nil, errNotStopped
	}
	return nil, nil
}

func (s *Server) resume(r *request) (object, error) {
	if _, err := s.run(debug.Continue); err != nil {
		return nil, err
	}
	return object{"allThreadsContinued": true}, nil
}

func (s *Server) next(r *request) (object, error)    { return s.run(debug.StepOver) }
func (s *Server) stepIn(r *request) (object, error)  { return s.run(debug.StepIn) }
func (s *Server) stepOut(r *request) (object, error) { return s.run(debug.StepOut) }

// pause stops the program at its next statement; when nothing runs, the next cell at its first.
func (s *Server) pause(r *request) (object, error) {
	s.t.Debugger.Pause()
	return nil, nil
}

func (s *Server) stackTrace(r *request) (object, error) {
	a := struct {
		Thread int `json:"threadId"`
		Start  int `json:"startFrame"`
		Levels int `json:"levels"`
	}{}
	if err := r.arguments(&a); err != nil {
		return nil, err
	}
	if f, _ := s.t.Debugger.Where(); f == nil {
		return object{"stackFrames": []object{}, "totalFrames": 0}, nil
	}
	threads, tops := s.t.Debugger.Threads()
	var calls []*debug.Frame
	for i, t := range threads {
		if t.ID == a.Thread {
			for f := tops[i]; f != nil; f = f.Caller {
				calls = append(calls, f)
			}
		}
	}
	if calls == nil {
		return nil, fmt.Errorf("there is no thread %d", a.Thread)
	}
	from := min(max(a.Start, 0), len(calls))
	to := len(calls)
	if a.Levels > 0 {
		to = min(from+a.Levels, to)
	}
	frames := []object{}
	for _, f := range calls[from:to] {
		st := f.Stmt()
		frames = append(frames, object{
			"id": s.frameID(f), "name": f.Fn.Name, "line": s.line(st.Line), "column": st.Col - 1 + s.base(),
			"source": object{"name": st.Source.Name, "path": st.Source.Path, "sourceReference": 0},
		})
	}
	return object{"stackFrames": frames, "totalFrames": len(calls)}, nil
}

func (s *Server) exceptionInfo(r *request) (object, error) {
	f, x := s.t.Debugger.Where()
	if f == nil || x.Reason != "exception" {
		return nil, errors.New("the program has not stopped at a panic")
	}
	st := f.Stmt()
	where := fmt.Sprintf("%s:%d:%d in %s", st.Source.Name, st.Line, st.Col, f.Fn.Name)
	return object{"exceptionId": "panic", "description": x.Text, "breakMode": "always",
		"details": object{"message": x.Text, "typeName": "panic", "stackTrace": where}}, nil
}
