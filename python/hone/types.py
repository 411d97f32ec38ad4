# SPDX-License-Identifier: Apache-2.0
"""Types of tensors: hone.f32[32, "N"] has elements f32, 32 rows, and as many columns as N says.

An extent is a number, a string (a symbol or an expression over symbols), or None where it is not known."""

# Elements, with DLPack's code and bits (None: DLPack has no form) and NumPy's name (None: it has none).
ELEMENTS = {
    "f32": (2, 32, "float32"),
    "f64": (2, 64, "float64"),
    "f16": (2, 16, "float16"),
    "bf16": (4, 16, None),
    "f8e4m3fn": (10, 8, None),
    "f8e4m3fnuz": (11, 8, None),
    "f8e5m2": (12, 8, None),
    "f8e5m2fnuz": (13, 8, None),
    "f8e8m0": (14, 8, None),
    "f4e2m1": None,
    "i8": (0, 8, "int8"),
    "i16": (0, 16, "int16"),
    "i32": (0, 32, "int32"),
    "i64": (0, 64, "int64"),
    "i4": None,
    "i2": None,
    "u8": (1, 8, "uint8"),
    "u16": (1, 16, "uint16"),
    "u32": (1, 32, "uint32"),
    "u64": (1, 64, "uint64"),
    "u4": None,
    "u2": None,
    "bool": (6, 8, "bool"),
    "string": None,
}

FORMS = {form[:2]: name for name, form in ELEMENTS.items() if form}
NUMPY = {form[2]: name for name, form in ELEMENTS.items() if form and form[2]}
NUMPY["bfloat16"] = "bf16"    # of ml_dtypes


class DType:
    """The type of elements; DTYPE[extents] is a type of tensors."""

    def __init__(self, name):
        self.name = name

    @property
    def is_float(self):
        return self.name[0] == "f" or self.name == "bf16"

    @property
    def is_bool(self):
        return self.name == "bool"

    @property
    def is_integer(self):
        return not self.is_float and self.name not in ("bool", "string")

    @property
    def numpy(self):
        """NumPy's name of it; None where it has none."""
        form = ELEMENTS[self.name]
        return form[2] if form else None

    def __getitem__(self, shape):
        if shape is ...:
            return TensorType(self, None)
        return TensorType(self, shape if isinstance(shape, tuple) else (shape,))

    def __eq__(self, other):
        return self.name == (other.name if isinstance(other, DType) else other)

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return self.name


def dtype(what):
    """The DType that WHAT is: a DType, its name, or a type of NumPy's."""
    if isinstance(what, DType):
        return what
    name = what if isinstance(what, str) else getattr(what, "name", getattr(what, "__name__", str(what)))
    name = NUMPY.get(name, name)
    if name in ("int", "float"):
        name += "64"
        name = NUMPY[name]
    if name not in ELEMENTS:
        raise TypeError(f"{what!r} is no type of elements: {', '.join(ELEMENTS)}")
    return DType(name)


def _extent(value):
    if value is None or isinstance(value, str):
        return value
    number = value.__index__()
    if number < 0:
        raise ValueError(f"an extent of {number}")
    return number


class TensorType:
    """The type of a tensor: .dtype, and .shape, a tuple, or None where the rank is not known."""

    def __init__(self, element, shape):
        self.dtype = dtype(element)
        self.shape = None if shape is None else tuple(_extent(x) for x in shape)

    @property
    def is_static(self):
        """Are all extents numbers?"""
        return self.shape is not None and all(isinstance(x, int) for x in self.shape)

    def __eq__(self, other):
        return isinstance(other, TensorType) and (self.dtype, self.shape) == (other.dtype, other.shape)

    def __hash__(self):
        return hash((self.dtype, self.shape))

    def __repr__(self):
        if self.shape is None:
            return f"{self.dtype}[...]"
        return f"{self.dtype}[{', '.join('?' if x is None else str(x) for x in self.shape)}]"


def _split(text):
    """TEXT at the commas that are in no brackets."""
    parts, depth, begin = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            parts.append(text[begin:i])
            begin = i + 1
    parts.append(text[begin:])
    return [part.strip() for part in parts if part.strip()]


def parse_type(text):
    """The type that hone writes as TEXT: a TensorType, a tuple of types, or TEXT where it is another kind."""
    if text.startswith("(") and text.endswith(")"):
        return tuple(parse_type(part) for part in _split(text[1:-1]))
    name, bracket, rest = text.partition("[")
    if not bracket or name not in ELEMENTS or not rest.endswith("]"):
        return text
    rest = rest[:-1]
    if rest == "...":
        return TensorType(name, None)
    extents = (None if part == "?" else int(part) if part.lstrip("-").isdigit() else part
               for part in _split(rest))
    return TensorType(name, extents)


DTYPES = {name: DType(name) for name in ELEMENTS}
