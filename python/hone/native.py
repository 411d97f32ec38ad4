# SPDX-License-Identifier: Apache-2.0
"""The interface of include/hone.h and include/hone_graph.h by ctypes; a test holds it against both."""

import ctypes
import os
import threading
from ctypes import POINTER, c_char_p, c_double, c_int, c_int64, c_void_p

from . import places
from .dlpack import DLDataType, DLManagedTensor, DLTensor
from .errors import FailedError, HoneError, InvalidError, UnsupportedError

WARN = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)


class Dim(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("size", c_int64)]


class Options(ctypes.Structure):
    _fields_ = [("db", c_char_p), ("threads", c_int), ("dims", POINTER(Dim)), ("ndims", c_int),
                ("warn", WARN), ("user", c_void_p)]


class TensorInfo(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("type", DLDataType), ("ndim", c_int), ("shape", POINTER(c_int64))]


class Operator(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("summary", c_char_p), ("least", c_int), ("most", c_int),
                ("attributes", c_int), ("pointwise", c_int)]


class Attribute(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("kind", c_int), ("number", c_double), ("string", c_char_p),
                ("meaning", c_char_p)]


STRUCTS = {"hone_dim": Dim, "hone_options": Options, "hone_tensor": TensorInfo, "hone_operator": Operator,
           "hone_attribute": Attribute}

# What handles point to is the library's own.
FUNCTIONS = {
    "hone_version": (c_char_p, []),
    "hone_error": (c_char_p, []),
    "hone_open": (c_int, [c_char_p, POINTER(Options), POINTER(c_void_p)]),
    "hone_close": (None, [c_void_p]),
    "hone_input_count": (c_int, [c_void_p]),
    "hone_output_count": (c_int, [c_void_p]),
    "hone_input": (c_int, [c_void_p, c_int, POINTER(TensorInfo)]),
    "hone_output": (c_int, [c_void_p, c_int, POINTER(TensorInfo)]),
    "hone_instance_new": (c_int, [c_void_p, POINTER(c_void_p)]),
    "hone_instance_free": (None, [c_void_p]),
    "hone_run": (c_int, [c_void_p, POINTER(DLTensor), c_int, POINTER(POINTER(DLManagedTensor)), c_int]),
    "hone_run_into": (c_int, [c_void_p, POINTER(DLTensor), c_int, POINTER(DLTensor), c_int]),
    "hone_graph_parse": (c_int, [c_char_p, c_char_p, POINTER(c_void_p)]),
    "hone_graph_free": (None, [c_void_p]),
    "hone_graph_text": (c_void_p, [c_void_p, c_int]),
    "hone_graph_text_free": (None, [c_void_p]),
    "hone_graph_open": (c_int, [c_void_p, POINTER(Options), POINTER(c_void_p)]),
    "hone_graph_begin": (c_int, [c_char_p, c_char_p, POINTER(c_void_p)]),
    "hone_graph_line": (c_int, [c_void_p, c_char_p, POINTER(c_char_p)]),
    "hone_graph_constant": (c_int, [c_void_p, c_char_p, POINTER(DLTensor), POINTER(c_char_p)]),
    "hone_graph_end": (c_int, [c_void_p, c_char_p]),
    "hone_operator": (c_int, [c_int, POINTER(Operator)]),
    "hone_operator_attribute": (c_int, [c_int, c_int, POINTER(Attribute)]),
}

STATUS = {-1: InvalidError, -2: UnsupportedError, -3: FailedError}

_lock = threading.RLock()
_library = None


def _declare(library, path):
    for name, (result, arguments) in FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise FailedError(f"{path}: it has no {name}: this package is of another version of hone; install "
                              "both of one") from None
        function.restype = result
        function.argtypes = arguments


def _load():
    tried = []
    for path in places.library_candidates():
        try:
            library = ctypes.CDLL(path)
        except OSError as error:
            tried.append(f"{path}: {error}")
            continue
        _declare(library, path)
        return library
    raise places.no_library(tried)


def lib():
    """The library, loaded by the first who asks."""
    global _library
    if _library is None:
        with _lock:
            if _library is None:
                _library = _load()
    return _library


def library_path():
    """The file that the library was loaded from."""
    name = lib()._name
    if os.sep in name:
        return name
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        for line in maps:
            path = line.split(maxsplit=5)[-1].strip()
            if os.path.basename(path).startswith(places.SONAME):
                return path
    return name


def version():
    """The version of the library."""
    return lib().hone_version().decode()


def error_of(status):
    """The exception for a status of the call that this thread has just made."""
    message = lib().hone_error().decode("utf-8", "replace")
    return STATUS.get(status, HoneError)(message or f"status {status}")


def check(status):
    """Raises what a call of the library says of its failure."""
    if status < 0:
        raise error_of(status)
