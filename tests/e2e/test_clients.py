"""The installed kernel through nbclient, nbconvert, jupyter console and "godp run"."""

import copy
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT = pathlib.Path(__file__).resolve().parents[2]
GODP = str(ROOT / "build" / "godp")
NOTEBOOKS = sorted((ROOT / "notebooks").glob("[0-9][0-9]-*.ipynb"))


def execute(*cells, **kw):
    """Executes cells in a new notebook and returns it."""
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    NotebookClient(nb, kernel_name="godp", timeout=120, **kw).execute()
    return nb


def plain(text):
    return re.sub("\x1b\\[[0-9;]*m", "", text)


class Clients(unittest.TestCase):
    def test_state_values_and_streams(self):
        nb = execute(
            "x := 41\nfunc double(n int) int { return 2 * n }",
            "x++\ndouble(x)",
            'fmt.Println("out")\nfmt.Fprintln(os.Stderr, "err")\nfmt.Println("again")',
            'display.Table([]struct{ Name string; N int }{{"<i>", 1}})',
            "p := plot.New()\np",
        )
        out = [c.outputs for c in nb.cells]
        self.assertEqual(out[0], [])
        self.assertEqual(out[1][0].data["text/plain"], "84")
        self.assertEqual([(o.name, o.text) for o in out[2]], [("stdout", "out\n"), ("stderr", "err\n"), ("stdout", "again\n")])
        self.assertIn("&lt;i&gt;", out[3][0].data["text/html"])
        self.assertEqual(len(out[3]), 1)
        self.assertTrue(out[4][0].data["image/svg+xml"].lstrip().startswith("<?xml"))
        self.assertTrue(out[4][0].data["image/png"].startswith("iVBOR"))

    def test_errors_have_a_place(self):
        nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("a := 1\nb := a + undefinedName")])
        with self.assertRaises(CellExecutionError):
            NotebookClient(nb, kernel_name="godp", timeout=120).execute()
        (error,) = nb.cells[0].outputs
        text = plain("\n".join(error.traceback))
        self.assertIn("In[1]:2:10: undefined: undefinedName", text)
        line, caret = text.split("\n")[1:3]
        self.assertEqual(line[caret.index("^"):], "undefinedName")

    def test_ten_thousand_lines(self):
        nb = execute('for i := range 10000 {\n\tfmt.Println("line", i)\n}')
        text = "".join(o.text for o in nb.cells[0].outputs)
        self.assertEqual(text, "".join(f"line {i}\n" for i in range(10000)))

    def test_a_dying_worker_is_replaced(self):
        nb = execute(
            "m := map[int]int{}\nfor range 8 {\n\tgo func() {\n\t\tfor i := 0; ; i++ {\n\t\t\tm[i%100] = i\n\t\t}\n\t}()\n}\ntime.Sleep(20 * time.Second)",
            "1 + 1",
            allow_errors=True,
        )
        error = [o for o in nb.cells[0].outputs if o.output_type == "error"]
        self.assertIn("concurrent map", error[0].evalue)
        self.assertEqual(nb.cells[1].outputs[-1].data["text/plain"], "2")

    def test_widgets_are_kept(self):
        cells = ['s := widgets.IntSlider(3, 0, 10)\ns.OnChange(func(v int) { fmt.Println("now", v) })\ns', "widgets.Interact(func(x float64) any { return x * x })\ns.Set(7)", "s.Value()"]
        nb = execute(*cells)
        view = nb.cells[0].outputs[0].data["application/vnd.jupyter.widget-view+json"]
        self.assertEqual(nb.cells[2].outputs[0].data["text/plain"], "7")

        def check(metadata, view):
            kept = metadata["widgets"]["application/vnd.jupyter.widget-state+json"]
            self.assertEqual((kept["version_major"], kept["version_minor"]), (2, 0))
            state = kept["state"]
            self.assertEqual(state[view["model_id"]]["state"]["value"], 7)
            self.assertEqual(state[view["model_id"]]["model_name"], "IntSliderModel")
            (outputs,) = [m["state"]["outputs"] for m in state.values() if m["model_name"] == "OutputModel"]
            self.assertEqual(outputs[0]["data"]["text/plain"], "0.25")
            for m in state.values():  # what the state refers to is there
                for v in m["state"].values():
                    for ref in v if isinstance(v, list) else [v]:
                        if isinstance(ref, str) and ref.startswith("IPY_MODEL_"):
                            self.assertIn(ref[len("IPY_MODEL_"):], state)

        check(nb.metadata, view)
        with tempfile.TemporaryDirectory() as d:  # and without Jupyter
            pathlib.Path(d, "w.go").write_text("\n// %%\n".join(["", *cells]))
            r = subprocess.run([GODP, "run", "-o", "w.ipynb", "w.go"], cwd=d, capture_output=True, text=True, timeout=300)
            self.assertEqual(r.returncode, 0, r.stderr)
            own = nbformat.read(os.path.join(d, "w.ipynb"), as_version=4)
            nbformat.validate(own)
            check(own.metadata, own.cells[0].outputs[0].data["application/vnd.jupyter.widget-view+json"])
            r = subprocess.run([sys.executable, "-m", "nbconvert", "--to", "html", "w.ipynb"], cwd=d, capture_output=True, text=True, timeout=300)
            self.assertEqual(r.returncode, 0, r.stderr)
            self.assertIn("IntSliderModel", pathlib.Path(d, "w.html").read_text())

    def test_nbconvert_fails_with_the_notebook(self):
        with tempfile.TemporaryDirectory() as d:
            nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell('panic("on purpose")')])
            nb.metadata.kernelspec = {"name": "godp", "display_name": "Go", "language": "go"}
            nbformat.write(nb, os.path.join(d, "x.ipynb"))
            r = subprocess.run([sys.executable, "-m", "nbconvert", "--execute", "--to", "html", "x.ipynb"], cwd=d, capture_output=True, text=True, timeout=300)
            self.assertNotEqual(r.returncode, 0)
            self.assertIn("on purpose", r.stderr)

    def test_console(self):
        r = subprocess.run([sys.executable, "-m", "jupyter_console", "--kernel", "godp", "--simple-prompt"], input='fmt.Println("from", "console")\n6 * 7\nexit\n',
                           capture_output=True, text=True, timeout=300)
        self.assertIn("from console", r.stdout)
        self.assertIn("42", r.stdout)

    def test_run_without_jupyter(self):
        with tempfile.TemporaryDirectory() as d:
            def run(name, text, *flags):
                path = os.path.join(d, name)
                pathlib.Path(path).write_text(text)
                r = subprocess.run([GODP, "run", *flags, path], capture_output=True, text=True, timeout=300, cwd=d)
                self.assertEqual(pathlib.Path(path).read_text(), text, "the source was touched")
                return r

            r = run("ok.go", "// %%\nx := 20\n// %%\nfmt.Println(x)\nx + 1\n", "-o", "ok.ipynb")
            self.assertEqual((r.returncode, r.stdout, r.stderr), (0, "20\n21\n", ""))
            nb = nbformat.read(os.path.join(d, "ok.ipynb"), as_version=4)
            nbformat.validate(nb)
            self.assertEqual(nb.cells[1].outputs[1].data["text/plain"], "21")

            r = run("bad.go", "x := 1\n---\nx.y\n---\nfmt.Println(\"never\")\n")
            self.assertEqual((r.returncode, r.stdout), (1, ""))
            self.assertIn("In[2]:1:", r.stderr)
            self.assertNotIn("\x1b", r.stderr)

            r = run("not.ipynb", "hello")
            self.assertEqual(r.returncode, 1)
            self.assertIn("not a notebook", r.stderr)


def kinds(cell):
    """What a cell shows, but for numbers that noise changes and words about data sets that are not on this machine."""
    return {(o.output_type, *sorted(o.get("data", {}))) for o in cell.outputs if o.output_type != "stream"}


class Notebooks(unittest.TestCase):
    """Every notebook of the project runs in Jupyter as it was committed, and the first one without Jupyter too."""

    def test_there_are_notebooks(self):
        self.assertTrue(NOTEBOOKS)

    def test_run_the_first(self):
        first = NOTEBOOKS[0]
        r = subprocess.run([GODP, "run", first.name], cwd=first.parent, capture_output=True, text=True, timeout=900)
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertTrue(r.stdout.strip())

    def check(self, path):
        nb = nbformat.read(path, as_version=4)
        nbformat.validate(nb)
        for c in nb.cells:
            if c.cell_type == "code" and c.source.strip():
                self.assertIsNotNone(c.execution_count, "committed without outputs: run it and save it")
        # A cell that is to fail is tagged raises-exception; any other error fails the test here.
        done = copy.deepcopy(nb)
        NotebookClient(done, kernel_name="godp", timeout=600, resources={"metadata": {"path": str(path.parent)}}).execute()
        for before, after in zip(nb.cells, done.cells):
            if before.cell_type == "code":
                self.assertEqual(kinds(before), kinds(after), "this cell shows something else than what was committed:\n" + before.source)


def add(path):
    setattr(Notebooks, "test_" + re.sub(r"\W", "_", path.stem), lambda self: self.check(path))


for p in NOTEBOOKS:
    add(p)

if __name__ == "__main__":
    unittest.main()
