package kerneltest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/godp/kernel/front"
)

// Kernel is a running front and a client connected to it.
type Kernel struct {
	T      testing.TB
	Client *Client
	File   string // connection file
	Log    *Log
	ended  chan error
	stop   context.CancelFunc
}

// Log keeps what the front logs.
type Log struct {
	mu sync.Mutex
	b  strings.Builder
}

// Write appends to the log.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String is the log so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Connection is the content of a connection file.
type Connection struct {
	Transport string `json:"transport"`
	IP        string `json:"ip"`
	Shell     int    `json:"shell_port"`
	IOPub     int    `json:"iopub_port"`
	Stdin     int    `json:"stdin_port"`
	Control   int    `json:"control_port"`
	HB        int    `json:"hb_port"`
	Scheme    string `json:"signature_scheme"`
	Key       string `json:"key"`
}

// WriteConnection makes a connection file with free ports. The transport is tcp, or ipc in the test's directory.
func WriteConnection(t testing.TB, transport string) (string, Connection) {
	t.Helper()
	dir := t.TempDir()
	c := Connection{Transport: transport, IP: "127.0.0.1", Scheme: "hmac-sha256", Key: rand.Text()}
	ports := []*int{&c.Shell, &c.IOPub, &c.Stdin, &c.Control, &c.HB}
	if transport == "ipc" {
		short, err := os.MkdirTemp("", "k") // socket paths are limited to about 100 bytes
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(short) })
		c.IP = filepath.Join(short, "k")
		for i, p := range ports {
			*p = i + 1
		}
	} else {
		for _, p := range ports {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close() // all at the end, so that the ports differ
			*p = l.Addr().(*net.TCPAddr).Port
		}
	}
	b, _ := json.Marshal(c)
	file := filepath.Join(dir, "connection.json")
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return file, c
}

// Start runs a front over tcp and connects a client. Where cfg names neither Start nor WorkerCommand, the worker is a Fake.
func Start(t testing.TB, cfg front.Config) *Kernel {
	t.Helper()
	return StartOver(t, "tcp", cfg)
}

// StartOver is Start over the transport tcp or ipc.
func StartOver(t testing.TB, transport string, cfg front.Config) *Kernel {
	t.Helper()
	file, conn := WriteConnection(t, transport)
	cfg.ConnectionFile = file
	log := &Log{}
	if cfg.Log == nil {
		cfg.Log = log
	}
	if cfg.Start == nil && cfg.WorkerCommand == nil {
		cfg.Start = StartFake
	}
	ctx, stop := context.WithCancel(context.Background())
	k := &Kernel{T: t, File: file, Log: log, ended: make(chan error, 1), stop: stop}
	go func() { k.ended <- front.Run(ctx, cfg) }()
	k.Client = Connect(t, conn)
	t.Cleanup(func() {
		stop()
		select {
		case err := <-k.ended:
			if err != nil {
				t.Errorf("front.Run: %v", err)
			}
		case <-time.After(Patience):
			t.Error("the front does not end")
		}
		k.Client.Close()
		if t.Failed() {
			t.Logf("log of the front:\n%s", log)
		}
	})
	return k
}

// WaitEnd waits until the front has ended by itself and returns its error.
func (k *Kernel) WaitEnd() error {
	k.T.Helper()
	select {
	case err := <-k.ended:
		k.ended <- nil // for the cleanup
		return err
	case <-time.After(Patience):
		k.T.Fatal("the front does not end")
		return nil
	}
}

// Execute sends a cell as a notebook does and waits for its reply and its idle.
func (k *Kernel) Execute(code string) *Run { k.T.Helper(); return k.Client.Execute(code, nil) }

// Endpoint is the address of one of the ports.
func (c Connection) Endpoint(port int) string {
	if c.Transport == "ipc" {
		return fmt.Sprintf("ipc://%s-%d", c.IP, port)
	}
	return fmt.Sprintf("tcp://%s:%d", c.IP, port)
}
