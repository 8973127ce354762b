package front_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"example.org/godp/kernel/front"
	"example.org/godp/kernel/kerneltest"
)

// Random cells, from two clients at once and with completions in between: each cell's messages begin with busy and end with idle, and in between
// stands exactly what it printed and showed, in its order, however the text was gathered.
func TestRandomCells(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	clients := []*kerneltest.Client{k.Client.Join(), kerneltest.Connect(t, connectionOf(t, k)).Join()}
	defer clients[1].Close()
	rng := rand.New(rand.NewPCG(7, 8))
	type sent struct {
		client int
		id     string
		want   string // tokens in order
		reply  string
	}
	var cells []sent
	for n := range 120 {
		var script, want strings.Builder
		reply := "ok"
		last := ""
		token := func(kind, text string) { // neighbours on one stream are one text
			if kind != last {
				fmt.Fprintf(&want, "|%s:", kind)
			}
			want.WriteString(text)
			last = kind
		}
		for range rng.IntN(12) {
			word := fmt.Sprintf("é%d😀", rng.IntN(1000))
			switch rng.IntN(7) {
			case 0:
				fmt.Fprintf(&script, "print %s\n", word)
				token("stdout", word+"\n")
			case 1:
				fmt.Fprintf(&script, "eprint %s\n", word)
				token("stderr", word+"\n")
			case 2: // byte by byte
				for _, b := range []byte(word) {
					fmt.Fprintf(&script, "write \\x%02x\n", b)
				}
				token("stdout", word)
			case 3:
				fmt.Fprintf(&script, "lines %d\n", 300)
				for i := range 300 {
					token("stdout", fmt.Sprintf("line %d\n", i))
				}
			case 4:
				fmt.Fprintf(&script, "display %s\n", word)
				fmt.Fprintf(&want, "|display:%s", word)
				last = "display"
			case 5:
				fmt.Fprintf(&script, "sleep %dus\n", rng.IntN(3000))
			case 6:
				script.WriteString("clear wait\n")
				want.WriteString("|clear:")
				last = "clear"
			}
		}
		switch rng.IntN(4) {
		case 0:
			script.WriteString("result end")
			want.WriteString("|result:end")
		case 1:
			script.WriteString("fail panic end")
			want.WriteString("|error:end")
			reply = "error"
		}
		if strings.TrimSpace(script.String()) == "" {
			continue
		}
		c := n % 2
		id := clients[c].SendExecute(script.String(), M{"stop_on_error": false})
		cells = append(cells, sent{c, id, want.String(), reply})
		if rng.IntN(3) == 0 {
			clients[c].Send("shell", "complete_request", M{"code": "x", "cursor_pos": 1})
		}
		time.Sleep(time.Duration(rng.IntN(2000)) * time.Microsecond)
	}
	for n, s := range cells {
		r := clients[s.client].Await("shell", s.id)
		if got := r.Reply.Content["status"]; got != s.reply {
			t.Errorf("cell %d: reply %v, want %s", n, got, s.reply)
		}
		var got strings.Builder
		last := ""
		for i, m := range r.IOPub {
			switch {
			case i == 0 || i == len(r.IOPub)-1:
				if want := []string{"busy", "idle"}[min(i, 1)]; m.Type != "status" || m.Content["execution_state"] != want {
					t.Errorf("cell %d: message %d is %v, want %s", n, i, m, want)
				}
			case i == 1 && m.Type == "execute_input":
			case m.Type == "status" && m.Content["execution_state"] == "busy": // repeated after the idle of a completion
			case m.Type == "stream":
				kind := m.Content["name"].(string)
				if kind != last {
					fmt.Fprintf(&got, "|%s:", kind)
				}
				got.WriteString(m.Content["text"].(string))
				last = kind
			default:
				data, _ := m.Content["data"].(M)
				what := map[string]string{"display_data": "display", "execute_result": "result", "clear_output": "clear", "error": "error"}[m.Type]
				text, _ := data["text/plain"].(string)
				if m.Type == "error" {
					text = m.Content["evalue"].(string)
				}
				fmt.Fprintf(&got, "|%s:%s", what, text)
				last = what
			}
		}
		if got.String() != s.want {
			t.Fatalf("cell %d:\n got %.300q\nwant %.300q", n, got.String(), s.want)
		}
	}
}

// Every known message with contents that no client should send is answered, and harms nobody.
func TestStrangeContents(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	c := k.Client.Join()
	strange := []any{nil, []int{}, "x", 3, true, M{"code": M{}}, M{"code": "print x", "cursor_pos": "x"}, M{"code": "é", "cursor_pos": -7},
		M{"code": "é", "cursor_pos": 1 << 40}, M{"code": "é", "cursor_pos": 1e300}, M{"code": strings.Repeat("x", 1<<20), "cursor_pos": 1 << 19},
		M{"code": "x", "cursor_pos": 1, "detail_level": -1}, M{"hist_access_type": "tail", "n": -5}, M{"hist_access_type": "range", "session": 99, "start": -1, "stop": -9},
		M{"hist_access_type": "search", "pattern": strings.Repeat("*a", 100), "n": -1}, M{"comm_id": 7}, M{"comm_id": "", "target_name": nil},
		M{"comm_id": "x", "target_name": M{}, "data": []int{1}}, M{"subshell_id": M{}}, M{"target_name": 7}, M{"code": "\x00\x01"}, M{"restart": "x"}}
	requests := []string{"execute_request", "complete_request", "inspect_request", "is_complete_request", "history_request", "comm_info_request",
		"kernel_info_request", "connect_request", "interrupt_request", "create_subshell_request", "delete_subshell_request", "list_subshell_request",
		"debug_request", "usage_request"}
	for _, content := range strange {
		for _, ty := range requests {
			for _, channel := range []string{"shell", "control"} {
				r := c.Ask(channel, ty, content)
				if _, ok := r.Reply.Content["status"]; !ok {
					t.Fatalf("%s %v: reply without a status: %v", ty, content, r.Reply)
				}
			}
		}
		for _, ty := range []string{"comm_open", "comm_msg", "comm_close"} {
			c.AwaitIdle(c.Send("shell", ty, content))
		}
		c.Send("stdin", "input_reply", content)
	}
	k.Execute("print alive")
	if strings.Contains(k.Log.String(), "panicked") {
		t.Error("a handler panicked")
	}
}
