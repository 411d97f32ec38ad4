# SPDX-License-Identifier: Apache-2.0
"""Graphs: read from hone's text form, or made a line at a time."""

import ctypes
import hashlib
import os
import re
import tempfile
from ctypes import c_char_p, c_void_p

from . import arrays, native
from .errors import InvalidError
from .model import Model
from .types import DType, parse_type

# What the library puts before what is wrong with a line.
_PLACE = re.compile(r"\Aline:1:\d+: ")

_KIND = ("int", "float", "string", "ints", "floats", "element")    # enum hone_attribute_kind


def quote(text):
    """TEXT as a string of the text form."""
    return '"' + "".join(chr(c) if 32 <= c < 127 and c not in b'"\\' else f"\\x{c:02x}" if c not in b'"\\'
                         else "\\" + chr(c) for c in text.encode()) + '"'


def attribute_text(kind, value):
    """VALUE as an attribute of KIND, of _KIND."""
    if kind == "int":
        return str(int(value))
    if kind == "float":
        return repr(float(value))
    if kind == "string":
        return quote(value)
    if kind == "element":
        return (value if isinstance(value, DType) else DType(value)).name
    values = list(value) if hasattr(value, "__iter__") else [value]
    if kind == "ints":
        return "[" + ", ".join(str(v.__index__()) for v in values) + "]"
    return "floats [" + ", ".join(repr(float(v)) for v in values) + "]"


class Graph:
    """A graph: Graph.parse(text) or Graph.read(path), or what @hone.function traced. Not changed once it is there."""

    def __init__(self, name, pointer):
        self.name = name
        self.pointer = pointer

    def __del__(self):
        if self.pointer:
            native.lib().hone_graph_free(self.pointer)

    @classmethod
    def parse(cls, text, name="graph"):
        """The graph that TEXT is, in the form that `hone graph --text --full` prints. Errors are "NAME:LINE:COLUMN:
        ..."."""
        pointer = c_void_p()
        native.check(native.lib().hone_graph_parse(text.encode(), name.encode(), ctypes.byref(pointer)))
        return cls(name, pointer)

    @classmethod
    def read(cls, path):
        """The graph in the text form that is in a file."""
        with open(path, encoding="utf-8") as file:
            return cls.parse(file.read(), os.fspath(path))

    def text(self, full=False):
        """The text form; FULL: with all constants, as it can be read back, else with a hash for long ones."""
        text = native.lib().hone_graph_text(self.pointer, int(full))
        if not text:
            raise native.error_of(-1)
        try:
            return ctypes.string_at(text).decode()
        finally:
            native.lib().hone_graph_text_free(text)

    def model(self, db=None, threads=0):
        """The graph, compiled, as a Model."""
        return Model.of_graph(self, db, threads)

    def file(self):
        """A file with the graph, for the program hone. The same graph is always the same file, so that a campaign
        for it is found again."""
        text = self.text(full=True)
        cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        folder = os.path.join(cache, "hone", "graphs")
        name = re.sub(r"[^A-Za-z0-9_.-]", "_", os.path.basename(self.name)) or "graph"
        path = os.path.join(folder, f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:16]}.graph")
        if not os.path.exists(path):
            os.makedirs(folder, exist_ok=True)
            handle, part = tempfile.mkstemp(dir=folder)
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                out.write(text)
            os.replace(part, path)
        return path

    def __repr__(self):
        return f"<hone.Graph {self.name}>"


class Lines:
    """A graph that is being made. Values are their names, without the % of the text."""

    def __init__(self, name, params):
        """PARAMS: (name, TensorType) of each."""
        self.name = name
        self.made = 0
        head = ", ".join(f"%{name}: {kind}" for name, kind in params)
        self.pointer = c_void_p()
        self._check(native.lib().hone_graph_begin(name.encode(), f"({head})".encode(), ctypes.byref(self.pointer)))

    def __del__(self):
        if self.pointer:
            native.lib().hone_graph_free(self.pointer)

    def _check(self, status):
        if status < 0:
            error = native.error_of(status)
            raise type(error)(_PLACE.sub("", str(error)))

    def _new(self):
        self.made += 1
        return str(self.made)

    def add(self, made, label=""):
        """A value that is MADE so, as the text form has it; its name and its type."""
        name, kind = self._new(), c_char_p()
        line = f"%{name} = {made}" + (f" @{quote(label)}" if label else "")
        self._check(native.lib().hone_graph_line(self.pointer, line.encode(), ctypes.byref(kind)))
        return name, parse_type(kind.value.decode())

    def constant(self, values):
        """An array as a value; its name and its type."""
        name, kind = self._new(), c_char_p()
        tensor, keep = arrays.as_tensor(values)
        self._check(native.lib().hone_graph_constant(self.pointer, name.encode(), ctypes.byref(tensor),
                                                     ctypes.byref(kind)))
        del keep
        return name, parse_type(kind.value.decode())

    def end(self, results):
        """The Graph that gives the values RESULTS."""
        if not results:
            raise InvalidError(f"{self.name} returns no tensor")
        text = ", ".join("%" + name for name in results)
        self._check(native.lib().hone_graph_end(self.pointer, text.encode()))
        pointer, self.pointer = self.pointer, None
        return Graph(self.name, pointer)


# --- operators


class Operator:
    """An operator of graphs: .name, .summary, .least and .most operands (None: any number), .pointwise, and
    .attributes: by name kind, default and meaning."""

    def __init__(self, index, info):
        self.name = info.name.decode()
        self.summary = info.summary.decode()
        self.least = info.least
        self.most = None if info.most < 0 else info.most
        self.pointwise = bool(info.pointwise)
        self.attributes = {}
        one = native.Attribute()
        for i in range(info.attributes):
            native.check(native.lib().hone_operator_attribute(index, i, ctypes.byref(one)))
            kind = _KIND[one.kind]
            default = {"int": int(one.number), "float": one.number}.get(kind)
            if kind in ("string", "element") and one.string is not None:
                default = one.string.decode()
            self.attributes[one.name.decode()] = (kind, default, (one.meaning or b"").decode())

    def describe(self):
        """For people."""
        most = "any number of" if self.most is None else str(self.most)
        count = str(self.least) if self.most == self.least else f"{self.least} to {most}"
        lines = [f"{self.summary}.", "", f"{count} operand{'s' if count != '1' else ''}."]
        for name, (kind, default, meaning) in self.attributes.items():
            lines.append(f"    {name} ({kind}{'' if default is None else f', {default}'}): {meaning}")
        return "\n".join(lines)


_operators = {}


def operators():
    """All operators of the library, by name."""
    if not _operators:
        info, index, found = native.Operator(), 0, {}
        while native.lib().hone_operator(index, ctypes.byref(info)) == 0:
            found[info.name.decode()] = Operator(index, info)
            index += 1
        _operators.update(found)
    return _operators
