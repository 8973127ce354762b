package front

import (
	"crypto/rand"
	"slices"
	"strings"
)

// onCreateSubshell makes a subshell: messages whose header names it are served beside those of the main shell.
func onCreateSubshell(f *front, r *request) {
	id := strings.ToLower(rand.Text())
	l := f.newLane()
	f.lanesMu.Lock()
	f.lanes[id] = l
	f.lanesMu.Unlock()
	r.reply(map[string]any{"status": "ok", "subshell_id": id})
}

// onDeleteSubshell ends a subshell. What still waits in it is aborted; what runs in it ends by itself.
func onDeleteSubshell(f *front, r *request) {
	var c struct {
		ID string `json:"subshell_id"`
	}
	if !r.decode(&c) {
		return
	}
	f.lanesMu.Lock()
	l := f.lanes[c.ID]
	if c.ID != "" {
		delete(f.lanes, c.ID)
	}
	f.lanesMu.Unlock()
	if l == nil || c.ID == "" {
		r.fail("SubshellNotFound", "there is no subshell "+c.ID)
		return
	}
	for _, q := range l.abort(nil) {
		f.serve(q, onAborted)
	}
	l.cancel()
	r.reply(map[string]any{"status": "ok"})
}

// onListSubshell lists the subshells.
func onListSubshell(f *front, r *request) {
	f.lanesMu.Lock()
	ids := []string{}
	for id := range f.lanes {
		if id != "" {
			ids = append(ids, id)
		}
	}
	f.lanesMu.Unlock()
	slices.Sort(ids)
	r.reply(map[string]any{"status": "ok", "subshell_id": ids})
}
