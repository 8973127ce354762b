package front

import "example.org/godp/kernel/worker/protocol"

// onInspect answers with the documentation of what stands at the cursor.
func onInspect(f *front, r *request) {
	var c codeAt
	if !r.decode(&c) {
		return
	}
	id := f.cells.id()
	f.ask(id, &protocol.Inspect{ID: id, Code: c.Code, Cursor: c.cursor(), Detail: c.Detail}, func(m protocol.Message, failure *protocol.Failure) {
		a, ok := m.(*protocol.InspectReply)
		if !ok {
			a = &protocol.InspectReply{}
		}
		r.reply(map[string]any{"status": "ok", "found": a.Found, "data": orEmpty(a.Data), "metadata": orEmpty(a.Metadata)})
	})
}
