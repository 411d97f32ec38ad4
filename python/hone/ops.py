# SPDX-License-Identifier: Apache-2.0
"""The operators of graphs by their own names, as the library lists them: hone.ops.relu(x), hone.ops.conv(x, w,
strides=[2, 2]). Names that Python keeps for itself have a _ behind: hone.ops.and_(x, y)."""

import keyword

from .graph import operators
from .tensor import call


def _python_name(name):
    return name + "_" if keyword.iskeyword(name) else name


def _make(op):
    def function(*operands, **attributes):
        if len(operands) == 1 and op.most is None and isinstance(operands[0], (list, tuple)):
            operands = operands[0]
        return call(op.name, operands, attributes)

    function.__name__ = function.__qualname__ = _python_name(op.name)
    function.__module__ = __name__
    function.__doc__ = op.describe()
    return function


def __getattr__(name):
    op = operators().get(name[:-1] if name.endswith("_") else name)
    if op is None or _python_name(op.name) != name:
        raise AttributeError(f"hone has no operator {name}; dir(hone.ops) lists them")
    function = globals()[name] = _make(op)
    return function


def __dir__():
    return sorted(_python_name(name) for name in operators())
