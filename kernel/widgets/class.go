package widgets

import (
	"fmt"
	"strings"
)

// class is a kind of model: its name in ipywidgets and its attributes with their defaults.
type class struct {
	name  string
	attrs map[string]attr
	style *class // of the style model, nil for none
	value string // the attribute that is the value, "" for none
}

// a is the name with its article.
func (c *class) a() string { return article(c.name) }

func article(name string) string {
	if strings.ContainsAny(name[:1], "aeiouAEIO") {
		return "an " + name
	}
	return "a " + name
}

type attr struct {
	kind  kind
	value any
}

type attrs = map[string]any // name -> default, or a kind with nil as its default

// of makes an attribute of a default: its kind follows from its type.
func of(v any) attr {
	switch v := v.(type) {
	case kind:
		return attr{kind: v}
	case bool:
		return attr{boolean, v}
	case int:
		return attr{integer, v}
	case float64:
		return attr{float, v}
	case string:
		return attr{text, v}
	case []string:
		return attr{texts, v}
	case []int:
		return attr{integers, v}
	case []float64:
		return attr{floats, v}
	case []*model:
		return attr{references, v}
	}
	panic(fmt.Sprintf("widgets: an attribute of type %T", v))
}

func newClass(name string, style *class, value, modelModule, modelVersion, model, viewModule, viewVersion string, view any, groups ...attrs) *class {
	c := &class{name: name, attrs: map[string]attr{}, style: style, value: value}
	for _, g := range groups {
		for k, v := range g {
			c.attrs[k] = of(v)
		}
	}
	for k, v := range map[string]string{"_model_module": modelModule, "_model_module_version": modelVersion, "_model_name": model, "_view_module": viewModule, "_view_module_version": viewVersion} {
		c.attrs[k] = attr{fixed, v}
	}
	c.attrs["_view_name"] = attr{fixed, view}
	c.attrs["_view_count"] = attr{intOrNull, nil}
	return c
}

// control makes the class of a widget of @jupyter-widgets/controls whose view has (but for "Model" and "View") the model's name.
func control(name string, style *class, value string, groups ...attrs) *class {
	return controlView(name, name, style, value, groups...)
}

func controlView(name, view string, style *class, value string, groups ...attrs) *class {
	groups = append([]attrs{dom}, groups...)
	if style != nil {
		groups = append(groups, attrs{"style": reference})
	}
	return newClass(name, style, value, controlsModule, controlsVersion, name+"Model", controlsModule, controlsVersion, view+"View", groups...)
}

func styleClass(name string, groups ...attrs) *class {
	return newClass(name, nil, "", controlsModule, controlsVersion, name+"Model", baseModule, baseVersion, "StyleView", groups...)
}

// Groups of attributes.
var (
	dom       = attrs{"_dom_classes": []string{}, "layout": reference, "tabbable": boolOrNull, "tooltip": textOrNull}
	described = attrs{"description": "", "description_allow_html": false}
	disabled  = attrs{"disabled": false}
	slider    = attrs{"behavior": "drag-tap", "continuous_update": true, "orientation": "horizontal", "readout": true, "disabled": false}
	intRange  = attrs{"min": 0, "max": 100}
	fltRange  = attrs{"min": 0.0, "max": 100.0}
	progress  = attrs{"bar_style": "", "orientation": "horizontal"}
	options   = attrs{"_options_labels": []string{}, "disabled": false}
	font      = attrs{"font_family": textOrNull, "font_size": textOrNull, "font_style": textOrNull, "font_variant": textOrNull, "font_weight": textOrNull, "text_color": textOrNull, "text_decoration": textOrNull}
	written   = attrs{"background": textOrNull, "font_size": textOrNull, "text_color": textOrNull}
	wide      = attrs{"description_width": ""}
	field     = attrs{"value": "", "placeholder": "\u200b"}
	typed     = attrs{"continuous_update": true, "disabled": false}
	box       = attrs{"box_style": "", "children": []*model{}}
	pages     = attrs{"titles": []string{}, "selected_index": intOrNull}
)

// Styles.
var (
	descriptionStyle   = styleClass("DescriptionStyle", wide)
	sliderStyle        = styleClass("SliderStyle", wide, attrs{"handle_color": textOrNull})
	progressStyle      = styleClass("ProgressStyle", wide, attrs{"bar_color": textOrNull})
	checkboxStyle      = styleClass("CheckboxStyle", wide, attrs{"background": textOrNull})
	toggleButtonStyle  = styleClass("ToggleButtonStyle", wide, font)
	toggleButtonsStyle = styleClass("ToggleButtonsStyle", wide, attrs{"button_width": "", "font_weight": ""})
	textStyle          = styleClass("TextStyle", wide, written)
	htmlStyle          = styleClass("HTMLStyle", wide, written)
	htmlMathStyle      = styleClass("HTMLMathStyle", wide, written)
	labelStyle         = styleClass("LabelStyle", wide, written, font)
	buttonStyle        = styleClass("ButtonStyle", font, attrs{"button_color": textOrNull})
)

// Widgets.
var (
	intSlider      = control("IntSlider", sliderStyle, "value", described, slider, intRange, attrs{"value": 0, "step": 1, "readout_format": "d"})
	intText        = control("IntText", descriptionStyle, "value", described, disabled, attrs{"value": 0, "step": 1, "continuous_update": false})
	boundedIntText = controlView("BoundedIntText", "IntText", descriptionStyle, "value", described, disabled, intRange, attrs{"value": 0, "step": 1, "continuous_update": false})
	intProgress    = controlView("IntProgress", "Progress", progressStyle, "value", described, progress, intRange, attrs{"value": 0})
	intRangeSlider = control("IntRangeSlider", sliderStyle, "value", described, slider, intRange, attrs{"value": []int{25, 75}, "step": 1, "readout_format": "d"})
	play           = control("Play", descriptionStyle, "value", described, disabled, intRange, attrs{"value": 0, "step": 1, "interval": 100, "playing": false, "repeat": false, "show_repeat": true})

	floatSlider      = control("FloatSlider", sliderStyle, "value", described, slider, fltRange, attrs{"value": 0.0, "readout_format": ".2f", "step": floatOrNull})
	floatLogSlider   = control("FloatLogSlider", sliderStyle, "value", described, slider, fltRange, attrs{"value": 1.0, "base": 10.0, "readout_format": ".3g", "step": floatOrNull})
	floatText        = control("FloatText", descriptionStyle, "value", described, disabled, attrs{"value": 0.0, "step": floatOrNull, "continuous_update": false})
	boundedFloatText = controlView("BoundedFloatText", "FloatText", descriptionStyle, "value", described, disabled, fltRange, attrs{"value": 0.0, "step": floatOrNull, "continuous_update": false})
	floatProgress    = controlView("FloatProgress", "Progress", progressStyle, "value", described, progress, fltRange, attrs{"value": 0.0})
	floatRangeSlider = control("FloatRangeSlider", sliderStyle, "value", described, slider, fltRange, attrs{"value": []float64{25, 75}, "readout_format": ".2f", "step": floatOrNull})

	dropdown        = control("Dropdown", descriptionStyle, "index", described, options, attrs{"index": intOrNull})
	radioButtons    = control("RadioButtons", descriptionStyle, "index", described, options, attrs{"index": intOrNull, "orientation": "vertical"})
	toggleButtons   = control("ToggleButtons", toggleButtonsStyle, "index", described, options, attrs{"index": intOrNull, "button_style": "", "icons": []string{}, "tooltips": []string{}})
	selectBox       = control("Select", descriptionStyle, "index", described, options, attrs{"index": intOrNull, "rows": 5})
	selectionSlider = control("SelectionSlider", sliderStyle, "index", described, options, slider, attrs{"index": intOrNull})
	selectMultiple  = control("SelectMultiple", descriptionStyle, "index", described, options, attrs{"index": []int{}, "rows": 5})

	checkbox     = control("Checkbox", checkboxStyle, "value", described, disabled, attrs{"value": false, "indent": true})
	toggleButton = control("ToggleButton", toggleButtonStyle, "value", described, disabled, attrs{"value": false, "button_style": "", "icon": ""})
	valid        = control("Valid", descriptionStyle, "value", described, disabled, attrs{"value": false, "readout": "Invalid"})

	textLine = control("Text", textStyle, "value", described, field, typed)
	textarea = control("Textarea", textStyle, "value", described, field, typed, attrs{"rows": intOrNull})
	password = control("Password", textStyle, "value", described, field, typed)
	label    = control("Label", labelStyle, "value", described, field)
	htmlText = control("HTML", htmlStyle, "value", described, field)
	htmlMath = control("HTMLMath", htmlMathStyle, "value", described, field)

	button = control("Button", buttonStyle, "", disabled, attrs{"description": "", "button_style": "", "icon": ""})

	hbox      = control("HBox", nil, "", box)
	vbox      = control("VBox", nil, "", box)
	plainBox  = control("Box", nil, "", box)
	gridBox   = control("GridBox", nil, "", box)
	accordion = control("Accordion", nil, "selected_index", box, pages)
	tab       = control("Tab", nil, "selected_index", box, pages)

	output = newClass("Output", nil, "", outputModule, outputVersion, "OutputModel", outputModule, outputVersion, "OutputView", dom, attrs{"msg_id": "", "outputs": anything})

	link  = newClass("Link", nil, "", controlsModule, controlsVersion, "LinkModel", controlsModule, controlsVersion, nil, attrs{"source": anything, "target": anything})
	dlink = newClass("DirectionalLink", nil, "", controlsModule, controlsVersion, "DirectionalLinkModel", controlsModule, controlsVersion, nil, attrs{"source": anything, "target": anything})
)
