package debug

import (
	"encoding/binary"
	"strconv"
)

// HashSeed is the seed of [Murmur2] that names a cell's source, the one of other kernels.
const HashSeed = 0xc70f6907

// Murmur2 is the 32 bit MurmurHash2 (Appleby, 2008) of data: what clients compute to find the path of a cell's source.
func Murmur2(data []byte, seed uint32) uint32 {
	const m = 0x5bd1e995
	h := seed ^ uint32(len(data))
	for ; len(data) >= 4; data = data[4:] {
		k := binary.LittleEndian.Uint32(data) * m
		k ^= k >> 24
		h = h*m ^ k*m
	}
	switch len(data) {
	case 3:
		h ^= uint32(data[2]) << 16
		fallthrough
	case 2:
		h ^= uint32(data[1]) << 8
		fallthrough
	case 1:
		h ^= uint32(data[0])
		h *= m
	}
	h ^= h >> 13
	h *= m
	return h ^ h>>15
}

// Path is the name under which clients know the source of a cell: nothing is stored there.
func (d *Debugger) Path(text string) string {
	return d.Prefix + strconv.FormatUint(uint64(Murmur2([]byte(text), HashSeed)), 10) + Suffix
}

// Suffix ends the path of a cell's source.
const Suffix = ".go"
