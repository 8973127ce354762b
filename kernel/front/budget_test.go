package front_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.org/godp/kernel/front"
	"example.org/godp/kernel/kerneltest"
)

// told adds up what the notices say was left out.
func told(t *testing.T, notes string) (lines, displays int) {
	t.Helper()
	for _, m := range regexp.MustCompile(`([\d,]+) (line|display)s? \(`).FindAllStringSubmatch(notes, -1) {
		n, err := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
		if err != nil {
			t.Fatal(err)
		}
		if m[2] == "line" {
			lines += n
		} else {
			displays += n
		}
	}
	return lines, displays
}

// A page gets what its server lets through, is told exactly what is missing, and sees the end.
func TestFloodForAPage(t *testing.T) {
	k := kerneltest.Start(t, front.Config{Page: true})
	const n = 400_000 // 4.6 MB
	r := k.Execute("lines " + strconv.Itoa(n))
	r.WantReply("execute_reply ok 1")
	text := r.Text("stdout")
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	// What is shown at the end of a gap is counted as left out too: those after a jump up to the last.
	if last := "line " + strconv.Itoa(n-1); lines[len(lines)-1] != last {
		t.Errorf("the last line is %q, want %q", lines[len(lines)-1], last)
	}
	if len(text) > 2_500_000 {
		t.Errorf("%d bytes reach the page", len(text))
	}
	prefix := 0
	for prefix < len(lines) && lines[prefix] == "line "+strconv.Itoa(prefix) {
		prefix++
	}
	left, _ := told(t, r.Text("stderr"))
	if resumed := strings.Count(r.Text("stderr"), "left out;"); resumed == 1 && prefix+left != n && prefix+left+1 != n { // a line may be cut in two
		t.Errorf("%d lines shown before, %d said to be left out, of %d:\n%s", prefix, left, n, r.Text("stderr"))
	}
	if left == 0 || strings.Count(r.Text("stderr"), "\n") > 20 {
		t.Errorf("notices: %s", r.Text("stderr"))
	}
	// The next cell has its say although the allowance is used up.
	if got := k.Execute("result 42"); got.Count("execute_result") != 1 {
		t.Errorf("the next cell's value is not shown: %v", got.IOPub)
	}
}

func TestDisplaysCount(t *testing.T) {
	for name, cfg := range map[string]front.Config{"limit": {OutputLimit: 100_000}, "page": {Page: true}} {
		t.Run(name, func(t *testing.T) {
			k := kerneltest.Start(t, cfg)
			const n = 3000
			r := k.Execute("displays 3000 1000")
			shown, last := 0, ""
			for _, m := range r.IOPub {
				if m.Type == "display_data" {
					shown++
					last = m.Content["data"].(M)["text/plain"].(string)
				}
			}
			_, left := told(t, r.Text("stderr"))
			gaps := strings.Count(r.Text("stderr"), "left out]")
			if gaps == 0 || shown+left != n+gaps { // the last of each gap is counted and shown
				t.Errorf("%d displays shown, %d said to be left out, of %d:\n%s", shown, left, n, r.Text("stderr"))
			}
			if !strings.HasPrefix(last, "2999.") {
				t.Errorf("the last display is %.10q", last)
			}
		})
	}
}

// States of a display may be skipped, the last one never; a Clear gives a cell its room back.
func TestUpdatesAndClears(t *testing.T) {
	k := kerneltest.Start(t, front.Config{Page: true})
	r := k.Execute("display first\nupdates 20000 100")
	updates, last := 0, ""
	for _, m := range r.IOPub {
		if m.Type == "update_display_data" {
			updates++
			last = m.Content["data"].(M)["text/plain"].(string)
		}
	}
	if updates > 10_000 || !strings.HasPrefix(last, "19999.") || r.Text("stderr") != "" {
		t.Errorf("%d updates, the last %.20q, notices %q", updates, last, r.Text("stderr"))
	}
	k = kerneltest.Start(t, front.Config{OutputLimit: 1000})
	r = k.Execute("flood 9 99\nclear\nflood 9 99\nclear wait\nprint end")
	if r.Text("stderr") != "" || !strings.HasSuffix(r.Text("stdout"), "end\n") {
		t.Errorf("an animation is cut off: %s", r.Text("stderr"))
	}
	// What a goroutine prints after its cell's end and over the limit is told, though not at once.
	r = k.Execute("flood 10 99\nlater 50ms " + strings.Repeat("x", 200))
	k.Client.Next("notice", func(m kerneltest.Message) bool {
		s, _ := m.Content["text"].(string)
		return m.Type == "stream" && m.ParentID() == r.ID && strings.Contains(s, "1 line (201 bytes) of text left out")
	})
}
