package dp

import (
	"fmt"
	"os"
	"path/filepath"
)

// DataDir is where downloaded data sets live: $GODP_DATA if set, else "godp/data" in the user's cache directory.
func DataDir() (string, error) {
	if d := os.Getenv("GODP_DATA"); d != "" {
		return d, nil
	}
	c, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("dp: no place for data sets: %w (set GODP_DATA)", err)
	}
	return filepath.Join(c, "godp", "data"), nil
}

// FindData returns the path of a data file such as "adult/adult.data". It looks in $GODP_DATA (and then nowhere else), in
// "data" and "shared/data" beside or above the working directory, and in the user's cache directory.
func FindData(name string) (string, error) {
	rel := filepath.FromSlash(name)
	var tried []string
	look := func(dir string) (string, bool) {
		p := filepath.Join(dir, rel)
		tried = append(tried, dir)
		st, err := os.Stat(p)
		return p, err == nil && !st.IsDir()
	}
	if env := os.Getenv("GODP_DATA"); env != "" {
		if p, ok := look(env); ok {
			return p, nil
		}
		return "", missingData(name, tried)
	}
	if wd, err := os.Getwd(); err == nil {
		for dir := wd; ; dir = filepath.Dir(dir) {
			for _, sub := range []string{"data", filepath.Join("shared", "data")} {
				if p, ok := look(filepath.Join(dir, sub)); ok {
					return p, nil
				}
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	if cache, err := DataDir(); err == nil {
		if p, ok := look(cache); ok {
			return p, nil
		}
	}
	return "", missingData(name, tried)
}

// MissingData is the error of a data set that is not on this machine.
type MissingData struct {
	Name  string
	Tried []string
}

func missingData(name string, tried []string) error { return &MissingData{Name: name, Tried: tried} }

func (e *MissingData) Error() string {
	return fmt.Sprintf("dp: the data set %s is not on this machine; run \"godp data fetch\" or set GODP_DATA to the directory that holds it (looked in %d places, last in %s)",
		e.Name, len(e.Tried), e.Tried[len(e.Tried)-1])
}

// locate resolves a loader's path argument: a file that exists is taken as it is, anything else by its known name.
func locate(path, known string) (string, error) {
	if path != "" {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
		if filepath.Base(path) != filepath.Base(known) || filepath.Dir(path) != "." && filepath.ToSlash(path) != known {
			return "", fmt.Errorf("dp: there is no file %s", path)
		}
	}
	return FindData(known)
}
