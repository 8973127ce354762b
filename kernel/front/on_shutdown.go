package front

import "example.org/godp/kernel/wire"

// onShutdown answers on the channel of the request and on iopub, and then ends the kernel. A restart is the same for us: the client starts a new kernel.
func onShutdown(f *front, r *request) {
	var c struct {
		Restart bool `json:"restart"`
	}
	if !r.decode(&c) {
		return
	}
	content := map[string]any{"status": "ok", "restart": c.Restart}
	f.iopub.publish(wire.Outgoing{Type: "shutdown_reply", Parent: r.msg.RawHeader, Content: content})
	r.reply(content)
	f.shutdown(c.Restart)
}
