"""Parameters of papermill in Go notebooks.

papermill writes the parameters that it is given into a cell after the one tagged "parameters", and knows some languages for that; Go is
not among them. After

    pip install ./install/papermill

it writes Go:

    papermill in.ipynb out.ipynb -p eps 0.5 -p name Ada

A parameter that the tagged cell declares is assigned to, so it keeps its type: with eps := 0.1 there, -p eps 1 is the float 1.
Others are declared: numbers as int or float64, lists as slices, and dicts as maps of strings, of the type of their values if they are alike, else of any.
"""

import json
import math
import re

from papermill.engines import NBClientEngine
from papermill.translators import Translator, papermill_translators

try:
    from papermill.models import Parameter
except ImportError:  # older papermill
    Parameter = None

_DECLARED = re.compile(r"^(?:(?P<kind>var|const)[ \t]+)?(?P<name>[A-Za-z_]\w*)(?P<type>[ \t]+[^=:/]+?)?[ \t]*(?::=|=)[ \t]*(?P<value>.*?)[ \t]*(?://[ \t]*(?P<help>.*))?$")
_TYPES = [(re.compile(r'^["`]'), "string"), (re.compile(r"^(true|false)$"), "bool"), (re.compile(r"^[-+]?\d[\d_]*$"), "int"),
          (re.compile(r"^[-+]?[\d.][\d_.]*([eE][-+]?\d+)?$"), "float64")]


class GoTranslator(Translator):
    """Writes values as Go."""

    declared = {}  # what the parameters cell looked at last declares: name -> var or const

    @classmethod
    def translate_str(cls, val):
        # A JSON string is a Go string, but for surrogates, which are left as characters.
        return json.dumps(val, ensure_ascii=False).replace("\x7f", "\\x7f")

    @classmethod
    def translate_none(cls, val):
        return "any(nil)"

    @classmethod
    def translate_float(cls, val):
        if math.isnan(val):
            return "math.NaN()"
        if math.isinf(val):
            return f"math.Inf({1 if val > 0 else -1})"
        return repr(float(val))

    @classmethod
    def type_of(cls, values):
        """The type of elements that can hold all values."""
        kinds = {type(v) for v in values}
        if kinds == {int, float}:
            return "float64"
        if len(kinds) == 1:
            return {bool: "bool", int: "int", float: "float64", str: "string"}.get(kinds.pop(), "any")
        return "any"

    @classmethod
    def translate_list(cls, val):
        return f"[]{cls.type_of(val)}{{{', '.join(cls.translate(v) for v in val)}}}"

    @classmethod
    def translate_tuple(cls, val):
        return cls.translate_list(list(val))

    @classmethod
    def translate_dict(cls, val):
        items = ", ".join(f"{cls.translate_str(str(k))}: {cls.translate(v)}" for k, v in val.items())
        return f"map[string]{cls.type_of(list(val.values()))}{{{items}}}"

    @classmethod
    def comment(cls, cmt_str):
        return f"// {cmt_str}".strip()

    @classmethod
    def assign(cls, name, str_val):
        kind = cls.declared.get(name)
        if kind == "const":
            return f"const {name} = {str_val}"
        return f"{name} {'=' if kind else ':='} {str_val}"

    @classmethod
    def inspect(cls, parameters_cell):
        cls.declared = {}
        found = []
        for line in parameters_cell["source"].splitlines():
            m = _DECLARED.match(line)
            if not m or not (m["kind"] or ":=" in line):
                continue
            cls.declared[m["name"]] = m["kind"] or "var"
            kind = (m["type"] or "").strip() or next((t for r, t in _TYPES if r.match(m["value"])), "None")
            if Parameter:
                found.append(Parameter(name=m["name"], inferred_type_name=kind, default=m["value"], help=m["help"] or ""))
        return found


papermill_translators.register("go", GoTranslator)


class Engine(NBClientEngine):
    """papermill's own engine under another name: its entry point makes papermill import this module."""
