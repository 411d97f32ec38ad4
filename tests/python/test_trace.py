# SPDX-License-Identifier: Apache-2.0
"""@hone.function: what becomes of parameters, what is traced once and what anew, errors with their lines."""
import inspect
import threading
import unittest

import numpy as np

import hone

R = np.random.default_rng(3)
X = R.standard_normal((4, 8)).astype(np.float32)
W = R.standard_normal((8, 3)).astype(np.float32)


@hone.function
def dense(x: hone.f32[4, 8], w: hone.f32[8, 3]):
    return hone.relu(x @ w)


@hone.function(threads=1)
def general(x: hone.f32["N", "K"], w: hone.f32["K", "M"], scale=1.0):
    return x @ w * scale


def line_of(function, text):
    """The number of the line of FUNCTION that has TEXT."""
    lines, first = inspect.getsourcelines(function)
    return first + next(i for i, line in enumerate(lines) if text in line)


class Tracing(unittest.TestCase):
    def test_text(self):
        self.assertEqual(dense.text(), """graph "dense" @main

fn @main(%x: f32[4, 8], %w: f32[8, 3]) -> f32[4, 3] {
	%%2: f32[4, 3] = matmul(%%x, %%w) @"dense:%d"
	%%3: f32[4, 3] = relu(%%2) @"dense:%d"
	return %%3
}
""".replace("(%x", "(%%x").replace(", %w: f", ", %%w: f") % ((line_of(dense.python, "relu"),) * 2))
        self.assertEqual(hone.Graph.parse(dense.text()).text(), dense.text())

    def test_runs(self):
        for x in (X, X.tolist(), hone.array(X), np.asfortranarray(X)):
            np.testing.assert_allclose(dense(x, W), np.maximum(X @ W, 0), rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(dense.run(w=W, x=X), dense(X, W))
        self.assertEqual(dense.__name__, "dense")
        self.assertEqual(dense.model().inputs[1].type, hone.f32[8, 3])

    def test_symbols(self):
        self.assertIn("f32[N, K]", general.text())
        for n in (1, 4):
            np.testing.assert_allclose(general(X[:n], W, 2.0), X[:n] @ W * 2, rtol=1e-5, atol=1e-6)
        self.assertIn("f32[4, 8]", general.text(X, W))
        self.assertEqual(general.trace(X, W), general.trace(hone.f32[4, 8], hone.f32[8, 3]))
        self.assertNotEqual(general.trace(X, W), general.trace(X, W, 3.0))
        with self.assertRaisesRegex(hone.TraceError, r"w is f32\[7, 3\], where f32\[K, M\] is declared, N is 4, K is 8"):
            general(X, W[:7])

    def test_unannotated(self):
        @hone.function
        def f(x, axis, *, flip=False):
            y = x.sum(axis)
            return -y if flip else y
        np.testing.assert_allclose(f(X, 0), X.sum(0), rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(f(X.astype(np.float64), axis=1, flip=True), -X.astype(float).sum(1))
        with self.assertRaisesRegex(hone.TraceError, "what is axis"):
            f(X)
        with self.assertRaisesRegex(hone.TraceError, "hashable"):
            f(X, [0])

    def test_annotations_as_text(self):
        scope = {"hone": hone}
        exec("from __future__ import annotations\ndef f(x: hone.f32[2]):\n    return x + 1.0", scope)
        self.assertEqual(hone.function(scope["f"])([1, 2]).tolist(), [2, 3])

    def test_element_alone(self):
        @hone.function
        def f(x: hone.bf16):
            return x * 2
        self.assertEqual(f([1.5, -1]).numpy().tolist(), [3, -2])
        self.assertEqual(f(2.0).shape, ())
        with self.assertRaisesRegex(hone.TraceError, r"x is f32\[4, 8\], where bf16\[...\] is declared"):
            f(X)

    def test_structures(self):
        @hone.function
        def f(x):
            return {"a": (x, 1.0), "b": [W]}
        got = f(X)
        np.testing.assert_array_equal(got["a"][0], X)
        self.assertEqual(float(got["a"][1]), 1)
        np.testing.assert_array_equal(got["b"][0], W)
        self.assertIsInstance(got["b"], list)

    def test_constants_are_of_their_day(self):
        bias = np.ones(3, np.float32)

        @hone.function
        def f(x: hone.f32[3]):
            return x + bias
        self.assertEqual(f(np.zeros(3, "f4")).tolist(), [1, 1, 1])
        bias[:] = 5
        self.assertEqual(f(np.zeros(3, "f4")).tolist(), [1, 1, 1])

    def test_nested(self):
        @hone.function
        def f(x: hone.f32[4, 8]):
            return hone.softmax(dense(x, W))
        self.assertIn("matmul", f.text())
        np.testing.assert_allclose(f(X).sum(1), np.ones(4), rtol=1e-5)

    def test_threads(self):
        @hone.function(threads=1)
        def f(x: hone.f32["N"]):
            return x + 1.0
        wrong = []

        def work():
            for n in (1, 2, 3):
                if f(np.arange(n, dtype="f4")).tolist() != list(range(1, n + 1)):
                    wrong.append(n)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_types(self):
        self.assertEqual(repr(hone.f32[2, "N", None]), "f32[2, N, ?]")
        self.assertEqual(hone.types.parse_type("(f32[2, min(N, 3)], (i64[],), f32[...])"),
                         (hone.f32[2, "min(N, 3)"], (hone.i64[()],), hone.f32[...]))
        self.assertEqual([str(hone.types.dtype(x)) for x in (float, "f16", np.int8, np.dtype("bool"))],
                         ["f64", "f16", "i8", "bool"])
        for wrong, error in ((-1, ValueError), (1.5, AttributeError)):
            with self.assertRaises(error):
                hone.f32[wrong]


class Errors(unittest.TestCase):
    def refused(self, body, what, *given):
        """BODY, a function, is refused with WHAT at the line that has a mark."""
        with self.assertRaisesRegex(hone.TraceError, what) as caught:
            hone.function(body).trace(*(given or (X, W)))
        self.assertEqual(caught.exception.lineno, line_of(body, "# here"))
        self.assertEqual(caught.exception.filename, __file__)
        self.assertIn(f"{__file__}:{caught.exception.lineno}: ", str(caught.exception))
        self.assertIn("# here", str(caught.exception))

    def test_lines(self):
        def shapes(x, w):
            y = hone.relu(x)
            return w @ y    # here

        def kinds(x, w):
            y = x.astype("f64")
            return y + w    # here

        def sums(x, w):
            return hone.sum(x, axis=2)    # here

        def windows(x, w):
            return hone.conv2d(x, w)    # here

        def condition(x, w):
            if x.sum() > 0:    # here
                return x
            return w

        def numpys(x, w):
            return np.asarray(x)    # here

        def numbers(x, w):
            return hone.cast(x, "i32") + 1.5    # here

        def overflow(x, w):
            return hone.cast(x, "i8") + 300    # here

        def division(x, w):
            return hone.cast(x, "i32") / 2    # here

        def helper(x):
            return hone.concat([x, x[:, :2]], axis=0)    # here

        def indices(x, w):
            return x[4]    # here

        def reshaped(x, w):
            return x.reshape(5, -1)    # here

        for body, what in ((shapes, "matmul: extents 3 and 4 do not fit"), (kinds, "add: .*f64"), (sums, "axis"),
                           (windows, r"conv2d of <hone.Tensor f32\[4, 8\]>"), (condition, "used as a condition"),
                           (numpys, "used as an array of NumPy's"), (numbers, "1.5 with elements of i32"),
                           (overflow, "300"), (division, "/ of i32"), (indices, "index 4 of axis 0"),
                           (reshaped, "reshape: ")):
            with self.subTest(body.__name__):
                self.refused(body, what)
        with self.assertRaisesRegex(hone.TraceError, "concat: ") as caught:
            hone.function(lambda x: helper(x)).trace(X)
        self.assertEqual(caught.exception.lineno, line_of(helper, "# here"))

    def test_returns(self):
        for returned, what in ((None, "it returns None"), ((), "returns no tensor"), ("x", "it returns 'x'")):
            with self.assertRaisesRegex(hone.InvalidError, what):
                hone.function(lambda x: returned).trace(X)

    def test_leaks(self):
        kept = []
        hone.function(lambda x: kept.append(x) or x).trace(X)
        with self.assertRaisesRegex(hone.TraceError, "tracing is over"):
            hone.relu(kept[0])
        with self.assertRaisesRegex(hone.TraceError, "two functions"):
            hone.function(lambda y: y + kept[0]).trace(X)
        with self.assertRaisesRegex(hone.TraceError, "another function"):
            hone.function(lambda y: kept[0]).trace(X)

    def test_calls(self):
        with self.assertRaisesRegex(hone.TraceError, "to run it takes arrays; what is w"):
            dense(X)
        with self.assertRaises(TypeError):
            dense(X, W, W)
        with self.assertRaisesRegex(hone.TraceError, "named parameters"):
            hone.function(lambda *x: x)(X)
        with self.assertRaisesRegex(hone.TraceError, "needs a database"):
            dense.tune()

        class Has:
            @hone.function
            def method(self, x):
                return x
        with self.assertRaisesRegex(TypeError, "methods cannot be traced"):
            Has().method(X)


if __name__ == "__main__":
    unittest.main()
