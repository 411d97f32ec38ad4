# SPDX-License-Identifier: Apache-2.0
"""hone: auto-tuning search for deep-learning kernels.

    model = hone.Model("resnet50.onnx", db="tune.db")
    scores = model(image)                               # NumPy or DLPack, in and out

    @hone.function
    def mlp(x: hone.f32[32, 784], w: hone.f32[784, 10]):
        return hone.softmax(hone.relu(x @ w))

    mlp(x, w)
    mlp.tune(db="tune.db", trials=200)
    hone.records("tune.db").frame()

The functions on tensors are those of hone.functions; dir(hone) lists all."""

from . import functions, ops, types
from .arrays import Array, array, from_dlpack
from .campaign import Campaign, tune
from .errors import FailedError, HoneError, InvalidError, TraceError, UnsupportedError
from .graph import Graph, operators
from .model import Model
from .native import version as library_version
from .records import Rows, best, compile, export, records
from .tensor import Tensor
from .trace import Function, function
from .types import DType, TensorType
from .version import __version__

globals().update(types.DTYPES)    # f32, f16, bf16, i64, bool, ...

_OWN = [name for name in globals() if not name.startswith("_")]


def __getattr__(name):
    return getattr(functions, name)


def __dir__():
    return sorted({*_OWN, *dir(functions)})
