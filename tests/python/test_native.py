# SPDX-License-Identifier: Apache-2.0
"""The declarations are those of the headers; the library and the program are found."""
import ctypes
import os
import re
import subprocess
import sys
import tempfile
import unittest
from ctypes import POINTER, c_char_p, c_double, c_int, c_int64, c_void_p

import hone
from hone import dlpack, native, places, types

TOP = os.environ["HONE_TOP"]

# What a C type is by ctypes; handles are of the library.
TYPES = {
    "int": c_int, "int64_t": c_int64, "double": c_double, "void": None, "const char *": c_char_p,
    "char *": c_void_p, "const char **": POINTER(c_char_p), "DLDataType": dlpack.DLDataType,
    "const int64_t *": POINTER(c_int64), "const DLTensor *": POINTER(dlpack.DLTensor), "void *": c_void_p,
    "DLManagedTensor **": POINTER(POINTER(dlpack.DLManagedTensor)),
    "const struct hone_dim *": POINTER(native.Dim),
    "const struct hone_options *": POINTER(native.Options), "struct hone_tensor *": POINTER(native.TensorInfo),
    "struct hone_operator *": POINTER(native.Operator), "struct hone_attribute *": POINTER(native.Attribute),
}
for handle in ("model", "instance", "graph"):
    TYPES[f"struct hone_{handle} *"] = TYPES[f"const struct hone_{handle} *"] = c_void_p
    TYPES[f"struct hone_{handle} **"] = POINTER(c_void_p)


def header():
    """The text of both headers without comments."""
    text = ""
    for name in ("hone.h", "hone_graph.h"):
        with open(os.path.join(TOP, "include", name), encoding="utf-8") as file:
            text += file.read()
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def c_type(declaration):
    """The type and the name of a parameter or member."""
    kind, stars, name = re.fullmatch(r"\s*(.*?)\s*(\**)(\w+)\s*", declaration, re.S).groups()
    return " ".join(kind.split()) + (" " + stars if stars else ""), name


class Declarations(unittest.TestCase):
    def test_functions(self):
        found = {}
        for result, name, parameters in re.findall(r"HONE_API\s+([^;()]*?)(\bhone_\w+)\(([^;]*)\);", header()):
            result = " ".join(result.split()).replace("char *", "char *")
            given = [] if parameters.strip() == "void" else parameters.split(",")
            found[name] = (TYPES[result], [TYPES[c_type(one)[0]] for one in given])
        self.assertEqual(found, native.FUNCTIONS)

    def test_structs(self):
        for name, struct in native.STRUCTS.items():
            body = re.search(r"struct %s \{(.*?)\};" % name, header(), re.S).group(1)
            members = []
            for member in body.split(";")[:-1]:
                if "(*" in member:
                    members.append((re.search(r"\(\*(\w+)\)", member).group(1), native.WARN))
                else:
                    first, *others = member.split(",")
                    kind, one = c_type(first)
                    members += [(n.strip(), TYPES[kind]) for n in (one, *others)]
            self.assertEqual(members, struct._fields_, name)

    def test_statuses(self):
        values = dict(re.findall(r"HONE_(\w+) = (-?\d+)", header()))
        self.assertEqual(values, {"OK": "0", "INVALID": "-1", "UNSUPPORTED": "-2", "FAILED": "-3"})
        self.assertEqual(set(native.STATUS), {-1, -2, -3})

    def test_elements(self):
        with open(os.path.join(TOP, "graph", "ir", "element.def"), encoding="utf-8") as file:
            self.assertEqual(re.findall(r'^X\(\w+, "(\w+)"', file.read(), re.M), list(types.ELEMENTS))

    def test_version(self):
        self.assertEqual(hone.__version__, hone.library_version())


class Places(unittest.TestCase):
    def run_python(self, code, **env):
        return subprocess.run([sys.executable, "-c", code], env={**os.environ, **env}, capture_output=True,
                              text=True, check=False)

    def test_named_library(self):
        done = self.run_python("import hone; hone.library_version()", HONE_LIBRARY="/nowhere/libhone.so")
        self.assertIn("there is no libhone", done.stderr)
        self.assertIn("/nowhere/libhone.so", done.stderr)

    def test_another_library(self):
        done = self.run_python("import hone; hone.library_version()", HONE_LIBRARY="libc.so.6")
        self.assertIn("libc.so.6: it has no hone_", done.stderr)

    def test_named_program(self):
        done = self.run_python("import hone; hone.records('x.db')", HONE="/nowhere/hone")
        self.assertIn("HONE=/nowhere/hone: there is no such program", done.stderr)

    def test_program_of_prefix(self):
        with tempfile.TemporaryDirectory() as prefix:
            os.makedirs(os.path.join(prefix, "bin"))
            os.makedirs(os.path.join(prefix, "lib", "x86_64-linux-gnu"))
            program = os.path.join(prefix, "bin", "hone")
            with open(program, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\n")
            os.chmod(program, 0o755)
            named = os.environ.pop("HONE")
            try:
                for folder in ("lib", "lib/x86_64-linux-gnu"):
                    library = os.path.join(prefix, folder, places.SONAME)
                    self.assertEqual(os.path.realpath(places.find_program(library)), os.path.realpath(program))
            finally:
                os.environ["HONE"] = named

    def test_path_of_library(self):
        self.assertTrue(os.path.exists(native.library_path()))


class Capsules(unittest.TestCase):
    def test_sizes(self):
        self.assertEqual(ctypes.sizeof(dlpack.DLTensor), 48)
        self.assertEqual(ctypes.sizeof(dlpack.DLManagedTensor), 64)


if __name__ == "__main__":
    unittest.main()
