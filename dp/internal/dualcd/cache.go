package dualcd

// Cache keeps rows of the kernel matrix, least recently used out first, within a limit of bytes. It always has room for
// two rows, whatever the limit, because a step needs two.
type Cache struct {
	n    int
	fill func(i int, dst []float64, known func(j int) (float64, bool))
	slot []int32 // slot of row i, or -1
	row  []int32 // row in a slot
	buf  [][]float64
	prev []int32 // doubly linked list of slots, most recent at head
	next []int32
	head int32
	tail int32
	max  int

	Hits, Misses int
}

// NewCache keeps at most limit bytes of rows of length n, each made by fill, which may ask for entries (i, j) that are known because row j is
// kept: worth it for kernels that are slow to evaluate.
func NewCache(n int, limit int64, fill func(i int, dst []float64, known func(j int) (float64, bool))) *Cache {
	c := &Cache{n: n, fill: fill, slot: make([]int32, n), head: -1, tail: -1}
	for i := range c.slot {
		c.slot[i] = -1
	}
	rows := limit / (8 * int64(n))
	c.max = int(min(max(rows, 2), int64(n)))
	return c
}

// Row returns row i. The slice is valid until two other rows have been asked for.
func (c *Cache) Row(i int) []float64 {
	if s := c.slot[i]; s >= 0 {
		c.Hits++
		c.touch(s)
		return c.buf[s]
	}
	c.Misses++
	var s int32
	if len(c.buf) < c.max {
		s = int32(len(c.buf))
		c.buf = append(c.buf, make([]float64, c.n))
		c.row = append(c.row, 0)
		c.prev, c.next = append(c.prev, -1), append(c.next, -1)
		c.push(s)
	} else {
		s = c.tail
		c.slot[c.row[s]] = -1
		c.touch(s)
	}
	c.fill(i, c.buf[s], func(j int) (float64, bool) {
		if t := c.slot[j]; t >= 0 {
			return c.buf[t][i], true
		}
		return 0, false
	})
	c.row[s], c.slot[i] = int32(i), s
	return c.buf[s]
}

func (c *Cache) push(s int32) {
	c.prev[s], c.next[s] = -1, c.head
	if c.head >= 0 {
		c.prev[c.head] = s
	}
	c.head = s
	if c.tail < 0 {
		c.tail = s
	}
}

func (c *Cache) touch(s int32) {
	if c.head == s {
		return
	}
	p, n := c.prev[s], c.next[s]
	c.next[p] = n
	if n >= 0 {
		c.prev[n] = p
	} else {
		c.tail = p
	}
	c.push(s)
}
