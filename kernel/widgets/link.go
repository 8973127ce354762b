package widgets

import (
	"fmt"

	"example.org/godp/kernel/comm"
)

// Link keeps the values of two widgets equal, beginning with that of a. It works in the kernel; [JsLink] does so in the
// browser, without a kernel. Values that the other widget cannot have stop at its door. The values must be of one kind.
func Link(a, b Widget) {
	x, y := valued("Link", a), valued("Link", b)
	if k, l := x.class.attrs[x.class.value].kind, y.class.attrs[y.class.value].kind; k != l {
		fail("Link: the value of %s is %v, that of %s %v", x.class.name, k, y.class.name, l)
	}
	mu.Lock()
	defer mu.Unlock()
	join := func(from, to *model) func(uint64) {
		return func(parent uint64) {
			if to.gone {
				return
			}
			if err := to.change(parent, map[string]any{to.class.value: from.state[from.class.value]}); err != nil {
				comm.Log(fmt.Sprintf("widgets: a link to %s: %v", to.class.name, err))
			}
		}
	}
	if err := y.change(0, map[string]any{y.class.value: x.state[x.class.value]}); err != nil {
		fail("Link: %s: %v", y.class.name, err)
	}
	x.links = append(x.links, join(x, y))
	y.links = append(y.links, join(y, x))
}

// JsLink keeps the values of two widgets equal in the browser, also in a page without a kernel.
func JsLink(a, b Widget) { jsLink("JsLink", link, a, b) }

// JsDLink makes the value of b follow that of a in the browser, also in a page without a kernel.
func JsDLink(a, b Widget) { jsLink("JsDLink", dlink, a, b) }

func jsLink(what string, c *class, a, b Widget) {
	x, y := valued(what, a), valued(what, b)
	end := func(m *model) []string { return []string{prefix + m.id, m.class.value} }
	build(c, nil, attrs{"source": end(x), "target": end(y)}, nil)
}

func valued(what string, w Widget) *model {
	m := modelOf(what, w)
	if m.class.value == "" {
		fail("%s: %s has no value", what, m.class.a())
	}
	return m
}
