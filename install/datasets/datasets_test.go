package datasets

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFetch(t *testing.T) {
	const content = "1,2,3\n"
	sum := sha256.Sum256([]byte(content))
	asked := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		switch r.URL.Path {
		case "/set/good":
			w.Write([]byte(content))
		case "/set/long":
			w.Write(make([]byte, 1000))
		case "/set/wrong":
			w.Write([]byte("something else"))
		default:
			http.NotFound(w, r)
		}
	}))
	defer srv.Close()
	dir := t.TempDir()
	file := func(path string) File {
		return File{Set: "set", Name: "f.data", SHA256: hex.EncodeToString(sum[:]), Max: 100, Path: "set/" + path}
	}
	left := func() (names []string) {
		es, _ := os.ReadDir(filepath.Join(dir, "set"))
		for _, e := range es {
			names = append(names, e.Name())
		}
		return names
	}
	for path, want := range map[string]string{
		"missing": "404 Not Found\nWithout a connection: get the file in another way and put it at " + filepath.Join(dir, "set", "f.data"),
		"wrong":   "not the file expected (14 bytes",
		"long":    "more than 100 bytes",
	} {
		if _, err := file(path).Fetch(t.Context(), srv.URL, dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", path, err, want)
		}
		if l := left(); len(l) > 0 {
			t.Errorf("%s: left behind: %v", path, l)
		}
	}
	f := file("good")
	if err := f.Check(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before: %v", err)
	}
	if fetched, err := f.Fetch(t.Context(), srv.URL, dir); !fetched || err != nil {
		t.Fatalf("fetched %v, %v", fetched, err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "set", "f.data")); string(b) != content || err != nil {
		t.Errorf("content %q, %v", b, err)
	}
	before := asked
	if fetched, err := f.Fetch(t.Context(), srv.URL, dir); fetched || err != nil || asked != before {
		t.Errorf("the second time: fetched %v, %v", fetched, err)
	}
	os.WriteFile(f.File(dir), []byte("damaged"), 0o644)
	if err := f.Check(dir); err == nil || !strings.Contains(err.Error(), "is not the file expected") {
		t.Errorf("damaged: %v", err)
	}
	if fetched, err := f.Fetch(t.Context(), srv.URL, dir); !fetched || err != nil || f.Check(dir) != nil {
		t.Errorf("a damaged file is not replaced: %v, %v", fetched, err)
	}
	srv.Close()
	os.Remove(f.File(dir))
	if _, err := f.Fetch(t.Context(), srv.URL, dir); err == nil || !strings.Contains(err.Error(), "Without a connection") {
		t.Errorf("offline: %v", err)
	}
}

func TestDir(t *testing.T) {
	t.Setenv("GODP_DATA", "/some/where")
	if d, err := Dir(); d != "/some/where" || err != nil {
		t.Errorf("%s, %v", d, err)
	}
	t.Setenv("GODP_DATA", "")
	t.Setenv("HOME", "/home/x")
	t.Setenv("XDG_CACHE_HOME", "")
	if d, err := Dir(); filepath.Base(filepath.Dir(d)) != "godp" || err != nil {
		t.Errorf("%s, %v", d, err)
	}
}
