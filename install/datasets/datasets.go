// Package datasets fetches the public data sets of the notebooks, checks them, and knows where they are kept.
package datasets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// File is one file of a data set.
type File struct {
	Set    string // "adult" or "kdd", the folder it is kept in
	Name   string
	SHA256 string
	Max    int64  // bytes, an upper bound
	Path   string // below the archive's address
}

// Archive is where the files come from: the UCI Machine Learning Repository.
const Archive = "https://archive.ics.uci.edu/ml/machine-learning-databases"

// Files lists all files. Adult: Becker and Kohavi (1996), doi 10.24432/C5XW20. KDD Cup 1999: Hettich and Bay, doi
// 10.24432/C51C7N. Both CC BY 4.0.
var Files = []File{
	{"adult", "adult.data", "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d", 8 << 20, "adult/adult.data"},
	{"adult", "adult.test", "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05", 8 << 20, "adult/adult.test"},
	{"adult", "adult.names", "c248284c0b5de30c9e1958d6cdd168a34a654758b620e68f46aefa83fc0a576a", 1 << 20, "adult/adult.names"},
	{"kdd", "kddcup.data_10_percent.gz", "8045aca0d84e70e622d1148d7df782496f6333bf6eb979a1b0837c42a9fd9561", 16 << 20, "kddcup99-mld/kddcup.data_10_percent.gz"},
}

// Dir is where the files are kept: $GODP_DATA, else godp/data in the user's cache folder.
func Dir() (string, error) {
	if d := os.Getenv("GODP_DATA"); d != "" {
		return d, nil
	}
	c, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for the data: %w; name one in GODP_DATA", err)
	}
	return filepath.Join(c, "godp", "data"), nil
}

// File returns where the file is kept below dir.
func (f File) File(dir string) string { return filepath.Join(dir, f.Set, f.Name) }

// Check returns nil if the file is there and is the one expected, an error that wraps fs.ErrNotExist if it is not
// there, and another error if it is damaged.
func (f File) Check(dir string) error {
	r, err := os.Open(f.File(dir))
	if err != nil {
		return err
	}
	defer r.Close()
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return err
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != f.SHA256 {
		return fmt.Errorf("%s is not the file expected: its SHA-256 is %s instead of %s", f.File(dir), got, f.SHA256)
	}
	return nil
}

// Fetch downloads the file from archive into dir unless it is there already. Nothing that fails its check is kept.
func (f File) Fetch(ctx context.Context, archive, dir string) (fetched bool, err error) {
	err = f.Check(dir)
	if err == nil {
		return false, nil
	}
	if _, unreadable := err.(*fs.PathError); unreadable && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	url := archive + "/" + f.Path
	manual := fmt.Sprintf("\nWithout a connection: get the file in another way and put it at %s", f.File(dir))
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false, fmt.Errorf("fetching %s: %w%s", f.Name, err, manual)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return false, fmt.Errorf("fetching %s: the server says %s%s", url, resp.Status, manual)
	}
	if err := os.MkdirAll(filepath.Join(dir, f.Set), 0o755); err != nil {
		return false, err
	}
	tmp, err := os.CreateTemp(filepath.Join(dir, f.Set), ".fetch-*")
	if err != nil {
		return false, err
	}
	defer os.Remove(tmp.Name()) // fails once it has been renamed
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(tmp, h), io.LimitReader(resp.Body, f.Max+1))
	if err := errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err != nil {
		return false, fmt.Errorf("fetching %s: %w%s", url, err, manual)
	}
	if n > f.Max {
		return false, fmt.Errorf("fetching %s: more than %d bytes came, which is not the file expected", url, f.Max)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != f.SHA256 {
		return false, fmt.Errorf("fetching %s: not the file expected (%d bytes with SHA-256 %s instead of %s); nothing was kept%s", url, n, got, f.SHA256, manual)
	}
	return true, os.Rename(tmp.Name(), f.File(dir))
}
