package front

import "fmt"

// onHistory answers with cells that were run: the last n, a range, or those that match a pattern.
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
	var entries []Entry
	switch c.Access {
	case "tail", "":
		entries = f.history.Tail(c.N)
	case "range":
		entries = f.history.Range(c.Session, c.Start, c.Stop)
	case "search":
		entries = f.history.Search(c.Pattern, c.N, c.Unique)
	default:
		r.fail("BadRequest", fmt.Sprintf("history_request: hist_access_type is %q, must be tail, range or search", c.Access))
		return
	}
	list := make([][3]any, 0, len(entries))
	for _, e := range entries {
		item := [3]any{e.Session, e.Line, e.Input}
		if c.Output {
			var out any
			if e.HasOut {
				out = e.Output
			}
			item[2] = [2]any{e.Input, out}
		}
		list = append(list, item)
	}
	r.reply(map[string]any{"status": "ok", "history": list})
}
