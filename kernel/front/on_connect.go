package front

// onConnect tells the ports. The message is deprecated, but some clients still send it.
func onConnect(f *front, r *request) {
	c := f.conn
	r.reply(map[string]any{"status": "ok", "shell_port": c.Shell, "iopub_port": c.IOPub, "stdin_port": c.Stdin,
		"control_port": c.Control, "hb_port": c.Heartbeat})
}
