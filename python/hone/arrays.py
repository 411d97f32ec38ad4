# SPDX-License-Identifier: Apache-2.0
"""Arrays that libraries hand each other: NumPy's and those of DLPack, as the library reads and gives them."""

import ctypes
from ctypes import c_int64

import numpy

from . import dlpack
from .dlpack import DLDataType, DLDevice, DLTensor
from .types import ELEMENTS, FORMS, NUMPY, DType, TensorType, dtype


def _int64s(values):
    return (c_int64 * len(values))(*values)


class Array:
    """A tensor in memory of whoever made it: a result, or what from_dlpack() took.

    Has .shape, .dtype (a DType), and hands its elements on without a copy, by __dlpack__ and numpy()."""

    def __init__(self, managed):
        self._managed = managed
        tensor = managed.tensor
        form = (tensor.dtype.code, tensor.dtype.bits)
        if tensor.dtype.lanes != 1 or form not in FORMS:
            raise TypeError(f"elements of DLPack's type code {form[0]}, {form[1]} bits, {tensor.dtype.lanes} lanes")
        self.dtype = DType(FORMS[form])
        self.shape = tuple(tensor.shape[:tensor.ndim])

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def type(self):
        return TensorType(self.dtype, self.shape)

    def __dlpack_device__(self):
        return (dlpack.CPU, 0)

    def __dlpack__(self, stream=None, **wishes):
        if stream is not None:
            raise ValueError("a stream, for a tensor of the CPU")
        if wishes.get("copy"):
            raise BufferError("no copy is made here")
        return dlpack.give(self._managed.tensor, self._managed)

    def _strides(self, element_bytes):
        tensor = self._managed.tensor
        if not tensor.strides:
            return None
        return tuple(stride * element_bytes for stride in tensor.strides[:tensor.ndim])

    def _view(self, name):
        """The memory as NumPy's type NAME of as many bytes."""
        tensor, kind = self._managed.tensor, numpy.dtype(name)
        if 0 in self.shape:
            return numpy.empty(self.shape, kind)
        return numpy.asarray(_Memory(self._managed, {
            "version": 3, "shape": self.shape, "typestr": kind.str, "strides": self._strides(kind.itemsize),
            "data": (tensor.data + tensor.byte_offset, False)}))

    def numpy(self):
        """The same memory as an array of NumPy's; of bf16, which it lacks, a copy in f32 of the same values."""
        name = self.dtype.numpy
        if name:
            return self._view(name)
        if self.dtype == "bf16":
            return numpy.left_shift(self._view("uint16"), 16, dtype=numpy.uint32).view(numpy.float32)
        raise TypeError(f"NumPy has no elements of {self.dtype}: take them by DLPack")

    def __array__(self, dtype=None, copy=None):
        array = self.numpy()
        return array if dtype is None else array.astype(dtype)

    def __len__(self):
        if not self.shape:
            raise TypeError("a tensor without dims has no length")
        return self.shape[0]

    def __repr__(self):
        return f"hone.Array({self.type})"


class _Memory:
    """What NumPy keeps as the base of an array on memory of somebody else's."""

    def __init__(self, owner, interface):
        self.owner = owner
        self.__array_interface__ = interface


def from_dlpack(source):
    """The memory of SOURCE (of torch, jax, NumPy, ...), which has __dlpack__(), as an Array."""
    return Array(dlpack.take(source))


def _bf16_bits(values):
    """The bits of floats rounded to bf16, to nearest even; NaN stays NaN."""
    values = numpy.array(values, numpy.float32)
    bits = values.reshape(-1).view(numpy.uint32).astype(numpy.int64)
    rounded = bits + 0x7fff + (bits >> 16 & 1) >> 16
    quiet = bits >> 16 | 0x40
    return numpy.where(numpy.isnan(values.reshape(-1)), quiet, rounded).astype(numpy.uint16).reshape(values.shape)


def array(values, element=None):
    """VALUES as an Array with elements of ELEMENT, of which NumPy may lack the type: array(x, "bf16")."""
    element = dtype(element) if element is not None else None
    if element is not None and element.name == "bf16":
        return _array_of(_bf16_bits(values), element)
    if element is not None and not element.numpy:
        raise TypeError(f"NumPy has no elements of {element}")
    values = numpy.array(values, element.numpy if element else None)
    return _array_of(values, dtype(values.dtype))


def _array_of(values, element):
    tensor, keep = numpy_tensor(values, element)
    capsule = dlpack.give(tensor, keep)
    return Array(dlpack.take(_Given(capsule)))


class _Given:
    """A capsule as what one takes it from."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack_device__(self):
        return (dlpack.CPU, 0)

    def __dlpack__(self):
        return self.capsule


# --- what the library takes


def numpy_tensor(values, element=None):
    """VALUES of NumPy's as a DLTensor, and what has to live as long as it."""
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    if element is None:
        if values.dtype.name not in NUMPY:
            raise TypeError(f"an array of {values.dtype}: hone has no such elements")
        element = DType(NUMPY[values.dtype.name])
    size = values.dtype.itemsize
    if any(stride % size for stride in values.strides):
        values = numpy.ascontiguousarray(values)
    shape = _int64s(values.shape)
    strides = _int64s([stride // size for stride in values.strides])
    code, bits, _ = ELEMENTS[element.name]
    tensor = DLTensor(values.ctypes.data, DLDevice(dlpack.CPU, 0), values.ndim, DLDataType(code, bits, 1),
                      ctypes.cast(shape, ctypes.POINTER(c_int64)), ctypes.cast(strides, ctypes.POINTER(c_int64)), 0)
    return tensor, (values, shape, strides)


def is_array(value):
    """Is VALUE an array, of NumPy's or of whoever knows DLPack?"""
    return isinstance(value, (numpy.ndarray, Array, numpy.generic)) or hasattr(value, "__dlpack__")


def as_tensor(value, wanted=None):
    """VALUE as a DLTensor, and what has to live as long as it. Numbers and lists become what is WANTED, a
    TensorType, or what NumPy makes of them."""
    if isinstance(value, Array):
        return value._managed.tensor, value
    if isinstance(value, numpy.generic):
        value = numpy.asarray(value)
    if not isinstance(value, numpy.ndarray):
        if hasattr(value, "__dlpack__"):
            managed = dlpack.take(value)
            return managed.tensor, managed
        if wanted is not None and wanted.dtype == "bf16":
            return as_tensor(array(value, "bf16"))
        value = numpy.asarray(value, wanted.dtype.numpy if wanted is not None else None)
    return numpy_tensor(value)


def type_of(value):
    """The TensorType of an array."""
    if isinstance(value, Array):
        return value.type
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return TensorType(dtype(value.dtype), value.shape)
    return from_dlpack(value).type
