# SPDX-License-Identifier: Apache-2.0
"""Functions on tensors, named and with defaults as NumPy and others have them. All else that works element by
element (relu, exp, gelu, ...) is here by the name that the library has for it."""

import numpy

from . import ops
from .errors import trace_error
from .graph import operators
from .tensor import Tensor, call
from .types import dtype

# NumPy's name, and the library's.
RENAMED = {"maximum": "max", "minimum": "min", "power": "pow", "logical_and": "and", "logical_or": "or",
           "logical_xor": "xor", "logical_not": "not", "isnan": "is_nan", "isinf": "is_inf"}


def _list(value):
    return [value] if hasattr(value, "__index__") else list(value)


def _axis(x, axis):
    """AXIS of a Tensor, counted from the front."""
    if not -x.ndim <= axis < x.ndim:
        raise trace_error(f"axis {axis} of {x!r}")
    return axis % x.ndim


# --- products and windows


def matmul(x, y, trans_x=False, trans_y=False):
    """The product of matrices; dims before them broadcast."""
    return call("matmul", (x, y), {"trans_a": int(trans_x), "trans_b": int(trans_y)})


def _per_dim(value, n, what):
    values = [value] * n if hasattr(value, "__index__") else list(value)
    if len(values) != n:
        raise trace_error(f"{what}={value!r} for {n} spatial dims")
    return values


def _pads(padding, n):
    """A number, one for each dim, or (before, behind) for each; "same" is an attribute of its own."""
    if hasattr(padding, "__index__"):
        return [padding] * (2 * n)
    pairs = [(p, p) if hasattr(p, "__index__") else tuple(p) for p in padding]
    if len(pairs) != n or any(len(p) != 2 for p in pairs):
        raise trace_error(f"padding={padding!r} for {n} spatial dims")
    return [p[0] for p in pairs] + [p[1] for p in pairs]


def _window(x, strides, padding, dilation):
    n = x.ndim - 2
    if n < 1:
        raise trace_error(f"{x!r} has no spatial dims: [n, channels, spatial...] is wanted")
    window = {"strides": _per_dim(strides, n, "stride"), "dilations": _per_dim(dilation, n, "dilation")}
    if padding == "same":
        window["auto_pad"] = "same_upper"
    else:
        window["pads"] = _pads(padding, n)
    return window


def conv(x, w, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """The convolution of x [n, ic, spatial...] with w [oc, ic / groups, kernel...]; bias is [oc]. PADDING: a number,
    one for each spatial dim, (before, behind) for each, or "same"."""
    y = call("conv", (x, w), {**_window(x, stride, padding, dilation), "groups": groups})
    return y if bias is None else y + reshape(_as_tensor(y, bias), [-1] + [1] * (x.ndim - 2))


def conv2d(x, w, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """conv() of images x [n, ic, h, w]."""
    if x.ndim != 4:
        raise trace_error(f"conv2d of {x!r}: [n, channels, h, w] is wanted")
    return conv(x, w, bias, stride, padding, dilation, groups)


def _pool(op, x, kernel, stride, padding, dilation, more):
    window = _window(x, kernel if stride is None else stride, padding, dilation)
    return call(op, (x,), {"kernel": _per_dim(kernel, x.ndim - 2, "kernel"), **window, **more})


def max_pool(x, kernel, stride=None, padding=0, dilation=1, ceil=False):
    """The maximum of each window of x [n, c, spatial...]; STRIDE is KERNEL where it is not given."""
    return _pool("max_pool", x, kernel, stride, padding, dilation, {"ceil": int(ceil)})


def avg_pool(x, kernel, stride=None, padding=0, dilation=1, ceil=False, count_include_pad=False):
    """The mean of each window of x [n, c, spatial...]."""
    more = {"ceil": int(ceil), "count_include_pad": int(count_include_pad)}
    return _pool("avg_pool", x, kernel, stride, padding, dilation, more)


# --- along axes


def softmax(x, axis=-1):
    """exp(x) divided by its sum along AXIS."""
    return call("softmax", (x,), {"axis": axis})


def log_softmax(x, axis=-1):
    """The logarithm of softmax()."""
    return call("log_softmax", (x,), {"axis": axis})


def reduce(how, x, axis, keepdims):
    """X reduced by the operator HOW over AXIS: None for all, a number, or several."""
    axes = None if axis is None else _list(axis)
    if axes == []:
        return x
    return call(how, (x,) if axes is None else (x, axes), {"keepdims": int(keepdims)})


def sum(x, axis=None, keepdims=False):
    """The sum over AXIS."""
    return reduce("reduce_sum", x, axis, keepdims)


def mean(x, axis=None, keepdims=False):
    """The mean over AXIS."""
    return reduce("reduce_mean", x, axis, keepdims)


def max(x, axis=None, keepdims=False):
    """The greatest along AXIS; maximum() is of two tensors."""
    return reduce("reduce_max", x, axis, keepdims)


def min(x, axis=None, keepdims=False):
    """The least along AXIS; minimum() is of two tensors."""
    return reduce("reduce_min", x, axis, keepdims)


def prod(x, axis=None, keepdims=False):
    """The product over AXIS."""
    return reduce("reduce_prod", x, axis, keepdims)


def argmax(x, axis, keepdims=False):
    """Where along AXIS x is greatest, first."""
    return call("arg_max", (x,), {"axis": axis, "keepdims": int(keepdims)})


def argmin(x, axis, keepdims=False):
    """Where along AXIS x is least, first."""
    return call("arg_min", (x,), {"axis": axis, "keepdims": int(keepdims)})


def cumsum(x, axis):
    """The sums up to each element along AXIS."""
    return call("cumsum", (x, numpy.asarray(axis, numpy.int64)))


def top_k(x, k, axis=-1):
    """The K greatest along AXIS, in order, and where they are."""
    return call("top_k", (x, numpy.asarray([k], numpy.int64)), {"axis": axis})


def layer_norm(x, axes=-1, scale=None, bias=None, epsilon=1e-5):
    """(x - mean) / sqrt(variance + epsilon) over AXES, times SCALE, plus BIAS."""
    y = call("normalize", (x,), {"axes": [_axis(x, a) for a in _list(axes)], "epsilon": epsilon})
    y = y if scale is None else y * scale
    return y if bias is None else y + bias


# --- shapes


def reshape(x, shape):
    """The elements of x in another shape; -1 is what is left of them."""
    return call("reshape", (x, _list(shape)), {"allowzero": int(0 in _list(shape))} if 0 in _list(shape) else None)


def transpose(x, axes=None):
    """x with its axes in another order; reversed where none is given."""
    return call("transpose", (x,), {"perm": None if axes is None else [_axis(x, a) for a in axes]})


def expand_dims(x, axis):
    """x with axes of extent 1 more, which are AXIS of the result."""
    return call("unsqueeze", (x, _list(axis)))


def squeeze(x, axis=None):
    """x without the axes AXIS, of extent 1; without all such where None is given."""
    return call("squeeze", (x,) if axis is None else (x, _list(axis)))


def broadcast_to(x, shape):
    """x repeated as it takes for SHAPE."""
    return call("expand", (x, _list(shape)))


def concat(tensors, axis=0):
    """Tensors one behind the other along AXIS."""
    return call("concat", tuple(tensors), {"axis": axis})


def stack(tensors, axis=0):
    """Tensors one behind the other along a new axis."""
    return concat([expand_dims(x, axis) for x in tensors], axis)


def split(x, parts, axis=0):
    """The parts of x along AXIS: as many as PARTS says, or of the sizes that it lists."""
    if isinstance(parts, int):
        extent = x.shape[_axis(x, axis)]
        if not isinstance(extent, int) or parts < 1 or extent % parts:
            raise trace_error(f"split of {x!r} into {parts} parts along axis {axis}")
        parts = [extent // parts] * parts
    return call("split", (x, list(parts)), {"axis": axis})


def take(x, indices, axis=0):
    """The slices of x along AXIS that INDICES name."""
    return call("gather", (x, indices), {"axis": axis})


def tile(x, repeats):
    """x repeated along each axis."""
    return call("tile", (x, _list(repeats)))


def pad(x, pads, value=0, mode="constant"):
    """x with elements more: PADS are (before, behind) of each axis. MODE: constant, reflect, edge, wrap."""
    pairs = [tuple(p) for p in pads]
    if len(pairs) != x.ndim:
        raise trace_error(f"pad: {len(pairs)} pairs for {x!r}")
    flat = [p[0] for p in pairs] + [p[1] for p in pairs]
    return call("pad", (x, flat, None if mode != "constant" else _as_tensor(x, value)), {"mode": mode})


# --- elements


def where(condition, x, y):
    """x where CONDITION is true, else y."""
    return call("where", (condition, x, y))


def clip(x, low=None, high=None):
    """x within [low, high]."""
    return call("clip", (x, low, high))


def cast(x, element):
    """x as another type of elements."""
    return call("cast", (x,), {"to": dtype(element)})




def _as_tensor(like, value):
    """VALUE as a Tensor beside LIKE, with its type of elements where it is a number."""
    from .tensor import _number_as, constant
    if isinstance(value, Tensor):
        return value
    return constant(like.lines, _number_as(value, like.dtype) if isinstance(value, (int, float)) else value)


# --- all others


def _pointwise():
    """The names of the library's operators that work element by element and are called here by these."""
    taken = set(RENAMED.values())
    return [name for name, op in operators().items() if op.pointwise and name not in taken]


def __getattr__(name):
    if name in RENAMED:
        op = RENAMED[name]
    elif not name.startswith("_") and name in _pointwise():
        op = name
    else:
        raise AttributeError(f"hone has no function {name}; dir(hone) lists them, dir(hone.ops) the operators")
    return getattr(ops, op + "_" if op in ("and", "or", "not") else op)


def __dir__():
    own = [name for name, value in globals().items() if getattr(value, "__module__", "") == __name__]
    return sorted([name for name in own if not name.startswith("_") and name != "reduce"] + [*RENAMED] + _pointwise())
