# SPDX-License-Identifier: Apache-2.0
"""Tensors of a function that is being traced: they have a type, and no elements.

What is done to one adds a line to the graph, which the library types at once; where operands do not fit, the
error names the line of the program that did it."""

import numpy

from .arrays import is_array
from .errors import HoneError, TraceError, caller, trace_error
from .graph import attribute_text, operators
from .types import TensorType, dtype

_LAST = 2**63 - 1    # as the end of a slice: to the end


def _refuse(what):
    def method(self, *ignored):
        raise trace_error(f"{what}: a tensor that is traced has no elements yet; hone.where() chooses between tensors")
    return method


class Tensor:
    """A value of a graph that is being made."""

    __array_ufunc__ = None    # so that NumPy leaves array + tensor to __radd__

    def __init__(self, lines, name, kind):
        self.lines = lines
        self.name = name
        self.type = kind

    @property
    def dtype(self):
        return self.type.dtype

    @property
    def shape(self):
        return self.type.shape

    @property
    def ndim(self):
        return len(self.known_shape())

    def known_shape(self):
        """The shape, whose rank has to be known."""
        if self.type.shape is None:
            raise trace_error(f"the rank of {self!r} is not known")
        return self.type.shape

    def __repr__(self):
        return f"<hone.Tensor {self.type}>"

    __bool__ = _refuse("used as a condition")
    __int__ = _refuse("int()")
    __float__ = _refuse("float()")
    __index__ = _refuse("used as an index of Python's")
    __array__ = _refuse("used as an array of NumPy's")
    __hash__ = object.__hash__

    def __len__(self):
        shape = self.known_shape()
        if not shape or not isinstance(shape[0], int):
            raise trace_error(f"len() of {self!r}")
        return shape[0]

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    # --- operators

    def _with(self, op, other, turned=False):
        if not isinstance(other, (Tensor, int, float, bool)) and not is_array(other):
            return NotImplemented
        return call(op, (other, self) if turned else (self, other))

    def __add__(self, other):
        return self._with("add", other)

    def __radd__(self, other):
        return self._with("add", other, True)

    def __sub__(self, other):
        return self._with("sub", other)

    def __rsub__(self, other):
        return self._with("sub", other, True)

    def __mul__(self, other):
        return self._with("mul", other)

    def __rmul__(self, other):
        return self._with("mul", other, True)

    def _divided(self, other, turned):
        if not self.dtype.is_float:
            raise trace_error(f"/ of {self.dtype}: integers have //, floats come by .astype()")
        return self._with("div", other, turned)

    def __truediv__(self, other):
        return self._divided(other, False)

    def __rtruediv__(self, other):
        return self._divided(other, True)

    def __mod__(self, other):
        return self._with("mod", other)

    def __rmod__(self, other):
        return self._with("mod", other, True)

    def __floordiv__(self, other):
        if self.dtype.is_float:
            return call("floor", (self._with("div", other),))
        return call("div", (self - self % other, other))

    def __pow__(self, other):
        return self._with("pow", other)

    def __rpow__(self, other):
        return self._with("pow", other, True)

    def __matmul__(self, other):
        return self._with("matmul", other)

    def __rmatmul__(self, other):
        return self._with("matmul", other, True)

    def __neg__(self):
        return call("neg", (self,))

    def __abs__(self):
        return call("abs", (self,))

    def __eq__(self, other):
        return self._with("equal", other)

    def __ne__(self, other):
        same = self._with("equal", other)
        return same if same is NotImplemented else call("not", (same,))

    def __lt__(self, other):
        return self._with("less", other)

    def __le__(self, other):
        return self._with("less_equal", other)

    def __gt__(self, other):
        return self._with("less", other, True)

    def __ge__(self, other):
        return self._with("less_equal", other, True)

    def _logic(self, of_bools, of_bits, *others):
        return call(of_bools if self.dtype.is_bool else of_bits, (self, *others))

    def __and__(self, other):
        return self._logic("and", "bit_and", other)

    def __or__(self, other):
        return self._logic("or", "bit_or", other)

    def __xor__(self, other):
        return self._logic("xor", "bit_xor", other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self):
        return self._logic("not", "bit_not")

    def __lshift__(self, other):
        return self._with("shift_left", other)

    def __rshift__(self, other):
        return self._with("shift_right", other)

    # --- parts

    def _index_tensor(self, index):
        return call("gather", (self, index), {"axis": 0})

    def __getitem__(self, index):
        """Numbers, slices, None and ... as NumPy has them; or one tensor or array of indices, for the first axis."""
        if isinstance(index, Tensor) or is_array(index) and not isinstance(index, numpy.integer):
            return self._index_tensor(index)
        cuts, gone, new = [], [], []    # (begin, end, axis, step) each, axes
        axis = place = 0                # of this tensor, of the result
        for part in _full_index(self, index if isinstance(index, tuple) else (index,)):
            if part is None:
                new.append(place)
            elif isinstance(part, slice):
                begin, end, step = _bounds(part, self.shape[axis])
                if (begin, end, step) != (0, _LAST, 1):
                    cuts.append((begin, end, axis, step))
            else:
                number = _number(self, part, axis)
                cuts.append((number, number + 1 if number != -1 else _LAST, axis, 1))
                gone.append(axis)
                place -= 1
            axis += part is not None
            place += 1
        x = call("slice", (self, *map(list, zip(*cuts)))) if cuts else self
        x = call("squeeze", (x, gone)) if gone else x
        return call("unsqueeze", (x, new)) if new else x

    # --- what functions.py has, as methods

    @property
    def T(self):
        return call("transpose", (self,))

    def astype(self, element):
        return call("cast", (self,), {"to": dtype(element)})

    def reshape(self, *shape):
        from . import functions
        return functions.reshape(self, shape[0] if len(shape) == 1 and hasattr(shape[0], "__iter__") else shape)

    def transpose(self, *axes):
        from . import functions
        return functions.transpose(self, axes[0] if len(axes) == 1 and hasattr(axes[0], "__iter__") else axes or None)

    def _reduced(self, how, axis, keepdims):
        from . import functions
        return functions.reduce(how, self, axis, keepdims)

    def sum(self, axis=None, keepdims=False):
        return self._reduced("reduce_sum", axis, keepdims)

    def mean(self, axis=None, keepdims=False):
        return self._reduced("reduce_mean", axis, keepdims)

    def max(self, axis=None, keepdims=False):
        return self._reduced("reduce_max", axis, keepdims)

    def min(self, axis=None, keepdims=False):
        return self._reduced("reduce_min", axis, keepdims)


def _full_index(x, index):
    """INDEX without ..., with a part for each axis of X."""
    rank = x.ndim
    named = sum(part is not None and part is not Ellipsis for part in index)
    dots = [i for i, part in enumerate(index) if part is Ellipsis]
    if named > rank or len(dots) > 1:
        raise trace_error(f"{named} indices of {x!r}")
    at = dots[0] if dots else len(index)
    return [*index[:at], *[slice(None)] * (rank - named), *index[at + 1:]]


def _bounds(part, extent):
    """Begin, end and step of a slice of an axis."""
    if part == slice(None):
        return 0, _LAST, 1
    if isinstance(extent, int):
        begin, end, step = part.indices(extent)
        return begin, (-extent - 1 if end < 0 else end), step
    step = 1 if part.step is None else part.step
    begin = part.start if part.start is not None else (0 if step > 0 else -1)
    return begin, part.stop if part.stop is not None else (_LAST if step > 0 else -_LAST), step


def _number(x, part, axis):
    """An index of an axis, which has to be one of it."""
    if not hasattr(part, "__index__") or isinstance(part, Tensor):
        raise trace_error(f"an index {part!r}")
    number, extent = part.__index__(), x.shape[axis]
    if isinstance(extent, int) and not -extent <= number < extent:
        raise trace_error(f"index {number} of axis {axis} of {x!r}")
    return number


# --- calls of operators


def _lines_of(operands):
    """The graph that the tensors among OPERANDS are of."""
    found = None
    for x in operands:
        for one in x if isinstance(x, (list, tuple)) else (x,):
            if isinstance(one, Tensor):
                if found is not None and one.lines is not found:
                    raise trace_error("tensors of two functions that are traced")
                found = one.lines
    if found is None:
        raise trace_error("no operand is a tensor of a function that is traced")
    if found.pointer is None:
        raise trace_error("a tensor of a function whose tracing is over")
    return found


def _number_as(value, like):
    """A number of Python's as an element of the type that tensors beside it have."""
    if isinstance(value, bool) or like.is_bool:
        return numpy.asarray(value, bool)
    if isinstance(value, float) and not like.is_float:
        raise trace_error(f"{value!r} with elements of {like}: .astype() makes floats of them")
    if like.is_integer and like.numpy:
        range_of = numpy.iinfo(like.numpy)
        if not range_of.min <= value <= range_of.max:
            raise trace_error(f"{value!r} is no {like}")
    if like.numpy:
        return numpy.asarray(value, like.numpy)
    if like != "bf16":
        raise trace_error(f"{value!r} with elements of {like}")
    from .arrays import array
    return array(value, "bf16")


def constant(lines, value):
    """VALUE, an array, as a tensor of the graph."""
    return Tensor(lines, *lines.constant(value))


def _operand(lines, op, value, like):
    """An operand in the text form."""
    if value is None:
        return "_"
    if isinstance(value, Tensor):
        return "%" + value.name
    if isinstance(value, (bool, int, float)) and op.pointwise:
        value = _number_as(value, like)
    elif isinstance(value, (int, list, tuple)):    # extents, axes, indices
        value = numpy.asarray(value, numpy.int64)
    elif isinstance(value, float):
        value = numpy.asarray(value, numpy.float32)
    elif not is_array(value):
        raise trace_error(f"{op.name}: an operand {value!r}")
    return "%" + constant(lines, value).name


def _like(op, operands):
    """The type of elements that a number among OPERANDS is to have."""
    tensors = [x for x in operands[op.name == "where":] if isinstance(x, Tensor) or is_array(x)]
    if not tensors:
        return dtype("f32")
    first = tensors[0]
    return first.dtype if isinstance(first, Tensor) else dtype(getattr(first.dtype, "name", first.dtype))


def _attributes(op, attributes):
    out = []
    for name, value in attributes.items():
        if name not in op.attributes:
            raise trace_error(f"{op.name} has no attribute {name}" +
                              (f"; it has {', '.join(op.attributes)}" if op.attributes else ""))
        if value is None:
            continue
        try:
            out.append(f"{name} = {attribute_text(op.attributes[name][0], value)}")
        except (TypeError, ValueError, AttributeError):
            raise trace_error(f"{op.name}: {name} = {value!r} is no {op.attributes[name][0]}") from None
    return " {" + ", ".join(out) + "}" if out else ""


def _wrap(lines, name, kind):
    """The value NAME as a Tensor, as several of a tuple."""
    if isinstance(kind, TensorType):
        return Tensor(lines, name, kind)
    if isinstance(kind, tuple):
        return tuple(_wrap(lines, *lines.add(f"%{name}[{i}]")) for i in range(len(kind)))
    raise trace_error(f"a value of type {kind}, which is no tensor")


def _label():
    frame = caller()
    return f"{frame.f_code.co_name}:{frame.f_lineno}" if frame else ""


def call(name, operands, attributes=None):
    """The operator NAME of OPERANDS: tensors, arrays, numbers, None for one that is left out. A Tensor, or a tuple
    of them."""
    op = operators()[name]
    lines = _lines_of(operands)
    like = _like(op, operands)
    try:
        texts = ", ".join(_operand(lines, op, x, like) for x in operands)
        made = lines.add(f"{name}({texts}){_attributes(op, attributes or {})}", _label())
    except TraceError:
        raise
    except (HoneError, TypeError, ValueError, OverflowError) as error:
        raise trace_error(error) from None
    return _wrap(lines, *made)
