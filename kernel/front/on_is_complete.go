package front

import "example.org/godp/kernel/worker/protocol"

// onIsComplete tells whether Enter should run the code or open a new line. Without a worker the answer is "unknown".
func onIsComplete(f *front, r *request) {
	var c struct {
		Code string `json:"code"`
	}
	if !r.decode(&c) {
		return
	}
	id := f.cells.id()
	f.ask(id, &protocol.IsComplete{ID: id, Code: c.Code}, func(m protocol.Message, failure *protocol.Failure) {
		content := map[string]string{"status": "unknown"}
		if a, ok := m.(*protocol.IsCompleteReply); ok {
			content["status"] = a.Status
			if a.Status == "incomplete" {
				content["indent"] = a.Indent
			}
		}
		r.reply(content)
	})
}
