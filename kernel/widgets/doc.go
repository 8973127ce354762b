// Package widgets has the widgets of ipywidgets 8: sliders, menus, buttons, text fields, boxes. They are shown by the widget
// manager of JupyterLab, Notebook, VS Code and nbconvert, to which they speak ipywidgets' own protocol.
//
//	eps := widgets.FloatLogSlider(0.1, 0.01, 10, widgets.Description("ε"))
//	eps.OnChange(func(v float64) { fmt.Println("ε is now", v) })
//	eps
//
// A function makes a widget and has its name in ipywidgets; the type of the result says what the widget's value is: [Int], [Float],
// [Bool], [String], [Choice], … A widget is on the page wherever it is shown, as often as it is shown, and all its views and
// Value agree. [Interact] makes the widgets for the parameters of a function and calls it whenever one is moved.
//
// # When handlers run
//
// The value of a widget follows the page at once, also while a cell runs, so a loop in a cell can read Value. Handlers (OnChange,
// OnClick, the function of Interact) are functions of cells and use their variables. They run between cells, one after the other, never
// beside a cell or each other, so they need no locks. A handler that is slower than the changes misses some of them but never
// the last one. A running cell that wants handlers to run calls [Poll]. An interrupt stops the handler that runs. What a handler prints, and
// its failure, comes under the cell that registered it.
//
// # Errors
//
// An argument that makes no sense (a value out of range, an unknown choice, a function whose parameters no widget can set) is a
// panic whose text says what is wrong and what to do, and fails the cell. What a client sends is checked in the same way: a wrong value is
// logged, not taken over, and the client is sent the right one.
package widgets

// Versions of the protocol and of the packages in the browser, as ipywidgets 8.1 has them.
const (
	protocolVersion = "2.1.0"
	controlVersion  = "1.0.0"
	baseModule      = "@jupyter-widgets/base"
	baseVersion     = "2.0.0"
	controlsModule  = "@jupyter-widgets/controls"
	controlsVersion = "2.0.0"
	outputModule    = "@jupyter-widgets/output"
	outputVersion   = "1.0.0"
)

// Targets of the comms.
const (
	widgetTarget  = "jupyter.widget"
	controlTarget = "jupyter.widget.control"
)
