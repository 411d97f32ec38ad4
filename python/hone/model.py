# SPDX-License-Identifier: Apache-2.0
"""Models that are open: what goes in, what comes out, and runs."""

import ctypes
import os
import threading
import warnings
import weakref
from ctypes import POINTER, c_void_p

import numpy

from . import arrays, native
from .dlpack import DLManagedTensor, DLTensor, Managed
from .errors import HoneError, InvalidError
from .types import FORMS, TensorType


class Port:
    """An input or an output: .name, .type (a TensorType; None where it is no tensor, or DLPack has no form for it)."""

    def __init__(self, info):
        self.name = (info.name or b"").decode("utf-8", "replace")
        form = FORMS.get((info.type.code, info.type.bits))
        self.type = None
        if form and info.ndim >= 0:
            self.type = TensorType(form, [None if x < 0 else x for x in info.shape[:info.ndim]])

    def __repr__(self):
        return f"{self.name}: {self.type}"


class _Handle:
    """A hone_model with the instances of it that nobody runs at the moment.

    It is closed when that was asked for and the last run has ended."""

    def __init__(self, pointer):
        self.pointer = pointer
        self.lock = threading.RLock()    # a finalizer may run in a thread that holds it
        self.idle = []
        self.running = 0
        self.closing = False

    def borrow(self):
        """An instance, for one run."""
        with self.lock:
            if self.closing:
                raise InvalidError("the model is closed")
            self.running += 1
            if self.idle:
                return self.idle.pop()
        instance = c_void_p()
        try:
            native.check(native.lib().hone_instance_new(self.pointer, ctypes.byref(instance)))
        except HoneError:
            self.give_back(None)
            raise
        return instance

    def give_back(self, instance):
        with self.lock:
            self.running -= 1
            if instance is not None:
                self.idle.append(instance)
        self.end()

    def end(self):
        """Closes it where it is to be and can."""
        with self.lock:
            if not self.closing or self.running or self.pointer is None:
                return
            pointer, self.pointer = self.pointer, None
            idle, self.idle = self.idle, []
        for instance in idle:
            native.lib().hone_instance_free(instance)
        native.lib().hone_close(pointer)

    def close(self):
        with self.lock:
            self.closing = True
        self.end()


def _options(db, threads, dims, told):
    """The options of the library; warnings are put into TOLD."""
    options = native.Options(threads=threads)
    if db is not None:
        options.db = os.fsencode(db)
    if dims:
        options.dims = (native.Dim * len(dims))(*((name.encode(), size) for name, size in dims.items()))
        options.ndims = len(dims)
    options.warn = native.WARN(lambda user, line: told.append(line.decode("utf-8", "replace")))
    return options


class Model:
    """A model that is open. Calls may come from any number of threads; each run has memory of its own.

    Model(path, db=None, threads=0, dims=None) reads and compiles the model in the file at PATH (*.onnx, hone's
    *.graph and *.json), or opens a module (*.hone); with the kernels that DB has. THREADS: that a run may use, 0 for
    all cores. DIMS: sizes for dims that an ONNX model leaves open, by name or as "INPUT.AXIS"."""

    def __init__(self, path, db=None, threads=0, dims=None):
        self._open(db, threads, dims,
                   lambda options, pointer: native.lib().hone_open(os.fsencode(path), options, pointer))
        self.name = os.fspath(path)

    @classmethod
    def of_graph(cls, graph, db=None, threads=0):
        """The model of a Graph."""
        model = cls.__new__(cls)
        model._open(db, threads, None,
                    lambda options, pointer: native.lib().hone_graph_open(graph.pointer, options, pointer))
        model.name = graph.name
        return model

    def _open(self, db, threads, dims, how):
        told = []
        options = _options(db, threads, dims, told)
        pointer = c_void_p()
        native.check(how(ctypes.byref(options), ctypes.byref(pointer)))
        for line in told:
            warnings.warn(line, stacklevel=4)
        self._handle = _Handle(pointer)
        self._finalizer = weakref.finalize(self, self._handle.close)
        lib = native.lib()
        self.inputs = self._ports(lib.hone_input, lib.hone_input_count)
        self.outputs = self._ports(lib.hone_output, lib.hone_output_count)

    def _ports(self, get, count):
        info, ports = native.TensorInfo(), []
        for i in range(count(self._handle.pointer)):
            native.check(get(self._handle.pointer, i, ctypes.byref(info)))
            ports.append(Port(info))
        return ports

    def close(self):
        """No more runs; those on their way come to their end, and results stay. Closing twice is allowed."""
        self._finalizer()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def __repr__(self):
        return f"<hone.Model {self.name}: {self.inputs} -> {self.outputs}>"

    # --- runs

    def _ordered(self, values, named):
        """What was given, in the order of the inputs."""
        values = list(values)
        for port in self.inputs[len(values):]:
            if port.name in named:
                values.append(named.pop(port.name))
        if named:
            raise InvalidError(f"{self.name}: there is no input {', '.join(map(repr, named))}, or it was given "
                               f"twice; the inputs are {', '.join(port.name for port in self.inputs)}")
        if len(values) != len(self.inputs):
            raise InvalidError(f"{self.name}: {len(values)} inputs, where the model has {len(self.inputs)}: "
                               f"{', '.join(map(str, self.inputs))}")
        return values

    def _inputs(self, values):
        """The structures of the inputs, and what has to live as long."""
        tensors, keep = (DLTensor * len(values))(), []
        for i, (value, port) in enumerate(zip(values, self.inputs)):
            try:
                tensors[i], kept = arrays.as_tensor(value, port.type)
            except (TypeError, ValueError) as error:
                raise InvalidError(f"input '{port.name}': {error}") from None
            keep.append(kept)
        return tensors, keep

    def run_arrays(self, *values, **named):
        """One run. The results as a list of hone.Array, which others take by DLPack."""
        values = self._ordered(values, named)
        tensors, keep = self._inputs(values)
        results = (POINTER(DLManagedTensor) * len(self.outputs))()
        instance = self._handle.borrow()
        try:
            native.check(native.lib().hone_run(instance, tensors, len(values), results, len(self.outputs)))
        finally:
            self._handle.give_back(instance)
            del keep
        return [arrays.Array(Managed(ctypes.addressof(result.contents))) for result in results]

    def _run_into(self, values, out):
        tensors, keep = self._inputs(values)
        if len(out) != len(self.outputs):
            raise InvalidError(f"{self.name}: out has {len(out)} arrays, where the model has {len(self.outputs)} "
                               "outputs")
        results, kept = (DLTensor * len(out))(), []
        for i, array in enumerate(out):
            if not isinstance(array, numpy.ndarray) or not array.flags.writeable or not array.dtype.isnative:
                raise InvalidError(f"out[{i}] is no array of NumPy's that may be written to")
            if any(stride % array.itemsize for stride in array.strides):
                raise InvalidError(f"out[{i}]: its strides are no multiples of its elements")
            results[i], more = arrays.numpy_tensor(array)
            kept.append(more)
        instance = self._handle.borrow()
        try:
            native.check(native.lib().hone_run_into(instance, tensors, len(values), results, len(out)))
        finally:
            self._handle.give_back(instance)
            del keep, kept

    def run(self, *values, out=None, **named):
        """One run on arrays of NumPy's, or of whoever has __dlpack__; by place or by the inputs' names.

        Dense inputs are read where they lie. The result is an array of NumPy's, a tuple of them where the model
        has several outputs; those whose elements NumPy lacks (bf16) are a hone.Array. OUT: an array, or several,
        to write the results to; they are what is returned."""
        if out is None:
            results = tuple(x.numpy() if x.dtype.numpy else x for x in self.run_arrays(*values, **named))
            return results[0] if len(results) == 1 else results
        self._run_into(self._ordered(values, named), [out] if isinstance(out, numpy.ndarray) else list(out))
        return out

    __call__ = run
