package front

import (
	"fmt"

	"example.org/godp/kernel/history"
)

// onHistory answers with cells that were run: the last n, a range, or those that match a pattern. Cells are kept as they were
// typed, so raw makes no difference.
func onHistory(f *front, r *request) {
	c := struct {
		Output  bool   `json:"output"`
		Access  string `json:"hist_access_type"`
		Session int    `json:"session"`
		Start   int    `json:"start"`
		Stop    int    `json:"stop"`
		N       int    `json:"n"`
		Pattern string `json:"pattern"`
		Unique  bool   `json:"unique"`
	}{Pattern: "*"}
	if !r.decode(&c) {
		return
	}
	var find func() []history.Entry
	switch c.Access {
	case "tail", "":
		find = func() []history.Entry { return f.history.Tail(c.N) }
	case "range":
		find = func() []history.Entry { return f.history.Range(c.Session, c.Start, c.Stop) }
	case "search":
		find = func() []history.Entry { return f.history.Search(c.Pattern, c.N, c.Unique) }
	default:
		r.fail("BadRequest", fmt.Sprintf("history_request: hist_access_type is %q, must be tail, range or search", c.Access))
		return
	}
	f.wg.Go(func() { // a slow disk must not keep other messages waiting
		defer r.recover()
		r.reply(map[string]any{"status": "ok", "history": historyList(find(), c.Output)})
	})
}

// historyList is a list of entries as the protocol has it.
func historyList(entries []history.Entry, output bool) [][3]any {
	list := make([][3]any, 0, len(entries))
	for _, e := range entries {
		item := [3]any{e.Session, e.Line, e.Input}
		if output {
			var out any
			if e.HasOut {
				out = e.Output
			}
			item[2] = [2]any{e.Input, out}
		}
		list = append(list, item)
	}
	return list
}
