package front_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/godp/kernel/front"
	"example.org/godp/kernel/kerneltest"
)

func TestShutdown(t *testing.T) {
	for _, channel := range []string{"control", "shell"} {
		for _, restart := range []bool{false, true} {
			k := kerneltest.Start(t, front.Config{})
			k.Execute("print x")
			start := time.Now()
			r := k.Client.Ask(channel, "shutdown_request", M{"restart": restart})
			r.WantIOPub("status busy", "shutdown_reply ok", "status idle")
			r.WantReply("shutdown_reply ok")
			if r.Reply.Content["restart"] != restart {
				t.Errorf("reply %v", r.Reply.Content)
			}
			if err := k.WaitEnd(); err != nil {
				t.Error(err)
			}
			if d := time.Since(start); d > time.Second {
				t.Errorf("shutdown took %v", d)
			}
		}
	}
}

// The last messages arrive although the kernel ends right after them, also behind a lot of output.
func TestShutdownWhileACellRuns(t *testing.T) {
	for range 10 {
		k := kerneltest.Start(t, front.Config{})
		running(k, "lines 5000\nsleep 1h")
		k.Client.Ask("control", "shutdown_request", M{}).WantReply("shutdown_reply ok")
		if err := k.WaitEnd(); err != nil {
			t.Error(err)
		}
	}
}

func TestBrokenConnectionFiles(t *testing.T) {
	dir := t.TempDir()
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	_, port, _ := strings.Cut(busy.Addr().String(), ":")
	good := `"ip":"127.0.0.1","shell_port":1,"iopub_port":2,"stdin_port":3,"control_port":4,"hb_port":5`
	for i, tc := range []struct{ file, want string }{
		{"", "is not JSON"},
		{"{", "is not JSON"},
		{"[]", "is not JSON"},
		{"{}", "ip is missing"},
		{`{"ip":"127.0.0.1"}`, "shell_port is 0, must be between 1 and 65535"},
		{`{"ip":"127.0.0.1","shell_port":"x"}`, "shell_port is a string, must be a int"},
		{strings.Replace("{"+good+"}", `"hb_port":5`, `"hb_port":70000`, 1), "hb_port is 70000"},
		{strings.Replace("{"+good+"}", `"hb_port":5`, `"hb_port":4`, 1), "control_port and hb_port are both 4"},
		{`{"transport":"udp",` + good + "}", `transport is "udp", must be tcp or ipc`},
		{`{"signature_scheme":"hmac-md5",` + good + "}", `signature_scheme is "hmac-md5", must be hmac-sha256`},
		{strings.Replace("{"+good+"}", `"iopub_port":2`, `"iopub_port":`+port, 1), "opening iopub"},
		{strings.Replace("{"+good+"}", `127.0.0.1`, `999.0.0.1`, 1), "opening iopub"},
	} {
		file := filepath.Join(dir, "c.json")
		os.WriteFile(file, []byte(tc.file), 0o600)
		err := front.Run(context.Background(), front.Config{ConnectionFile: file, Start: kerneltest.StartFake, Log: &kerneltest.Log{}})
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%d: error %v, want one with %q and the file's name", i, err, tc.want)
		}
	}
	for _, file := range []string{"", filepath.Join(dir, "none.json"), dir} {
		if err := front.Run(context.Background(), front.Config{ConnectionFile: file, Start: kerneltest.StartFake}); err == nil {
			t.Errorf("%q was accepted", file)
		}
	}
}
