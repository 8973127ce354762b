"""papermill on the installed kernel, and its parameters in Go."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import nbformat

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "install" / "papermill"))

import papermill  # noqa: E402


def notebook(*cells, tags=("parameters",)):
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    nb.metadata.kernelspec = {"name": "godp", "display_name": "Go", "language": "go"}
    nb.cells[0].metadata["tags"] = list(tags)
    return nb


class Papermill(unittest.TestCase):
    def run_with(self, nb, **parameters):
        with tempfile.TemporaryDirectory() as d:
            nbformat.write(nb, f"{d}/in.ipynb")
            return papermill.execute_notebook(f"{d}/in.ipynb", f"{d}/out.ipynb", parameters=parameters, progress_bar=False)

    def text(self, cell):
        return "".join(o.get("text", "") or o.get("data", {}).get("text/plain", "") for o in cell.outputs)

    def test_without_parameters(self):
        out = self.run_with(notebook("x := 1", "x + 1"))
        self.assertEqual(self.text(out.cells[1]), "2")

    def test_errors_fail(self):
        with self.assertRaises(papermill.PapermillExecutionError) as e:
            self.run_with(notebook('panic("on purpose")'))
        self.assertIn("on purpose", str(e.exception))

    def test_parameters_in_go(self):
        import godp_papermill  # noqa: F401

        nb = notebook('eps := 0.1 // privacy\nname := "x"\nconst k = 3\nvar n int = 4',
                      'fmt.Println(eps/2, name, k, n)\nfmt.Printf("%T %v|%T %v|%T %v|%T %v|%v", xs, xs, m, m, mixed, mixed, some, some, flag)')
        out = self.run_with(nb, eps=1, name='A"d\\a\nü😀', k=7, n=9, xs=[1, 2.5], m={"a": 1}, mixed=["a", 1, None], some=2.0, flag=True)
        injected = out.cells[1]
        self.assertIn("injected-parameters", injected.metadata.tags)
        self.assertEqual(self.text(out.cells[2]), '0.5 A"d\\a\nü😀 7 9\n[]float64 [1 2.5]|map[string]int map[a:1]|[]interface {} [a 1 <nil>]|float64 2|true')

    def test_plugin_is_found(self):
        """Without the package papermill says that it cannot write Go; pip install makes it find the package by its entry point."""
        code = "import papermill.translators as t; t.papermill_translators.find_translator('godp', 'go')"
        r = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
        self.assertIn("No parameter translator functions specified", r.stderr)
        with tempfile.TemporaryDirectory() as d:
            source = shutil.copytree(ROOT / "install" / "papermill", d + "/source", ignore=shutil.ignore_patterns("__pycache__"))
            subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", d, source], check=True, timeout=300)
            code = f"import sys; sys.path.insert(0, {d!r}); import papermill; {code}; print('found')"
            r = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
            self.assertEqual(r.stdout, "found\n", r.stderr)


if __name__ == "__main__":
    unittest.main()
