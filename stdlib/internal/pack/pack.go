// Package pack is the archive format of the generated data: many small named blobs in one embeddable file, each deflated on
// its own, so that reading one costs neither the decompression nor the memory of the others.
//
// Layout: the magic line, a uvarint count, then for each blob in name order its name (uvarint length and bytes), packed
// length and raw length (uvarints); then the packed blobs, one after another in the same order. The same input gives the same bytes.
package pack

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

const magic = "godp pack 1\n"

// Write packs the named blobs.
func Write(blobs map[string][]byte) ([]byte, error) {
	var head, body bytes.Buffer
	head.WriteString(magic)
	head.Write(binary.AppendUvarint(nil, uint64(len(blobs))))
	for _, name := range slices.Sorted(maps.Keys(blobs)) {
		start := body.Len()
		w, err := flate.NewWriter(&body, flate.BestCompression)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(blobs[name]); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
		head.Write(binary.AppendUvarint(nil, uint64(len(name))))
		head.WriteString(name)
		head.Write(binary.AppendUvarint(nil, uint64(body.Len()-start)))
		head.Write(binary.AppendUvarint(nil, uint64(len(blobs[name]))))
	}
	return append(head.Bytes(), body.Bytes()...), nil
}

// entry locates one blob in the packed bytes.
type entry struct{ start, packed, raw int }

// Archive reads blobs out of packed bytes. It is safe for concurrent use.
type Archive struct {
	data  string
	index map[string]entry
}

var errCorrupt = errors.New("pack: the archive is corrupt; run go generate ./stdlib")

// Open reads the index of an archive written by Write. Cost: proportional to the number of blobs, not to their size.
func Open(data string) (*Archive, error) {
	rest, ok := strings.CutPrefix(data, magic)
	if !ok {
		return nil, errCorrupt
	}
	next := func() int {
		var v uint64
		for i := 0; i < len(rest) && i < binary.MaxVarintLen64; i++ {
			v |= uint64(rest[i]&0x7f) << (7 * i)
			if rest[i] < 0x80 {
				rest = rest[i+1:]
				if v > uint64(1<<40) {
					return -1
				}
				return int(v)
			}
		}
		return -1
	}
	n := next()
	if n < 0 || n > len(rest) {
		return nil, errCorrupt
	}
	type named struct {
		name string
		entry
	}
	all := make([]named, 0, n)
	start := 0
	for range n {
		l := next()
		if l < 0 || l > len(rest) {
			return nil, errCorrupt
		}
		name := rest[:l]
		rest = rest[l:]
		e := entry{start, next(), next()}
		if e.packed < 0 || e.raw < 0 || e.packed > len(data) {
			return nil, errCorrupt
		}
		start += e.packed
		all = append(all, named{name, e})
	}
	if start != len(rest) {
		return nil, errCorrupt
	}
	a := &Archive{data: rest, index: make(map[string]entry, n)}
	for _, e := range all {
		a.index[e.name] = e.entry
	}
	return a, nil
}

// Has reports whether the archive holds a blob of that name.
func (a *Archive) Has(name string) bool {
	_, ok := a.index[name]
	return ok
}

// Names returns the names of all blobs in order.
func (a *Archive) Names() []string { return slices.Sorted(maps.Keys(a.index)) }

// Read unpacks one blob.
func (a *Archive) Read(name string) ([]byte, error) {
	e, ok := a.index[name]
	if !ok {
		return nil, fmt.Errorf("pack: no blob %q", name)
	}
	// The length in the index is checked against what the stream really holds, never trusted for an allocation beyond deflate's limit.
	if e.raw > e.packed*1040+64 {
		return nil, errCorrupt
	}
	r := flate.NewReader(strings.NewReader(a.data[e.start : e.start+e.packed]))
	raw := make([]byte, e.raw)
	if _, err := io.ReadFull(r, raw); err != nil {
		return nil, fmt.Errorf("pack: blob %q: %w", name, errCorrupt)
	}
	if n, _ := r.Read(make([]byte, 1)); n != 0 {
		return nil, fmt.Errorf("pack: blob %q: %w", name, errCorrupt)
	}
	return raw, nil
}
