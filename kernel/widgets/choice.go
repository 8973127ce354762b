package widgets

import (
	"fmt"
	"slices"
	"strings"
)

// Choice is a widget with which one of several texts is chosen.
type Choice struct{ base }

// Value is the text that is chosen, "" for none.
func (w *Choice) Value() string {
	mu.Lock()
	defer mu.Unlock()
	return chosen(w.m)
}

// Index is the number of the text that is chosen, counted from 0; −1 for none.
func (w *Choice) Index() int {
	mu.Lock()
	defer mu.Unlock()
	if i, ok := w.m.state["index"].(int); ok {
		return i
	}
	return -1
}

// Set chooses a text. It panics where there is no such text.
func (w *Choice) Set(v string) {
	mu.Lock()
	defer mu.Unlock()
	i := slices.Index(w.m.state["_options_labels"].([]string), v)
	if i < 0 {
		fail("%s: Set: %v", w.m.class.name, noSuch(w.m, v))
	}
	w.m.assign("Choice.Set", map[string]any{"index": i})
}

// SetOptions replaces what there is to choose from. What was chosen stays chosen if it is still there, else the first is.
func (w *Choice) SetOptions(texts ...string) {
	if len(texts) == 0 {
		fail("%s: SetOptions: there is nothing to choose from", w.m.class.name)
	}
	mu.Lock()
	defer mu.Unlock()
	i := max2(slices.Index(texts, chosen(w.m)), 0)
	w.m.assign("Choice.SetOptions", map[string]any{"_options_labels": slices.Clone(texts), "index": i})
}

// OnChange calls f with the new text after changes, see the package comment for when.
func (w *Choice) OnChange(f func(v string)) {
	watchAttr(w.m, "index", func() string { return chosen(w.m) }, f)
}

func chosen(m *model) string {
	if i, ok := m.state["index"].(int); ok {
		return m.state["_options_labels"].([]string)[i]
	}
	return ""
}

func noSuch(m *model, v string) error {
	return fmt.Errorf("%q is not one of %s", v, clip(strings.Join(m.state["_options_labels"].([]string), ", "), 200))
}

// Choices is a widget with which several of several texts are chosen.
type Choices struct{ base }

// Value lists the texts that are chosen.
func (w *Choices) Value() []string {
	mu.Lock()
	defer mu.Unlock()
	return allChosen(w.m)
}

// Set chooses texts. It panics where there is no such text.
func (w *Choices) Set(v ...string) {
	mu.Lock()
	defer mu.Unlock()
	index := []int{}
	for _, s := range v {
		i := slices.Index(w.m.state["_options_labels"].([]string), s)
		if i < 0 {
			fail("%s: Set: %v", w.m.class.name, noSuch(w.m, s))
		}
		index = append(index, i)
	}
	w.m.assign("Choices.Set", map[string]any{"index": index})
}

// OnChange calls f with the new texts after changes, see the package comment for when.
func (w *Choices) OnChange(f func(v []string)) {
	watchAttr(w.m, "index", func() []string { return allChosen(w.m) }, f)
}

func allChosen(m *model) []string {
	labels := m.state["_options_labels"].([]string)
	out := []string{}
	for _, i := range m.state["index"].([]int) {
		out = append(out, labels[i])
	}
	return out
}

// checkChoice checks indices.
func checkChoice(m *model, attr string, v any) error {
	labels, _ := m.state["_options_labels"].([]string)
	within := func(i int) error {
		if i < 0 || i >= len(labels) {
			return fmt.Errorf("there is no choice %d; there are %d, counted from 0", i, len(labels))
		}
		return nil
	}
	switch attr {
	case "index":
		switch v := v.(type) {
		case int:
			return within(v)
		case []int:
			for _, i := range v {
				if err := within(i); err != nil {
					return err
				}
			}
		}
	case "_options_labels":
		if len(labels) == 0 {
			return fmt.Errorf("there is nothing to choose from")
		}
		return checkChoice(m, "index", m.state["index"])
	}
	return nil
}

func choice(c *class, texts []string, opts []Option) *Choice {
	if len(texts) == 0 {
		fail("%s: there is nothing to choose from", c.name)
	}
	return &Choice{base{build(c, checkChoice, attrs{"_options_labels": slices.Clone(texts), "index": 0}, opts)}}
}

// Dropdown is a menu. The first of texts is chosen at first.
func Dropdown(texts []string, options ...Option) *Choice { return choice(dropdown, texts, options) }

// RadioButtons is a list with a button for each text. The first of texts is chosen at first.
func RadioButtons(texts []string, options ...Option) *Choice {
	return choice(radioButtons, texts, options)
}

// ToggleButtons is a row of buttons, one of which is down. The first of texts is chosen at first.
func ToggleButtons(texts []string, options ...Option) *Choice {
	return choice(toggleButtons, texts, options)
}

// Select is a list of several lines. The first of texts is chosen at first.
func Select(texts []string, options ...Option) *Choice { return choice(selectBox, texts, options) }

// SelectionSlider is a slider over texts. The first of them is chosen at first.
func SelectionSlider(texts []string, options ...Option) *Choice {
	return choice(selectionSlider, texts, options)
}

// SelectMultiple is a list in which several texts can be chosen; at first none is.
func SelectMultiple(texts []string, options ...Option) *Choices {
	return &Choices{base{build(selectMultiple, checkChoice, attrs{"_options_labels": slices.Clone(texts)}, options)}}
}
