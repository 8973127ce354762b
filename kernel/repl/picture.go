package repl

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// pictures saves pictures to files, and shows them where the terminal can.
type pictures struct {
	dir    string
	inline bool
	n      int
}

var extensions = map[string]string{"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/svg+xml": ".svg"}

// show saves a picture and returns what is to be printed for it.
func (p *pictures) show(mime string, data []byte) string {
	if p.dir == "" {
		dir, err := os.MkdirTemp("", "godp-plots-")
		if err != nil {
			return fmt.Sprintf("(a picture that cannot be saved: %v)", err)
		}
		p.dir = dir
	}
	name := ""
	for { // pictures of an earlier session in the same folder stay
		p.n++
		name = filepath.Join(p.dir, fmt.Sprintf("plot-%d%s", p.n, extensions[mime]))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if os.IsExist(err) {
			continue
		}
		if err == nil {
			_, err = f.Write(data)
			f.Close()
		}
		if err != nil {
			return fmt.Sprintf("(a picture that cannot be saved: %v)", err)
		}
		break
	}
	text := "picture saved to " + name
	if p.inline && mime == "image/png" {
		text = inline(data, os.Getenv) + text
	}
	return text
}

// inline is a PNG as a control sequence of the terminals that have one: kitty's graphics protocol, and the one of iTerm2 and WezTerm.
func inline(png []byte, env func(string) string) string {
	b := base64.StdEncoding.EncodeToString(png)
	switch {
	case env("TMUX") != "": // it would swallow them
		return ""
	case env("KITTY_WINDOW_ID") != "" || env("TERM") == "xterm-kitty" || env("TERM_PROGRAM") == "ghostty":
		const size = 4096
		var s strings.Builder
		for i := 0; i < len(b); i += size {
			more := 0
			if i+size < len(b) {
				more = 1
			}
			head := fmt.Sprintf("m=%d", more)
			if i == 0 {
				head = "a=T,f=100," + head
			}
			fmt.Fprintf(&s, "\x1b_G%s;%s\x1b\\", head, b[i:min(i+size, len(b))])
		}
		return s.String() + "\n"
	case env("TERM_PROGRAM") == "iTerm.app" || env("TERM_PROGRAM") == "WezTerm":
		return fmt.Sprintf("\x1b]1337;File=inline=1;size=%d:%s\a\n", len(png), b)
	}
	return ""
}
