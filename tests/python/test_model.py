# SPDX-License-Identifier: Apache-2.0
"""Models on arrays of NumPy's and by DLPack; several threads; closing."""
import gc
import os
import tempfile
import threading
import unittest
import weakref

import numpy as np

import hone
from hone import dlpack

TOP = os.environ["HONE_TOP"]
ADD = """graph add
fn @main(%x: f32[2, 3], %y: f32[3]) -> f32[2, 3] {
	%sum = add(%x, %y)
	return %sum
}
"""
X = np.arange(6, dtype=np.float32).reshape(2, 3)
Y = np.array([10, 20, 30], np.float32)


def graph(params, *lines, results):
    return hone.Graph.parse(f"graph g\nfn @main({params}) {{\n" + "".join(f"\t{line}\n" for line in lines) +
                            f"\treturn {results}\n}}\n")


SCORES = graph("%x: f32[64, 256]", "%t = transpose(%x)", "%p = matmul(%x, %t)", "%s = softmax(%p)", results="%s")
IMAGES = np.random.default_rng(0).random((4, 64, 256), np.float32)


class OfDLPack:
    """What a library without NumPy would give."""

    def __init__(self, values):
        self.values = values
        self.alive = []

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self):
        return self.values.__dlpack__()


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = hone.Graph.parse(ADD).model(threads=1)

    def test_ports(self):
        self.assertEqual([p.name for p in self.model.inputs], ["x", "y"])
        self.assertEqual(self.model.outputs[0].type, hone.f32[2, 3])

    def test_numpy(self):
        for _ in range(2):
            self.assertTrue(np.array_equal(self.model(X, Y), X + Y))
        self.assertTrue(np.array_equal(self.model.run(X, y=Y), X + Y))
        self.assertTrue(np.array_equal(self.model.run(y=Y, x=X), X + Y))

    def test_forms(self):
        for x in (np.asfortranarray(X), np.flip(np.flip(X)), X.astype(">f4"), X.tolist(), OfDLPack(X),
                  np.repeat(X, 2, axis=1)[:, ::2], hone.from_dlpack(X.copy()), hone.array(X)):
            self.assertTrue(np.array_equal(self.model(x, Y), X + Y), type(x))
        packed = np.zeros(2, [("a", "u1"), ("x", "f4", 3)])
        packed["x"] = X
        self.assertTrue(np.array_equal(self.model(packed["x"], Y), X + Y))    # strides that are no multiples

    def test_readonly(self):
        x = X.copy()
        x.flags.writeable = False
        self.assertTrue(np.array_equal(self.model(x, Y), X + Y))

    def test_no_copy(self):
        tensor, keep = hone.arrays.as_tensor(X)
        self.assertEqual(tensor.data, X.ctypes.data)
        array = hone.array(X)
        self.assertEqual(array.numpy().ctypes.data, array._managed.tensor.data)
        result = self.model.run_arrays(X, Y)[0]
        self.assertEqual(result.numpy().ctypes.data, result._managed.tensor.data)
        del keep

    def test_out(self):
        out = np.zeros((2, 6), np.float32)
        self.assertIs(self.model.run(X, Y, out=out[:, ::2]).base, out)
        self.assertTrue(np.array_equal(out[:, ::2], X + Y))
        self.assertEqual(out[:, 1::2].sum(), 0)
        out.flags.writeable = False
        with self.assertRaisesRegex(hone.InvalidError, "may be written to"):
            self.model.run(X, Y, out=out[:, ::2])
        with self.assertRaisesRegex(hone.InvalidError, "another shape"):
            self.model.run(X, Y, out=np.zeros(3, np.float32))

    def test_refuses(self):
        for given, named, what in (
                ((X,), {}, "1 inputs, where the model has 2"), ((X, Y, Y), {}, "3 inputs"),
                ((X, Y), {"y": Y}, "no input 'y', or it was given twice"),
                ((X.astype(int), Y), {}, r"input 'x' is i64\[2, 3\], the model wants f32\[2, 3\]"),
                ((X.astype(complex), Y), {}, "input 'x': an array of complex128"),
                ((X[:, :2], Y), {}, r"f32\[2, 2\], the model wants")):
            with self.assertRaisesRegex(hone.InvalidError, what):
                self.model(*given, **named)

    def test_outlives(self):
        model = hone.Graph.parse(ADD).model(threads=1)
        result = model(X, Y)
        model.close()
        model.close()
        del model
        gc.collect()
        self.assertTrue(np.array_equal(result, X + Y))
        with hone.Graph.parse(ADD).model(threads=1) as model:
            pass
        with self.assertRaisesRegex(hone.InvalidError, "closed"):
            model(X, Y)

    def test_several_and_empty(self):
        model = graph("%x: f32[2, 0], %s: i64[], %b: bool[3]", "%n = not(%b)", "%t = add(%s, %s)",
                      results="%x, %t, %n").model()
        x, t, n = model(np.zeros((2, 0), np.float32), 21, [True, False, True])
        self.assertEqual((x.shape, int(t), n.tolist()), ((2, 0), 42, [False, True, False]))
        self.assertEqual((t.shape, n.dtype), ((), np.dtype(bool)))

    def test_open_dims(self):
        path = os.path.join(TOP, "tests", "conformance", "cases", "symbols", "model.onnx")
        self.assertEqual(hone.Model(path, dims={"N": 2}).inputs[0].type.shape[0], 2)
        with self.assertRaisesRegex(hone.FailedError, "nowhere.onnx"):
            hone.Model("/nowhere.onnx")

    def test_modules(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scores.hone")
            hone.compile(SCORES, path, threads=1)
            with hone.Model(path) as module, SCORES.model(threads=1) as model:
                self.assertTrue(np.array_equal(module(IMAGES[0]), model(IMAGES[0])))


class DLPack(unittest.TestCase):
    def test_halves(self):
        model = graph("%x: bf16[3], %y: f16[3]", "%a = add(%x, %x)", "%b = add(%y, %y)", results="%a, %b").model()
        values = [1, 2.5, float("nan")]
        x, y = model(hone.array(values, "bf16"), np.array(values, np.float16))
        self.assertIsInstance(x, hone.Array)
        self.assertEqual((str(x.type), y.dtype), ("bf16[3]", np.dtype("float16")))
        np.testing.assert_array_equal(x.numpy(), np.float32([2, 5, np.nan]))
        np.testing.assert_array_equal(np.asarray(x), x.numpy())
        np.testing.assert_array_equal(y, np.float16([2, 5, np.nan]))

    def test_rounds(self):
        x = np.array([1 + 2**-8, 1 + 3 * 2**-8, -3e38, 1e-40, 0.1], np.float32)
        got = hone.array(x, "bf16").numpy()
        self.assertEqual(got[:2].tolist(), [1, 1 + 4 * 2**-8])    # ties go to even
        self.assertTrue(np.all(np.abs(got - x) <= np.abs(x) * 2**-8 + 1e-40))
        self.assertEqual(hone.array(2.0, "bf16").shape, ())

    def test_gives(self):
        array = hone.array(X)
        views = [np.from_dlpack(array) for _ in range(2)]
        del array
        gc.collect()
        for view in views:
            self.assertTrue(np.array_equal(view, X))
        del views, view
        gc.collect()
        self.assertFalse(dlpack._exports)

    def test_takes(self):
        x = X.copy()
        gone = weakref.ref(x)
        array = hone.from_dlpack(x)
        x[0, 0] = 7
        self.assertEqual(array.numpy()[0, 0], 7)
        view = array.numpy()
        del array, x
        gc.collect()
        self.assertEqual(view[0, 0], 7)
        del view
        gc.collect()
        self.assertIsNone(gone())

    def test_untaken(self):
        array = hone.array(X)
        capsule = array.__dlpack__()
        del array, capsule
        gc.collect()
        self.assertFalse(dlpack._exports)

    def test_refuses(self):
        array = hone.array(X)
        capsule = array.__dlpack__()
        given = hone.arrays._Given(capsule)
        hone.from_dlpack(given)
        with self.assertRaisesRegex(ValueError, "taken already"):
            hone.from_dlpack(given)
        given.__class__ = type("OnGPU", (hone.arrays._Given,), {"__dlpack_device__": lambda self: (2, 0)})
        with self.assertRaisesRegex(ValueError, "device type 2"):
            hone.from_dlpack(given)


class Threads(unittest.TestCase):
    def test_at_once(self):
        model = SCORES.model(threads=1)
        alone = [model(image) for image in IMAGES]
        wrong = []

        def work(i):
            for _ in range(10):
                if not np.array_equal(model(IMAGES[i]), alone[i]):
                    wrong.append(i)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        self.assertLessEqual(len(model._handle.idle), 5)

    def test_close_while_running(self):
        for _ in range(5):
            model = SCORES.model(threads=1)
            ends, started = [], threading.Event()

            def work():
                try:
                    while True:
                        model(IMAGES[0])
                        started.set()
                except hone.InvalidError as error:
                    ends.append(str(error))

            threads = [threading.Thread(target=work) for _ in range(3)]
            for thread in threads:
                thread.start()
            started.wait()
            model.close()
            for thread in threads:
                thread.join()
            self.assertEqual(ends, ["the model is closed"] * 3)
            self.assertIsNone(model._handle.pointer)


class Graphs(unittest.TestCase):
    def test_text(self):
        g = hone.Graph.parse(ADD)
        self.assertEqual(hone.Graph.parse(g.text(full=True)).text(full=True), g.text(full=True))

    def test_errors(self):
        with self.assertRaisesRegex(hone.InvalidError, r"^a.graph:2:14: expected"):
            hone.Graph.parse("graph g\nfn @main(%x: f33[2]) {\n\treturn %x\n}\n", "a.graph")


if __name__ == "__main__":
    unittest.main()
