package dap

import (
	"fmt"
	"sort"

	"example.org/godp/kernel/cell/debug"
)

// The filters of setExceptionBreakpoints.
const (
	filterPanics   = "panics"
	filterUncaught = "uncaught"
)

// point is a breakpoint as it was asked for.
type point struct {
	Line      int    `json:"line"`
	Condition string `json:"condition,omitempty"`
	Hits      string `json:"hitCondition,omitempty"`
	Log       string `json:"logMessage,omitempty"`

	at *debug.Breakpoint
}

// sourceArg names a source.
type sourceArg struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

// dumpCell tells the path of a cell's source and keeps the text.
func (s *Server) dumpCell(r *request) (object, error) {
	a := struct {
		Code string `json:"code"`
	}{}
	if err := r.arguments(&a); err != nil {
		return nil, err
	}
	return object{"sourcePath": s.addText(a.Code)}, nil
}

func (s *Server) addText(text string) (path string) {
	path = s.t.Debugger.Path(text)
	s.mu.Lock()
	_, known := s.texts[path]
	s.texts[path] = text
	s.mu.Unlock()
	if !known {
		s.replace(path, true)
	}
	return path
}

// AddSource is told of a cell that is about to be compiled.
func (s *Server) AddSource(name, text string) {
	path := s.addText(text)
	s.mu.Lock()
	s.names[path] = name
	s.mu.Unlock()
}

// setBreakpoints replaces the breakpoints of a source. Each moves to the next line on which something can stop.
func (s *Server) setBreakpoints(r *request) (object, error) {
	a := struct {
		Source      sourceArg `json:"source"`
		Breakpoints []point   `json:"breakpoints"`
		Lines       []int     `json:"lines"` // the older form
	}{}
	if err := r.arguments(&a); err != nil {
		return nil, err
	}
	if a.Source.Path == "" {
		return nil, fmt.Errorf("setBreakpoints: source.path is missing: it is what dumpCell answers with")
	}
	if a.Breakpoints == nil {
		for _, l := range a.Lines {
			a.Breakpoints = append(a.Breakpoints, point{Line: l})
		}
	}
	for _, p := range a.Breakpoints {
		if _, err := debug.HitCondition(p.Hits); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	if len(a.Breakpoints) == 0 {
		delete(s.wanted, a.Source.Path)
	} else {
		s.wanted[a.Source.Path] = a.Breakpoints
	}
	s.mu.Unlock()
	if err := s.replace(a.Source.Path, false); err != nil {
		return nil, err
	}
	out := []object{}
	for _, p := range a.Breakpoints {
		out = append(out, s.breakpoint(p.at, a.Source.Path))
	}
	return object{"breakpoints": out}, nil
}

// breakpoint is how a breakpoint is told to clients.
func (s *Server) breakpoint(b *debug.Breakpoint, path string) object {
	o := object{"id": b.ID, "verified": b.Verified, "line": s.line(b.Line), "source": object{"path": path}}
	if !b.Verified {
		o["message"] = "There is no statement at this line or after it in a cell that the kernel knows."
	}
	return o
}

// line is a line as the client counts.
func (s *Server) line(n int) int { return n - 1 + s.base() }

func (s *Server) base() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lineBase
}

// replace gives the debugger the breakpoints of a source anew, and tells clients of those that have moved if they are to know.
func (s *Server) replace(path string, tell bool) error {
	base := s.base()
	s.mu.Lock()
	text, known := s.texts[path]
	want := s.wanted[path]
	var list, moved []*debug.Breakpoint
	var lines []int
	if known && len(want) > 0 {
		lines = s.t.Lines(text)
	}
	for i := range want {
		p := &want[i]
		b := &debug.Breakpoint{Line: p.Line - base + 1, Condition: p.Condition, Hits: p.Hits, Log: p.Log}
		if len(lines) > 0 {
			b.Line, b.Verified = nearest(lines, b.Line), true
		}
		if p.at != nil {
			b.ID = p.at.ID
			if b.Line != p.at.Line || b.Verified != p.at.Verified {
				moved = append(moved, b)
			}
		} else {
			s.lastPoint++
			b.ID = s.lastPoint
		}
		p.at = b
		list = append(list, b)
	}
	s.mu.Unlock()
	if err := s.t.Debugger.SetBreakpoints(path, list); err != nil {
		return err
	}
	if tell {
		for _, b := range moved {
			s.event("breakpoint", object{"reason": "changed", "breakpoint": s.breakpoint(b, path)})
		}
	}
	return nil
}

// nearest is the first of the lines that is not before n, or the last one.
func nearest(lines []int, n int) int {
	i := sort.SearchInts(lines, n)
	return lines[min(i, len(lines)-1)]
}

func (s *Server) setExceptionBreakpoints(r *request) (object, error) {
	a := struct {
		Filters []string `json:"filters"`
	}{}
	if err := r.arguments(&a); err != nil {
		return nil, err
	}
	panics, uncaught := false, false
	out := []object{}
	for _, f := range a.Filters {
		switch f {
		case filterPanics:
			panics = true
		case filterUncaught:
			uncaught = true
		default:
			return nil, fmt.Errorf("setExceptionBreakpoints: there is no filter %q; there are %q and %q", f, filterPanics, filterUncaught)
		}
		out = append(out, object{"verified": true})
	}
	s.t.Debugger.StopAtPanics(panics, uncaught)
	return object{"breakpoints": out}, nil
}

// source tells the text of a cell.
func (s *Server) source(r *request) (object, error) {
	a := struct {
		Source sourceArg `json:"source"`
	}{}
	if err := r.arguments(&a); err != nil {
		return nil, err
	}
	s.mu.Lock()
	text, ok := s.texts[a.Source.Path]
	s.mu.Unlock()
	if !ok {
		return nil, fmt.Errorf("source unavailable: no cell with this text was dumped or run: %q", a.Source.Path)
	}
	return object{"content": text, "mimeType": "text/x-go"}, nil
}

// debugInfo tells the state of the debugger, also where it is not started.
func (s *Server) debugInfo(r *request) (object, error) {
	at, stop := s.t.Debugger.Where()
	stopped := []int{}
	if at != nil {
		stopped = append(stopped, stop.Thread)
	}
	list := []object{}
	s.mu.Lock()
	defer s.mu.Unlock()
	var paths []string
	for p := range s.wanted {
		paths = append(paths, p)
	}
	sort.Strings(paths)
	for _, p := range paths {
		var points []point
		for _, w := range s.wanted[p] {
			w.Line = w.at.Line - 1 + s.lineBase
			points = append(points, w)
		}
		list = append(list, object{"source": p, "breakpoints": points})
	}
	return object{
		"isStarted": s.started, "hashMethod": "Murmur2", "hashSeed": uint32(debug.HashSeed),
		"tmpFilePrefix": s.t.Debugger.Prefix, "tmpFileSuffix": debug.Suffix,
		"breakpoints": list, "stoppedThreads": stopped, "richRendering": true, "exceptionPaths": []string{"Go panics"}, "copyToGlobals": true,
	}, nil
}
