package history

import (
	"database/sql"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite" // The C code of SQLite as Go: 4 MB of program, 12 ms to open, 2 MB resident once it is open. The other port without C, which runs WebAssembly, costs 0.8 s and 65 MB.
	codes "modernc.org/sqlite/lib"
)

// The tables are IPython's, without the column that holds the cell as Python: what is typed here is what is run.
const schema = `
CREATE TABLE IF NOT EXISTS sessions (session INTEGER PRIMARY KEY AUTOINCREMENT, start TIMESTAMP, end TIMESTAMP, num_cmds INTEGER, remark TEXT);
CREATE TABLE IF NOT EXISTS history (session INTEGER, line INTEGER, source TEXT, PRIMARY KEY (session, line));
CREATE TABLE IF NOT EXISTS output_history (session INTEGER, line INTEGER, output TEXT, PRIMARY KEY (session, line));
`

const (
	writeDelay   = 200 * time.Millisecond // how long a cell waits for others to be written with
	busyFor      = 5 * time.Second        // how long another kernel's write is waited for
	busyTries    = 12                     // and how often again
	closeBusyFor = 300 * time.Millisecond // the same for the last write
	maxOutput    = 64 << 10               // results with more bytes of text are not kept
	memoryKept   = 4 << 20                // of this session's cells are kept in memory too, in bytes of text
)

// sqliteHistory is a History in a file that several kernels use at once. Cells are written some time after they have run, in
// one transaction for several. Where the file cannot be used, it says so in the log, once, and this session's cells are kept in memory.
//
// The file has a rollback journal, not a write-ahead log: homes are often on network file systems, where the latter does not work.
type sqliteHistory struct {
	path string
	log  func(format string, a ...any)
	now  *memory // this session's cells, for when there is no file

	mu      sync.Mutex // for the fields below; never held while the file is used
	pending []record
	timer   bool // a write will come
	failed  bool // the file is of no use
	closed  bool

	file     sync.Mutex // for the fields below and all use of the file
	db       *sql.DB
	session  int // 0 until the first write
	tries    int // writes in a row that found the file busy
	commands int
	busy     time.Duration // how long another kernel's write is waited for
	pages    int           // for tests: the largest file, in pages
}

// record is a cell or its output, on its way to the file.
type record struct {
	line   int
	text   string
	output bool
}

// NewSQLite returns the History in the file at path, which is made when there is something to write.
func NewSQLite(path string, log func(format string, a ...any)) History {
	return newSQLite(path, log)
}

func newSQLite(path string, log func(format string, a ...any)) *sqliteHistory {
	return &sqliteHistory{path: path, log: log, now: &memory{session: 1, limit: memoryKept}, busy: busyFor}
}

func (h *sqliteHistory) Add(line int, input string) {
	h.now.Add(line, input)
	h.queue(record{line, input, false})
}

func (h *sqliteHistory) SetOutput(line int, output string) {
	h.now.SetOutput(line, output)
	if len(output) <= maxOutput {
		h.queue(record{line, output, true})
	}
}

func (h *sqliteHistory) queue(r record) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failed || h.closed {
		return
	}
	h.pending = append(h.pending, r)
	h.schedule(writeDelay)
}

// schedule lets what is pending be written soon. mu is held.
func (h *sqliteHistory) schedule(d time.Duration) {
	if !h.timer {
		h.timer = true
		time.AfterFunc(d, func() {
			h.mu.Lock()
			h.timer = false
			h.mu.Unlock()
			h.file.Lock()
			defer h.file.Unlock()
			h.flush()
		})
	}
}

// flush writes what is pending. It reports whether the file can be read. h.file is held.
func (h *sqliteHistory) flush() bool {
	h.mu.Lock()
	records, failed := h.pending, h.failed || h.closed
	h.pending = nil
	h.mu.Unlock()
	if failed {
		return false
	}
	err := h.open()
	if err == nil && len(records) > 0 {
		err = h.write(records)
	}
	var e *sqlite.Error
	switch {
	case err == nil:
		h.tries = 0
		return true
	case errors.As(err, &e) && (e.Code()&0xff == codes.SQLITE_BUSY || e.Code()&0xff == codes.SQLITE_LOCKED) && h.tries < busyTries:
		h.tries++
		h.mu.Lock()
		h.pending = append(records, h.pending...)
		h.schedule(busyFor)
		h.mu.Unlock()
		return h.db != nil
	}
	h.fail(err)
	return false
}

// fail gives the file up. h.file is held.
func (h *sqliteHistory) fail(err error) {
	h.mu.Lock()
	h.failed, h.pending = true, nil
	h.mu.Unlock()
	if h.db != nil {
		h.db.Close()
		h.db = nil
	}
	h.log("history: the file %s cannot be used (%v): the cells of this session are kept in memory only. "+
		"Make the file writable, or move it away to begin a new one; the environment variable %s can name another, or say off", h.path, err, Variable)
}

// open opens the file where it is not open. h.file is held.
func (h *sqliteHistory) open() error {
	if h.db != nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		return err
	}
	// Cells can hold secrets: nobody else reads them. SQLite gives its journal the permissions of the file.
	f, err := os.OpenFile(h.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	f.Close()
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {fmt.Sprintf("busy_timeout(%d)", h.busy.Milliseconds()), "synchronous(normal)"}}
	if h.pages > 0 {
		q.Add("_pragma", fmt.Sprintf("max_page_count(%d)", h.pages))
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: h.path, RawQuery: q.Encode()}).String())
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(schema); err != nil {
		db.Close()
		return err
	}
	h.db = db
	return nil
}

// write writes records in one transaction, and the session before the first. h.file is held.
func (h *sqliteHistory) write(records []record) error {
	tx, err := h.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after the commit
	session, commands := h.session, h.commands
	if session == 0 {
		r, err := tx.Exec(`INSERT INTO sessions (start) VALUES (?)`, time.Now().UTC().Format(time.DateTime))
		if err != nil {
			return err
		}
		id, err := r.LastInsertId()
		if err != nil {
			return err
		}
		session = int(id)
	}
	for _, r := range records {
		q := `INSERT OR REPLACE INTO history (session, line, source) VALUES (?, ?, ?)`
		if r.output {
			q = `INSERT OR REPLACE INTO output_history (session, line, output) VALUES (?, ?, ?)`
		} else {
			commands++
		}
		if _, err := tx.Exec(q, session, r.line, r.text); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	h.session, h.commands = session, commands
	return nil
}

const columns = `SELECT session, line, source, output FROM history LEFT JOIN output_history USING (session, line) `

// query reads cells from the file, after what is pending was written. It reports false when the file cannot be used.
func (h *sqliteHistory) query(q string, args ...any) ([]Entry, bool) {
	h.file.Lock()
	defer h.file.Unlock()
	if !h.flush() {
		return nil, false
	}
	found, err := h.read(q, args...)
	if err != nil {
		h.fail(err)
		return nil, false
	}
	return found, true
}

// read reads cells. h.file is held.
func (h *sqliteHistory) read(q string, args ...any) (found []Entry, err error) {
	rows, err := h.db.Query(q, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var e Entry
		var out sql.NullString
		if err := rows.Scan(&e.Session, &e.Line, &e.Input, &out); err != nil {
			return nil, err
		}
		e.Output, e.HasOut = out.String, out.Valid
		found = append(found, e)
	}
	return found, rows.Err()
}

// number is that of this session in the file; where nothing was written yet, the one that it would get.
func (h *sqliteHistory) number() (n int) {
	h.file.Lock()
	defer h.file.Unlock()
	if h.flush() && h.session == 0 {
		h.db.QueryRow(`SELECT COALESCE(MAX(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'sessions'`).Scan(&n)
		return n
	}
	return max(h.session, 1)
}

func (h *sqliteHistory) Tail(n int) []Entry {
	if n <= 0 {
		return nil
	}
	found, ok := h.query(columns+`ORDER BY session DESC, line DESC LIMIT ?`, n)
	if !ok {
		return h.now.Tail(n)
	}
	slices.Reverse(found)
	return found
}

func (h *sqliteHistory) Range(session, start, stop int) []Entry {
	number, end := session, stop
	if session <= 0 {
		number += h.number()
	}
	if stop <= 0 {
		end = math.MaxInt
	}
	found, ok := h.query(columns+`WHERE session = ? AND line >= ? AND line < ? ORDER BY line`, number, start, end)
	if !ok {
		return h.now.Range(session, start, stop)
	}
	return found
}

func (h *sqliteHistory) Search(pattern string, n int, unique bool) []Entry {
	glob, limit := "*", -1
	if pattern != "" {
		glob = strings.ReplaceAll(pattern, "[", "[[]") // the Jupyter protocol knows * and ? only
	}
	if n > 0 {
		limit = n
	}
	q := columns + `WHERE source GLOB ? `
	if unique { // SQLite takes the other columns from the row with the maximum
		q = `SELECT session, line, source, output
			FROM (SELECT session, line, source, MAX(session * 4294967296 + line) FROM history WHERE source GLOB ? GROUP BY source)
			LEFT JOIN output_history USING (session, line) `
	}
	found, ok := h.query(q+`ORDER BY session DESC, line DESC LIMIT ?`, glob, limit)
	if !ok {
		return h.now.Search(pattern, n, unique)
	}
	slices.Reverse(found)
	return found
}

// Close writes what is pending, without waiting long for other kernels, and closes the file.
func (h *sqliteHistory) Close() error {
	h.file.Lock()
	defer h.file.Unlock()
	h.busy = closeBusyFor
	if h.db != nil {
		h.db.Exec(fmt.Sprintf(`PRAGMA busy_timeout = %d`, h.busy.Milliseconds()))
	}
	h.mu.Lock()
	unused := len(h.pending) == 0 && h.session == 0
	h.mu.Unlock()
	if !unused && h.flush() && h.session > 0 {
		h.db.Exec(`UPDATE sessions SET end = ?, num_cmds = ? WHERE session = ?`, time.Now().UTC().Format(time.DateTime), h.commands, h.session)
	}
	h.mu.Lock()
	h.closed = true
	if len(h.pending) > 0 {
		h.log("history: the file %s is busy: the last %d entries are not in it", h.path, len(h.pending))
	}
	h.mu.Unlock()
	if h.db == nil {
		return nil
	}
	err := h.db.Close()
	h.db = nil
	return err
}
