# SPDX-License-Identifier: Apache-2.0
"""Every function and operator on tensors against NumPy; none is missing."""
import keyword
import unittest

import numpy as np

import hone
from hone import functions, tensor

R = np.random.default_rng(7)
A = R.standard_normal((3, 4)).astype(np.float32)
B = R.standard_normal((3, 4)).astype(np.float32)
P = np.abs(A) + np.float32(0.1)
U = (A / (np.abs(A).max() * np.float32(1.1))).astype(np.float32)
I = R.integers(-9, 9, (3, 4)).astype(np.int32)
J = R.integers(1, 5, (3, 4)).astype(np.int32)
C = A > 0
IMAGE = R.standard_normal((2, 3, 7, 8)).astype(np.float32)


def traced(fn, *arrays):
    """What FN gives as a graph."""
    names = [f"x{i}" for i in range(len(arrays))]
    scope = {"fn": fn, "hone": hone}
    exec(f"def f({', '.join(names)}): return fn({', '.join(names)})", scope)
    return hone.function(scope["f"], threads=1)(*arrays)


def erf(x):
    import math
    return np.vectorize(math.erf)(x)


def windows(x, kernel, stride, fill):
    """[n, c, places..., taps] of images with padding 1."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=fill)
    view = np.lib.stride_tricks.sliding_window_view(padded, (kernel, kernel), (2, 3))
    return view[:, :, ::stride, ::stride].reshape(*x.shape[:2], -(-x.shape[2] // stride), -(-x.shape[3] // stride), -1)


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


W = R.standard_normal((5, 3, 3, 3)).astype(np.float32)
BIAS = R.standard_normal(5).astype(np.float32)


def conv(x, w, b, stride):
    patches = windows(x, 3, stride, 0).transpose(0, 2, 3, 1, 4)
    y = patches.reshape(*patches.shape[:3], -1) @ w.reshape(w.shape[0], -1).T
    return y.transpose(0, 3, 1, 2) + b[:, None, None]


# By the function's name: what it is called with, and NumPy's word for the same.
ONE = {
    "neg": -A, "abs": abs(A), "floor": np.floor(A), "ceil": np.ceil(A), "round": np.round(A), "exp": np.exp(A),
    "sin": np.sin(A), "cos": np.cos(A), "tan": np.tan(A), "asinh": np.arcsinh(A), "sinh": np.sinh(A),
    "cosh": np.cosh(A), "tanh": np.tanh(A), "atan": np.arctan(A), "erf": erf(A), "sign": np.sign(A),
    "isnan": np.isnan(A), "isinf": np.isinf(A), "relu": np.maximum(A, 0), "sigmoid": 1 / (1 + np.exp(-A)),
    "softplus": np.log1p(np.exp(A)), "softsign": A / (1 + abs(A)), "gelu": A * 0.5 * (1 + erf(A / np.sqrt(2))),
    "silu": A / (1 + np.exp(-A)), "elu": np.where(A < 0, np.expm1(A), A), "celu": np.where(A < 0, np.expm1(A), A),
    "leaky_relu": np.where(A < 0, A * 0.01, A), "hard_sigmoid": np.clip(A * 0.2 + 0.5, 0, 1),
    "hard_swish": A * np.clip(A / 6 + 0.5, 0, 1),
    "selu": np.where(A < 0, np.expm1(A) * 1.6732632 * 1.050701, A * 1.050701),
}
POSITIVE = {"sqrt": np.sqrt(P), "log": np.log(P)}
GREATER = {"acosh": np.arccosh(P + 1)}
WITHIN = {"asin": np.arcsin(U), "acos": np.arccos(U), "atanh": np.arctanh(U)}
TWO = {
    "add": A + B, "sub": A - B, "mul": A * B, "div": A / B, "maximum": np.maximum(A, B), "minimum": np.minimum(A, B),
    "mod": np.mod(A, B), "fmod": np.fmod(A, B), "equal": A == B, "less": A < B, "less_equal": A <= B,
    "prelu": np.where(A < 0, A * B, A),
}
INTEGERS = {
    "bit_and": I & J, "bit_or": I | J, "bit_xor": I ^ J, "shift_left": I << J, "shift_right": I >> J,
}
OTHERS = {
    "matmul": (lambda x, y: hone.matmul(x, y, trans_y=True), (A, B), A @ B.T),
    "conv": (lambda x, w, b: hone.conv(x, w, b, stride=2, padding=[(1, 1), 1]), (IMAGE, W, BIAS),
             conv(IMAGE, W, BIAS, 2)),
    "conv2d": (lambda x, w: hone.conv2d(x, w, BIAS, padding="same"), (IMAGE, W), conv(IMAGE, W, BIAS, 1)),
    "max_pool": (lambda x: hone.max_pool(x, 3, stride=1, padding=1), (IMAGE,), windows(IMAGE, 3, 1, -9e9).max(-1)),
    "avg_pool": (lambda x: hone.avg_pool(x, (3, 3), stride=2, padding=1, count_include_pad=True), (IMAGE,),
                 windows(IMAGE, 3, 2, 0).mean(-1)),
    "softmax": (lambda x: hone.softmax(x, axis=0), (A,), softmax(A, 0)),
    "log_softmax": (hone.log_softmax, (A,), np.log(softmax(A))),
    "sum": (lambda x: hone.sum(x, axis=(0, -1)), (IMAGE,), IMAGE.sum((0, -1))),
    "mean": (lambda x: hone.mean(x, axis=1, keepdims=True), (A,), A.mean(1, keepdims=True)),
    "max": (hone.max, (A,), A.max()),
    "min": (lambda x: hone.min(x, axis=-1), (A,), A.min(-1)),
    "prod": (lambda x: hone.prod(x, axis=0), (A,), A.prod(0)),
    "argmax": (lambda x: hone.argmax(x, 1), (A,), A.argmax(1)),
    "argmin": (lambda x: hone.argmin(x, axis=0, keepdims=True), (A,), A.argmin(0)[None]),
    "cumsum": (lambda x: hone.cumsum(x, 1), (A,), A.cumsum(1)),
    "top_k": (lambda x: hone.top_k(x, 2)[0], (A,), -np.sort(-A, -1)[:, :2]),
    "layer_norm": (lambda x: hone.layer_norm(x, -1, scale=2.0, bias=1.0), (A,),
                   (A - A.mean(1, keepdims=True)) / np.sqrt(A.var(1, keepdims=True) + 1e-5) * 2 + 1),
    "reshape": (lambda x: hone.reshape(x, (2, -1)), (A,), A.reshape(2, -1)),
    "transpose": (lambda x: hone.transpose(x, (0, 2, -1, 1)), (IMAGE,), IMAGE.transpose(0, 2, 3, 1)),
    "expand_dims": (lambda x: hone.expand_dims(x, (0, 2)), (A,), np.expand_dims(A, (0, 2))),
    "squeeze": (lambda x: hone.squeeze(hone.expand_dims(x, 0)), (A,), A),
    "broadcast_to": (lambda x: hone.broadcast_to(x, (2, 3, 4)), (A,), np.broadcast_to(A, (2, 3, 4))),
    "concat": (lambda x, y: hone.concat([x, y, x], axis=1), (A, B), np.concatenate([A, B, A], 1)),
    "stack": (lambda x, y: hone.stack([x, y], axis=1), (A, B), np.stack([A, B], 1)),
    "split": (lambda x: hone.split(x, 2, axis=1)[1], (A,), np.split(A, 2, 1)[1]),
    "take": (lambda x, i: hone.take(x, i, axis=1), (A, np.array([[2, 0], [1, -1]])), A.take([[2, 0], [1, 3]], 1)),
    "tile": (lambda x: hone.tile(x, (2, 1)), (A,), np.tile(A, (2, 1))),
    "pad": (lambda x: hone.pad(x, [(1, 0), (0, 2)], value=7), (A,), np.pad(A, [(1, 0), (0, 2)], constant_values=7)),
    "where": (lambda c, x: hone.where(c, x, 0.5), (C, A), np.where(C, A, np.float32(0.5))),
    "clip": (lambda x: hone.clip(x, -0.5, 0.5), (A,), A.clip(-0.5, 0.5)),
    "cast": (lambda x: hone.cast(x, "i32"), (A,), A.astype(np.int32)),
    "power": (lambda x: hone.power(x, 3), (A,), A**3),
    "logical_and": (hone.logical_and, (C, B > 0), C & (B > 0)),
    "logical_or": (hone.logical_or, (C, B > 0), C | (B > 0)),
    "logical_xor": (hone.logical_xor, (C, B > 0), C ^ (B > 0)),
    "logical_not": (hone.logical_not, (C,), ~C),
    "bitcast": (lambda x: hone.bitcast(x, to="i32"), (A,), A.view(np.int32)),
    "bit_not": (hone.bit_not, (I,), ~I),
}


class Against(unittest.TestCase):
    def compare(self, name, got, want):
        self.assertEqual(got.shape, want.shape, name)
        if got.dtype.kind == "f":
            np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-6, err_msg=name)
        else:
            np.testing.assert_array_equal(got, want, err_msg=name)

    def together(self, table, *arrays):
        """All of a table in one graph."""
        names = list(table)
        results = traced(lambda *xs: [getattr(hone, name)(*xs) for name in names], *arrays)
        for name, got in zip(names, results):
            self.compare(name, got, table[name])

    def test_pointwise(self):
        self.together(ONE, A)
        self.together(POSITIVE, P)
        self.together(GREATER, P + 1)
        self.together(WITHIN, U)
        self.together(TWO, A, B)
        self.together(INTEGERS, I, J)

    def test_others(self):
        for name, (fn, arrays, want) in OTHERS.items():
            with self.subTest(name):
                self.compare(name, traced(fn, *arrays), want)

    def test_all(self):
        tested = {*ONE, *POSITIVE, *GREATER, *WITHIN, *TWO, *INTEGERS, *OTHERS}
        self.assertEqual(tested, set(dir(functions)))
        self.assertLess(set(dir(functions)), set(dir(hone)))

    def test_operators(self):
        """Python's own, with numbers, arrays and tensors on either side."""
        def fn(x, y, i, c):
            return [x + 1, 2 - x, x * y, 1 / y, x @ y.T, -x, abs(x), x // y, i // 3, i % 3, x**2, 2**x, x % y,
                    x < y, x <= 0, x > y, x >= 0.5, x == y, x != y, c & (x > y), c | (x > y), ~c, c ^ True, i & 3, ~i,
                    i << 1, i >> 1, B + x, B @ x.T, np.float32(2) * x, i + np.int32(1), x.sum(), x.mean(axis=0),
                    x.max(1), x.min(axis=-1, keepdims=True), x.reshape(-1), x.reshape(4, 3), x.transpose(1, 0), x.T,
                    x.astype(hone.f64), i.astype(np.float32) / 2]

        class Same(np.ndarray):
            def astype(self, kind):
                return np.asarray(self).astype(np.float64 if kind is hone.f64 else kind)

        want = fn(A.view(Same), B, I, C)
        for k, (got, one) in enumerate(zip(traced(fn, A, B, I, C), want)):
            self.compare(f"expression {k}", got, np.asarray(one))

    def test_indices(self):
        def fn(x):
            return [x[0], x[-1, 2], x[1:], x[..., ::2], x[::-1], x[:, None, 3:0:-2], x[0:2, -2], x[None], x[5:],
                    x[np.array([2, 0])], x[()], x[-2:, :, -3::-1], *x]
        for k, (got, want) in enumerate(zip(traced(fn, IMAGE[0]), fn(IMAGE[0]))):
            self.compare(f"index {k}", got, want)


class Operators(unittest.TestCase):
    def test_none_is_missing(self):
        for name, op in hone.operators().items():
            function = getattr(hone.ops, name + "_" * keyword.iskeyword(name))
            self.assertIn(op.summary, function.__doc__)
        self.assertEqual(len(dir(hone.ops)), len(hone.operators()))
        self.assertGreater(len(hone.operators()), 120)

    def test_functions_name_operators(self):
        for name in functions.RENAMED.values():
            self.assertIn(name, hone.operators())

    def test_by_name(self):
        got = traced(lambda x: hone.ops.resize(x, None, np.float32([1, 1, 2, 2]), mode="nearest", axes=[0, 1, 2, 3]), IMAGE)
        np.testing.assert_array_equal(got, IMAGE.repeat(2, 2).repeat(2, 3))
        got = traced(lambda x: hone.ops.max_pool_indices(x, kernel=[2, 2]), IMAGE)
        np.testing.assert_array_equal(IMAGE.ravel()[got[1]], got[0])
        self.assertFalse(hasattr(hone.ops, "and"))
        self.assertFalse(hasattr(hone, "no_such"))

    def test_attributes(self):
        for attributes, what in (({"nothing": 1}, "softmax has no attribute nothing; it has axis"),
                                 ({"axis": "x"}, "axis = 'x' is no int")):
            with self.assertRaisesRegex(hone.TraceError, what):
                traced(lambda x: hone.ops.softmax(x, **attributes), A)

    def test_outside(self):
        with self.assertRaisesRegex(hone.TraceError, "no operand is a tensor"):
            hone.relu(A)
        self.assertTrue(callable(tensor.call))


if __name__ == "__main__":
    unittest.main()
