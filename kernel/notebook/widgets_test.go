package notebook

import (
	"context"
	"encoding/json"
	"testing"

	"example.org/godp/kernel/worker/protocol"
)

// scripted is a kernel whose cells send comm messages.
type scripted map[string][]protocol.Message

func (k scripted) Execute(_ context.Context, _ int, code string, show func(protocol.Message)) (*protocol.Failure, error) {
	for _, m := range k[code] {
		show(m)
	}
	return nil, nil
}

func TestWidgetState(t *testing.T) {
	comm := func(op protocol.CommOp, id, data string, buffers ...[]byte) protocol.Message {
		return &protocol.Comm{Op: op, CommID: id, Target: "jupyter.widget", Data: []byte(data), Buffers: buffers}
	}
	k := scripted{
		"a": {
			comm(protocol.CommOpen, "l", `{"state":{"_model_name":"LayoutModel","_model_module":"@jupyter-widgets/base","_model_module_version":"2.0.0","width":null,"height":"1em"}}`),
			comm(protocol.CommOpen, "s", `{"state":{"_model_name":"IntSliderModel","_model_module":"@jupyter-widgets/controls","_model_module_version":"2.0.0","value":3,"tooltip":null}}`),
			comm(protocol.CommOpen, "gone", `{"state":{"_model_name":"M"}}`),
			&protocol.Comm{Op: protocol.CommOpen, CommID: "other", Target: "mine", Data: []byte(`{"state":{"_model_name":"M"}}`)},
		},
		"b": {
			comm(protocol.CommMsg, "s", `{"method":"update","state":{"value":4,"image":null},"buffer_paths":[["image"]]}`, []byte("old")),
			comm(protocol.CommMsg, "s", `{"method":"update","state":{"image":null},"buffer_paths":[["image"]]}`, []byte("new")),
			comm(protocol.CommMsg, "s", `{"method":"echo_update","state":{"value":9}}`),
			comm(protocol.CommMsg, "unknown", `{"method":"update","state":{"value":9}}`),
			comm(protocol.CommMsg, "s", `7`),
			comm(protocol.CommClose, "gone", ``),
		},
		"": {comm(protocol.CommMsg, "s", `{"method":"update","state":{"value":5}}`)}, // a handler after the last cell
	}
	nb, err := Parse([]byte(`{"cells":[{"cell_type":"code","metadata":{},"source":"a","outputs":[],"execution_count":null},{"cell_type":"code","metadata":{},"source":"b","outputs":[],"execution_count":null}],
		"metadata":{"kept":1,"widgets":{"old":{}}},"nbformat":4,"nbformat_minor":5}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := nb.Run(t.Context(), k, Options{}); err != nil {
		t.Fatal(err)
	}
	want := `{"kept":1,"widgets":{"application/vnd.jupyter.widget-state+json":{"state":{` +
		`"l":{"model_name":"LayoutModel","model_module":"@jupyter-widgets/base","model_module_version":"2.0.0","state":{"_model_module":"@jupyter-widgets/base","_model_module_version":"2.0.0","_model_name":"LayoutModel","height":"1em"}},` +
		`"s":{"model_name":"IntSliderModel","model_module":"@jupyter-widgets/controls","model_module_version":"2.0.0","state":{"_model_module":"@jupyter-widgets/controls","_model_module_version":"2.0.0","_model_name":"IntSliderModel","image":null,"tooltip":null,"value":5},` +
		`"buffers":[{"encoding":"base64","path":["image"],"data":"bmV3"}]}},"version_major":2,"version_minor":0}}}`
	if got := string(nb.fields["metadata"]); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	// A run without widgets leaves none behind.
	if err := nb.Run(t.Context(), scripted{}, Options{}); err != nil {
		t.Fatal(err)
	}
	var meta map[string]json.RawMessage
	json.Unmarshal(nb.fields["metadata"], &meta)
	if len(meta) != 1 || string(meta["kept"]) != "1" {
		t.Errorf("%s", nb.fields["metadata"])
	}
}
