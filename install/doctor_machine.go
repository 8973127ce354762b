package install

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"example.org/godp/install/datasets"
)

// little is the free space, in bytes, below which saving a notebook may fail soon.
const little = 50 << 20

// folders sees whether Jupyter can write its connection files, and the kernel its own.
func (d *Doctor) folders() {
	dir := os.Getenv("JUPYTER_RUNTIME_DIR")
	if dir == "" {
		data, err := UserDataDir()
		if err != nil {
			d.fail("the user has no home folder: "+err.Error(), "set HOME or JUPYTER_DATA_DIR")
			return
		}
		dir = filepath.Join(data, "runtime")
	}
	d.folder("connection files", dir, "chown it to yourself, or set JUPYTER_RUNTIME_DIR to a folder that you may write to", d.fail)
	d.folder("temporary files", os.TempDir(), "chmod 1777 it, or set TMPDIR to a folder that you may write to", d.fail)
	for _, what := range slices.Sorted(maps.Keys(d.Folders)) {
		d.folder(what, d.Folders[what], "chown it to yourself", d.note)
	}
}

// folder sees whether a folder can be written to, or made if it is not there.
func (d *Doctor) folder(what, dir, do string, problem func(text, do string)) {
	existing := dir
	for {
		if _, err := os.Stat(existing); err == nil || existing == filepath.Dir(existing) {
			break
		}
		existing = filepath.Dir(existing)
	}
	err := d.sys.write(existing)
	switch {
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		problem(fmt.Sprintf("%s cannot be written to %s: the disk or your share of it is full: %v", what, dir, err), "make room (df -h "+existing+" and df -i tell how much there is)")
		return
	case errors.Is(err, syscall.EROFS):
		problem(fmt.Sprintf("%s cannot be written to %s: it is mounted read-only", what, dir), do)
		return
	case errors.Is(err, fs.ErrPermission):
		problem(fmt.Sprintf("%s cannot be written to %s: permission denied (you are user %d)", what, dir, os.Getuid()), do)
		return
	case err != nil:
		problem(fmt.Sprintf("%s cannot be written to %s: %v", what, dir, err), do)
		return
	}
	if free, ok := d.sys.free(existing); ok && free < little {
		d.note(fmt.Sprintf("only %d MiB are free in %s", free>>20, existing), "make room before notebooks cannot be saved")
		return
	}
	d.ok("%s can be written to %s", what, dir)
}

// tryWrite writes and removes a file. It asks the disk for the space, which an empty file would not.
func tryWrite(dir string) error {
	f, err := os.CreateTemp(dir, ".godp-doctor-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, 64<<10))
	return errors.Join(err, f.Sync(), f.Close())
}

// freeSpace is what an ordinary user can still write there.
func freeSpace(dir string) (bytes uint64, ok bool) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil || st.Blocks == 0 { // some file systems do not count
		return 0, false
	}
	return uint64(st.Bavail) * uint64(st.Bsize), true
}

// ports sees whether the five sockets of a kernel can be opened, and whether what is sent to them arrives.
func (d *Doctor) ports() {
	for range 5 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			d.fail("no port can be opened on 127.0.0.1: "+err.Error(), "a sandbox or the firewall forbids it; Jupyter can use files instead: jupyter lab --KernelManager.transport=ipc")
			return
		}
		defer l.Close()
		go func() {
			if c, err := l.Accept(); err == nil {
				io.Copy(c, c)
				c.Close()
			}
		}()
		if err := d.echo(l.Addr().String()); err != nil {
			d.fail("a port on 127.0.0.1 cannot be reached: "+err.Error(), "allow connections of this machine with itself (interface lo) in the firewall, and take 127.0.0.1 out of any proxy or VPN; or: jupyter lab --KernelManager.transport=ipc")
			return
		}
	}
	d.ok("five ports can be opened on 127.0.0.1")
}

func (d *Doctor) echo(address string) error {
	c, err := d.sys.dial(address)
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(2 * time.Second))
	if _, err := c.Write([]byte("beat")); err != nil {
		return err
	}
	b := make([]byte, 4)
	if _, err := io.ReadFull(c, b); err != nil {
		return fmt.Errorf("it can be opened, but nothing gets through: %w", err)
	}
	return nil
}

// data sees whether the public data sets of the notebooks are here.
func (d *Doctor) data() {
	dir, err := datasets.Dir()
	if err != nil {
		d.note(err.Error(), "the notebooks use stand-ins without them")
		return
	}
	missing := map[string]bool{}
	for _, f := range datasets.Files {
		switch err := f.Check(dir); {
		case errors.Is(err, fs.ErrNotExist):
			missing[f.Set] = true
		case errors.Is(err, fs.ErrPermission):
			d.note(fmt.Sprintf("the data set %s is there but cannot be read: %v", f.Set, err), "chown it to yourself, or remove it and godp data fetch "+f.Set)
		case err != nil:
			d.note(fmt.Sprintf("the data set %s is damaged: %v", f.Set, err), "godp data fetch "+f.Set)
		}
	}
	for _, set := range slices.Sorted(maps.Keys(missing)) {
		d.ok("the data set %s is not in %s; the notebooks use a stand-in (to get it: godp data fetch %s)", set, dir, set)
	}
	if len(missing) == 0 {
		d.ok("the data sets are looked for in %s", dir)
	}
}
