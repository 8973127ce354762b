package widgets

import "fmt"

// Container is a widget that holds others.
type Container struct{ base }

// SetChildren replaces the widgets in the box.
func (w *Container) SetChildren(children ...Widget) {
	list := modelsOf(w.m.class.name, children)
	mu.Lock()
	defer mu.Unlock()
	w.m.assign("Container.SetChildren", map[string]any{"children": list})
}

// Selected is the open page of [Tab] and [Accordion], counted from 0; −1 for none, and in other boxes.
func (w *Container) Selected() int {
	mu.Lock()
	defer mu.Unlock()
	if i, ok := w.m.state["selected_index"].(int); ok {
		return i
	}
	return -1
}

// OnSelect calls f with the page that is opened in [Tab] and [Accordion], −1 for none.
func (w *Container) OnSelect(f func(page int)) {
	if w.m.class.value == "" {
		fail("%s: OnSelect: it has no pages", w.m.class.name)
	}
	watchAttr(w.m, "selected_index", func() int {
		if i, ok := w.m.state["selected_index"].(int); ok {
			return i
		}
		return -1
	}, f)
}

func modelsOf(what string, ws []Widget) []*model {
	list := make([]*model, len(ws))
	for i, w := range ws {
		list[i] = modelOf(what, w)
	}
	return list
}

func checkPages(m *model, attr string, v any) error {
	children, _ := m.state["children"].([]*model)
	if i, ok := v.(int); ok && attr == "selected_index" && (i < 0 || i >= len(children)) {
		return fmt.Errorf("there is no page %d; there are %d, counted from 0", i, len(children))
	}
	return nil
}

func container(c *class, children []Widget) *Container {
	return &Container{base{build(c, checkPages, attrs{"children": modelsOf(c.name, children)}, nil)}}
}

// HBox puts widgets side by side.
func HBox(children ...Widget) *Container { return container(hbox, children) }

// VBox puts widgets below each other.
func VBox(children ...Widget) *Container { return container(vbox, children) }

// Box holds widgets; its [Layout] says how they are placed.
func Box(children ...Widget) *Container { return container(plainBox, children) }

// GridBox holds widgets in a grid; GridTemplateColumns of its [Layout] says what columns there are.
func GridBox(children ...Widget) *Container { return container(gridBox, children) }

// Accordion holds pages one of which is open. Configure gives them [Titles].
func Accordion(children ...Widget) *Container { return container(accordion, children) }

// Tab holds pages with tabs. Configure gives them [Titles].
func Tab(children ...Widget) *Container {
	w := container(tab, children)
	if len(children) > 0 {
		w.Configure(Selected(0))
	}
	return w
}

// With is Configure for a box that is being made: widgets.HBox(a, b).With(widgets.Look("info")).
func (w *Container) With(options ...Option) *Container {
	w.Configure(options...)
	return w
}
