package front

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
)

// connection is what a Jupyter connection file says: where to listen and how to sign.
type connection struct {
	Transport string `json:"transport"`
	IP        string `json:"ip"`
	Shell     int    `json:"shell_port"`
	IOPub     int    `json:"iopub_port"`
	Stdin     int    `json:"stdin_port"`
	Control   int    `json:"control_port"`
	Heartbeat int    `json:"hb_port"`
	Scheme    string `json:"signature_scheme"`
	Key       string `json:"key"`
}

// readConnection reads and checks a connection file. Its errors say which file, which field and what it must be.
func readConnection(path string) (*connection, error) {
	if path == "" {
		return nil, errors.New("no connection file was named: a Jupyter client starts the kernel with one, as in 'godp kernel FILE'")
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("connection file: %w", err)
	}
	c := &connection{Transport: "tcp"}
	if err := json.Unmarshal(b, c); err != nil {
		var te *json.UnmarshalTypeError
		if errors.As(err, &te) && te.Field != "" {
			return nil, fmt.Errorf("connection file %s: %s is a %s, must be a %s", path, te.Field, te.Value, te.Type)
		}
		return nil, fmt.Errorf("connection file %s is not JSON: %w", path, err)
	}
	if c.Transport != "tcp" && c.Transport != "ipc" {
		return nil, fmt.Errorf("connection file %s: transport is %q, must be tcp or ipc", path, c.Transport)
	}
	if c.IP == "" {
		return nil, fmt.Errorf("connection file %s: ip is missing", path)
	}
	if c.Scheme != "" && c.Scheme != "hmac-sha256" {
		return nil, fmt.Errorf("connection file %s: signature_scheme is %q, must be hmac-sha256", path, c.Scheme)
	}
	seen := map[int]string{}
	for _, p := range c.ports() {
		if p.port < 1 || p.port > 65535 {
			return nil, fmt.Errorf("connection file %s: %s is %d, must be between 1 and 65535", path, p.name, p.port)
		}
		if other, dup := seen[p.port]; dup {
			return nil, fmt.Errorf("connection file %s: %s and %s are both %d", path, other, p.name, p.port)
		}
		seen[p.port] = p.name
	}
	return c, nil
}

type namedPort struct {
	name string
	port int
}

func (c *connection) ports() []namedPort {
	return []namedPort{{"shell_port", c.Shell}, {"iopub_port", c.IOPub}, {"stdin_port", c.Stdin}, {"control_port", c.Control}, {"hb_port", c.Heartbeat}}
}

// endpoint is the address of one port.
func (c *connection) endpoint(port int) string {
	if c.Transport == "ipc" {
		return fmt.Sprintf("ipc://%s-%d", c.IP, port)
	}
	ip := c.IP
	if strings.Contains(ip, ":") && !strings.HasPrefix(ip, "[") {
		ip = "[" + ip + "]"
	}
	if ip == "*" {
		ip = ""
	}
	return fmt.Sprintf("tcp://%s:%d", ip, port)
}
