#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes cases for `hone conform` that the standard's tests lack: make_cases.py DIRECTORY.

Needs PyPI's onnx (bench/contest/setup installs it) and numpy. What is expected is computed here, by
numpy, from what the standard says.
"""
import os
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def node(op, inputs, outputs, **attrs):
    """Inputs and outputs by name; _ is one left out."""
    names = ["" if name == "_" else name for name in inputs.split()]
    return helper.make_node(op, names, outputs.split(), **attrs)


def info(name, kind=FLOAT, shape=None):
    return helper.make_tensor_value_info(name, kind, shape)


def const(name, values, dtype=np.float32):
    return numpy_helper.from_array(np.array(values, dtype=dtype), name)


def graph(nodes, inputs, outputs, constants=(), **more):
    return helper.make_graph(nodes, "g", inputs, outputs, list(constants), **more)


def model(g, opset=17, functions=(), imports=()):
    sets = [helper.make_opsetid("", opset)] + [helper.make_opsetid(d, v) for d, v in imports]
    return helper.make_model(g, opset_imports=sets, functions=list(functions), ir_version=8)


X = np.array([[1, -2, 3], [-4, 5, -6]], dtype=np.float32)


def captured():
    """Branches that read values and constants around them, through a graph between."""
    inner_yes = graph([node("Mul", "h w", "iy")], [], [info("iy")])
    inner_no = graph([node("Sub", "h x", "in")], [], [info("in")])
    yes = graph([node("Add", "x w", "h"), node("If", "c", "y1", then_branch=inner_yes,
                                               else_branch=inner_no)], [], [info("y1")])
    no = graph([node("Neg", "x", "y2")], [], [info("y2")])
    g = graph([node("If", "c", "y", then_branch=yes, else_branch=no)],
              [info("x", FLOAT, [2, 3]), info("c", BOOL, [])], [info("y")],
              [const("w", [2, 3, 4])])
    w = np.array([2, 3, 4], dtype=np.float32)
    return model(g), [[X, np.array(True)], [X, np.array(False)]], [[(X + w) * w], [-X]]


def untaken():
    """A branch behind a constant condition need not make sense."""
    yes = graph([node("Squeeze", "x zero", "y1")], [], [info("y1")])
    no = graph([node("Identity", "x", "y2")], [], [info("y2")])
    g = graph([node("Shape", "x", "s"), node("Gather", "s first", "n"),
               node("Equal", "n one", "c"), node("If", "c", "y", then_branch=yes,
                                                 else_branch=no)],
              [info("x", FLOAT, [2, 3])], [info("y")],
              [const("zero", [0], np.int64), const("first", 0, np.int64),
               const("one", 1, np.int64)])
    return model(g), [[X]], [[X]]


def growing():
    """A loop whose state has another shape after each iteration."""
    body = graph([node("Concat", "s x", "s2", axis=0), node("ReduceSum", "s2", "total",
                                                            keepdims=0),
                  node("Identity", "go", "go2")],
                 [info("i", INT64, []), info("go", BOOL, []), info("s", FLOAT, [None, 3])],
                 [info("go2", BOOL, []), info("s2"), info("total")])
    g = graph([node("Loop", "n _ x", "y totals", body=body)],
              [info("x", FLOAT, [2, 3]), info("n", INT64, [])],
              [info("y"), info("totals")])
    totals = np.array([X.sum() * (i + 2) for i in range(3)], dtype=np.float32)
    empty = np.zeros(0, dtype=np.float32)
    return (model(g), [[X, np.array(3)], [X, np.array(0)]],
            [[np.concatenate([X] * 4), totals], [X, empty]])


def stops():
    """A loop that its condition ends; the iteration is a value."""
    body = graph([node("Add", "s i", "s2"), node("Less", "s2 limit", "go2")],
                 [info("i", INT64, []), info("go", BOOL, []), info("s", INT64, [])],
                 [info("go2", BOOL, []), info("s2", INT64, [])])
    g = graph([node("Loop", "_ yes start", "y", body=body)], [info("limit", INT64, [])],
              [info("y", INT64, [])], [const("start", 0, np.int64), const("yes", True, bool)])
    return model(g), [[np.array(10)], [np.array(0)]], [[np.array(10)], [np.array(0)]]


def nested():
    """A loop in a loop that reads the outer one's iteration."""
    inner = graph([node("Mul", "i j", "p"), node("Add", "t p", "t2"), node("Identity", "g1", "g2")],
                  [info("j", INT64, []), info("g1", BOOL, []), info("t", INT64, [])],
                  [info("g2", BOOL, []), info("t2", INT64, [])])
    outer = graph([node("Loop", "n _ s", "s2", body=inner), node("Identity", "go", "go2")],
                  [info("i", INT64, []), info("go", BOOL, []), info("s", INT64, [])],
                  [info("go2", BOOL, []), info("s2", INT64, [])])
    g = graph([node("Loop", "n _ zero", "y", body=outer)], [info("n", INT64, [])],
              [info("y", INT64, [])], [const("zero", 0, np.int64)])
    return model(g), [[np.array(5)]], [[np.array(100)]]


def scan_axes():
    """A scan along the last axis from its end, its output stacked there and turned round."""
    body = graph([node("Add", "s e", "s2"), node("Mul", "s2 k", "o")],
                 [info("s", FLOAT, [2]), info("e", FLOAT, [2])],
                 [info("s2", FLOAT, [2]), info("o", FLOAT, [2])])
    g = graph([node("Scan", "start x", "last y", body=body, num_scan_inputs=1,
                    scan_input_axes=[1], scan_input_directions=[1], scan_output_axes=[1],
                    scan_output_directions=[1])],
              [info("start", FLOAT, [2]), info("x", FLOAT, [2, 3])],
              [info("last", FLOAT, [2]), info("y", FLOAT, [2, 3])], [const("k", 10)])
    start = np.array([1, 2], dtype=np.float32)
    sums = start[:, None] + np.cumsum(X[:, ::-1], axis=1)
    return model(g), [[start, X]], [[sums[:, -1], sums[:, ::-1] * 10]]


def functions():
    """The model's own functions: attributes that are handed on, defaults, operands left out."""
    leaky = helper.make_function(
        "own", "Leaky", ["x"], ["y"],
        [helper.make_node("LeakyRelu", ["x"], ["y"], name="l"),
         ], [helper.make_opsetid("", 17)], ["slope"])
    attr = leaky.node[0].attribute.add()
    attr.name, attr.ref_attr_name, attr.type = "alpha", "slope", 1
    half = helper.make_function(
        "own", "Half", ["x", "unused"], ["y", "z"],
        [helper.make_node("Leaky", ["x"], ["y"], domain="own"),
         helper.make_node("Neg", ["y"], ["z"])],
        [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)], [],
        [helper.make_attribute("slope", 0.5)])
    attr = half.node[0].attribute.add()
    attr.name, attr.ref_attr_name, attr.type = "slope", "slope", 1
    g = graph([helper.make_node("Half", ["x"], ["a", "b"], domain="own"),
               helper.make_node("Half", ["x"], ["c"], domain="own", slope=0.25),
               helper.make_node("Leaky", ["x"], ["d"], domain="own", slope=2.0)],
              [info("x", FLOAT, [2, 3])], [info(n) for n in "abcd"])
    out = [np.where(X < 0, X * s, X).astype(np.float32) for s in (0.5, 0.25, 2)]
    return (model(g, functions=[leaky, half], imports=[("own", 1)]), [[X]],
            [[out[0], -out[0], out[1], out[2]]])


def packed():
    """Constants of less than a byte, raw and listed, and of odd number."""
    nodes, outputs, expected = [], [], []
    for name, kind, values in (("u4", TensorProto.UINT4, [1, 15, 7]),
                               ("i4", TensorProto.INT4, [-8, 7, -1])):
        nibbles = [v & 15 for v in values] + [0]
        listed = [nibbles[i] | nibbles[i + 1] << 4 for i in range(0, 4, 2)]
        raw = TensorProto(dims=[3], data_type=kind, raw_data=bytes(listed))
        data = TensorProto(dims=[3], data_type=kind, int32_data=listed)
        for form, t in (("raw", raw), ("listed", data)):
            out = f"{name}_{form}"
            nodes += [helper.make_node("Constant", [], [out + "_p"], value=t),
                      node("Cast", out + "_p", out, to=INT64)]
            outputs.append(info(out, INT64, [3]))
            expected.append(np.array(values))
    nodes.append(node("Identity", "x", "y"))
    return (model(graph(nodes, [info("x", FLOAT, [2, 3])], outputs + [info("y")]), opset=21),
            [[X]], [expected + [X]])


def sparse():
    """A sparse initializer, by flat and by split indices."""
    values = const("w", [5, 7])
    flat = helper.make_sparse_tensor(values, const("i", [1, 5], np.int64), [2, 3])
    split = helper.make_sparse_tensor(const("v", [5, 7]), const("i", [[0, 1], [1, 2]], np.int64),
                                      [2, 3])
    g = graph([node("Add", "x w", "a"), node("Add", "a v", "y")], [info("x", FLOAT, [2, 3])],
              [info("y")], sparse_initializer=[flat, split])
    dense = np.array([[0, 5, 0], [0, 0, 7]], dtype=np.float32)
    return model(g), [[X]], [[X + dense + dense]]


def symbols():
    """Dims with names and expressions of them; the shape is computed."""
    g = graph([node("Shape", "x", "s"), node("Gather", "s zero", "n"),
               node("Mul", "n two", "m"), node("Concat", "m rest", "to", axis=0),
               node("Reshape", "y to", "z")],
              [info("x", FLOAT, ["N", 3]), info("y", FLOAT, ["2*N*3"])], [info("z")],
              [const("zero", [0], np.int64), const("two", [2], np.int64),
               const("rest", [3], np.int64)])
    y = np.arange(12, dtype=np.float32)
    return model(g), [[X, y]], [[y.reshape(4, 3)]]


def external():
    """Weights in another file, the second not at its beginning."""
    g = graph([node("Mul", "x w", "a"), node("Add", "a b", "y")], [info("x", FLOAT, [2, 3])],
              [info("y")], [const("w", [2, 3, 4]), const("b", [1, 1, 2])])
    for at, t in ((0, g.initializer[0]), (16, g.initializer[1])):
        t.ClearField("raw_data")
        t.data_location = TensorProto.EXTERNAL
        for key, value in (("location", "weights.bin"), ("offset", str(at)), ("length", "12")):
            entry = t.external_data.add()
            entry.key, entry.value = key, value
    data = np.array([2, 3, 4, 0, 1, 1, 2], dtype=np.float32)
    return (model(g), [[X]], [[X * data[:3] + data[4:]]], {"weights.bin": data.tobytes()})


CASES = [captured, untaken, growing, stops, nested, scan_axes, functions, packed, sparse, symbols,
         external]


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for case in CASES:
        m, inputs, outputs, *files = case()
        folder = os.path.join(sys.argv[1], case.__name__)
        os.makedirs(folder, exist_ok=True)
        m.producer_name = ""
        write(os.path.join(folder, "model.onnx"), m.SerializeToString())
        for name, data in (files[0] if files else {}).items():
            write(os.path.join(folder, name), data)
        for i, values in enumerate(zip(inputs, outputs)):
            data = os.path.join(folder, f"test_data_set_{i}")
            os.makedirs(data, exist_ok=True)
            for kind, tensors in zip(("input", "output"), values):
                for j, t in enumerate(tensors):
                    write(os.path.join(data, f"{kind}_{j}.pb"),
                          numpy_helper.from_array(np.asarray(t)).SerializeToString())


if __name__ == "__main__":
    main()
