"""Records what ipywidgets says over its comms: python record.py > ipywidgets.json, with ipywidgets and ipykernel installed.

Each case makes a widget in a real kernel, then plays the client. Model ids are replaced by #0, #1, ... in the order of the opens.
"""

import json
import re
import sys

from jupyter_client.manager import start_new_kernel

CASES = {
    "IntSlider": "w.IntSlider(3, 0, 10)",
    "IntSlider options": "w.IntSlider(3, 0, 10, step=2, description='n', orientation='vertical', readout=False, readout_format='.1f', continuous_update=False, disabled=True, tooltip='a tip', layout=w.Layout(width='20em', grid_area='a'), style=dict(description_width='initial', handle_color='red'))",
    "IntText": "w.IntText(3)",
    "BoundedIntText": "w.BoundedIntText(3, 0, 10)",
    "IntProgress": "w.IntProgress(3, 0, 10, bar_style='info', style=dict(bar_color='green'))",
    "IntRangeSlider": "w.IntRangeSlider(value=(2, 5), min=0, max=10)",
    "Play": "w.Play(0, 0, 10, interval=200)",
    "FloatSlider": "w.FloatSlider(0.5, min=0, max=1)",
    "FloatLogSlider": "w.FloatLogSlider(0.1, min=-2, max=1)",
    "FloatText": "w.FloatText(2.5)",
    "BoundedFloatText": "w.BoundedFloatText(2.5, min=0, max=10)",
    "FloatProgress": "w.FloatProgress(2.5, min=0, max=10)",
    "FloatRangeSlider": "w.FloatRangeSlider(value=(0.25, 0.5), min=0, max=1)",
    "Dropdown": "w.Dropdown(options=['a', 'b'], value='b')",
    "RadioButtons": "w.RadioButtons(options=['a', 'b'])",
    "ToggleButtons": "w.ToggleButtons(options=['a', 'b'])",
    "Select": "w.Select(options=['a', 'b'])",
    "SelectionSlider": "w.SelectionSlider(options=['a', 'b'])",
    "SelectMultiple": "w.SelectMultiple(options=['a', 'b', 'c'], index=[0, 2])",
    "Checkbox": "w.Checkbox(True)",
    "ToggleButton": "w.ToggleButton(False, description='on')",
    "Valid": "w.Valid(True)",
    "Text": "w.Text('a')",
    "Textarea": "w.Textarea('a')",
    "Password": "w.Password(value='a')",
    "Label": "w.Label('a')",
    "HTML": "w.HTML('<b>a</b>')",
    "HTMLMath": "w.HTMLMath('$a$')",
    "Button": "w.Button(description='go', button_style='success', icon='check', style=dict(button_color='blue'))",
    "Output": "w.Output()",
    "HBox": "w.HBox([w.Label('a'), w.Label('b')])",
    "VBox": "w.VBox([w.Label('a')])",
    "Box": "w.Box([w.Label('a')])",
    "GridBox": "w.GridBox([w.Label('a')], layout=w.Layout(grid_template_columns='1fr 1fr'))",
    "Accordion": "w.Accordion([w.Label('a')], titles=['A'])",
    "Tab": "w.Tab([w.Label('a'), w.Label('b')], titles=['A', 'B'], selected_index=1)",
    "JsLink": "w.jslink((w.IntSlider(1, 0, 10), 'value'), (w.IntText(1), 'value'))",
    "JsDLink": "w.jsdlink((w.IntSlider(1, 0, 10), 'value'), (w.IntText(1), 'value'))",
}

# What the client or the kernel does then: case -> steps. A dict is the data of a comm_msg for the widget, a string is code.
STEPS = {
    "IntSlider": [{"method": "update", "state": {"value": 7}, "buffer_paths": []}, {"method": "request_state"}, "x.value = 4",
                  "x.max = 20; x.description = 'n'", "x.layout.width = '3em'", "x.style.handle_color = 'blue'", "x.close()"],
    "FloatRangeSlider": [{"method": "update", "state": {"value": [0.1, 0.9]}, "buffer_paths": []}, "x.value = (0, 1)"],
    "Dropdown": [{"method": "update", "state": {"index": 0}, "buffer_paths": []}, "x.value = 'b'"],
    "SelectMultiple": [{"method": "update", "state": {"index": [1]}, "buffer_paths": []}, "x.value = ('a',)"],
    "Text": [{"method": "update", "state": {"value": "b"}, "buffer_paths": []}, "x.value = 'c'"],
    "Button": [{"method": "custom", "content": {"event": "click"}}],
    "VBox": ["x.children = x.children + (w.Label('b'),)"],
    "Tab": [{"method": "update", "state": {"selected_index": 0}, "buffer_paths": []}],
}

km, kc = start_new_kernel(kernel_name="python3")
kc.wait_for_ready()
ids = {}


def name(text):
    def one(m):
        return ids.get(m.group(0), m.group(0))
    return re.sub(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}|[0-9a-f]{32}", one, text)


def collect(msg_id):
    out = []
    while True:
        m = kc.get_iopub_msg(timeout=30)
        if m["parent_header"].get("msg_id") != msg_id:
            continue
        if m["msg_type"] == "status" and m["content"]["execution_state"] == "idle":
            return json.loads(name(json.dumps(out)))
        if m["msg_type"] == "comm_open":
            ids[m["content"]["comm_id"]] = "#%d" % len(ids)
        if m["msg_type"].startswith("comm_"):
            r = {"type": m["msg_type"], "content": m["content"]}
            if m["metadata"]:
                r["metadata"] = m["metadata"]
            if m.get("buffers"):
                r["buffers"] = len(m["buffers"])
            out.append(r)
        elif m["msg_type"] == "error":
            sys.exit("\n".join(m["content"]["traceback"]))
        elif m["msg_type"] == "execute_result":
            out.append({"type": m["msg_type"], "content": m["content"]})


def run(code):
    return collect(kc.execute(code))


def comm(kind, comm_id, data, **more):
    msg = kc.session.msg("comm_" + kind, {"comm_id": comm_id, "data": data, **more}, metadata={"version": "2.1.0"} if kind == "msg" else {"version": "1.0.0"})
    kc.shell_channel.send(msg)
    return collect(msg["header"]["msg_id"])


run("import ipywidgets as w")
record = {}
for case, code in CASES.items():
    ids.clear()
    entry = {"open": run("x = " + code), "steps": []}
    (model,) = run("x.model_id")[-1:]
    entry["model"] = model["content"]["data"]["text/plain"].strip("'")
    model = next(k for k, v in ids.items() if v == entry["model"])
    for step in STEPS.get(case, []):
        got = run(step) if isinstance(step, str) else comm("msg", model, step)
        entry["steps"].append({"do": step, "get": got})
    record[case] = entry

ids.clear()
run("w.Widget.close_all()\nx = w.Label('a')")
control = "f" * 32
record["control"] = {"open": comm("open", control, {}, target_name="jupyter.widget.control"), "steps": [{"do": {"method": "request_states"}, "get": comm("msg", control, {"method": "request_states"})}]}
record["unknown target"] = {"open": comm("open", "e" * 32, {}, target_name="nobody"), "steps": []}
ids.clear()
record["view"] = {"open": run("w.Label('a')"), "steps": []}
version = run("w.__version__")[0]["content"]["data"]["text/plain"].strip("'")
kc.stop_channels()
km.shutdown_kernel(now=True)
json.dump({"ipywidgets": version, "cases": record}, sys.stdout, indent=1, sort_keys=True, ensure_ascii=False)
print()
