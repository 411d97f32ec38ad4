#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the fuzzer's seeds, a few hundred bytes each: tests/fuzz/make_corpus.py DIRECTORY.

Needs Debian's python3-onnx. Each model has operators whose attributes or constant operands decide
the shape, since that is where the reader computes with numbers from the file.
"""
import os
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT


def node(op, inputs, outputs, **attrs):
    return helper.make_node(op, inputs.split(), outputs.split(), **attrs)


def ints(name, *values):
    return numpy_helper.from_array(np.array(values, dtype=np.int64), name)


def floats(name, *shape):
    return numpy_helper.from_array(np.full(shape, 0.5, dtype=np.float32), name)


def scales(name, *values):
    return numpy_helper.from_array(np.array(values, dtype=np.float32), name)


def model(nodes, constants, shape=("N", 2, 6, 6), opset=13, result="y"):
    image = helper.make_tensor_value_info("x", FLOAT, shape)
    y = helper.make_tensor_value_info(result, FLOAT, None)
    graph = helper.make_graph(nodes, "g", [image], [y], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def branch():
    """An If whose branches read a value from outside."""
    y = helper.make_tensor_value_info("b", FLOAT, None)
    then = helper.make_graph([node("Relu", "x", "b")], "then", [], [y])
    other = helper.make_graph([node("Neg", "x", "b")], "else", [], [y])
    return model([node("ReduceSum", "x", "s", keepdims=0), node("Greater", "s zero", "c"),
                  node("If", "c", "y", then_branch=then, else_branch=other)],
                 [floats("zero")])


MODELS = {
    "cnn": model([node("Conv", "x w b", "a", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
                  node("BatchNormalization", "a b b b b", "n"), node("Relu", "n", "r"),
                  node("Conv", "r d", "e", group=2, strides=[2, 2], dilations=[1, 1]),
                  node("Sigmoid", "e", "s"), node("Mul", "e s", "m"),
                  node("MaxPool", "m", "p i", kernel_shape=[2, 2], ceil_mode=1),
                  node("GlobalAveragePool", "p", "q"), node("Flatten", "q", "f"),
                  node("Gemm", "f v", "z", transB=1), node("Softmax", "z", "y", axis=-1)],
                 [floats("w", 2, 2, 3, 3), floats("b", 2), floats("d", 2, 1, 3, 3),
                  floats("v", 4, 2)]),
    "shapes": model([node("Shape", "x", "s"), node("Gather", "s index", "n"),
                     node("Unsqueeze", "n zero", "u"), node("Cast", "u", "t", to=7),
                     node("Concat", "t rest", "to", axis=0), node("Reshape", "x to", "r"),
                     node("Slice", "s two end", "tail"), node("Mul", "tail two", "size"),
                     node("ReduceProd", "size", "all"), node("Expand", "r one", "e"),
                     node("Range", "zero two two", "k"), node("Add", "e e", "y")],
                    [numpy_helper.from_array(np.array(0), "index"), ints("zero", 0), ints("rest", -1), ints("two", 2), ints("end", 2**63 - 1),
                     ints("one", 1, 1)], shape=(3, 2, 6, 6)),
    "move": model([node("Transpose", "x", "t", perm=[0, 2, 3, 1]), node("Split", "t parts", "a b",
                                                                      axis=1),
                   node("Concat", "a b", "c", axis=-1), node("Pad", "c pads", "p"),
                   node("Tile", "p times", "q"), node("Resize", "q none scales", "z"),
                   node("Squeeze", "z", "y")],
                  [ints("parts", 3, 3), ints("pads", 0, 0, 1, 1, 0, 0, 1, 1),
                   ints("times", 1, 2, 1, 1), scales("scales", 1, 1, 2, 0.5), scales("none")]),
    "old": model([node("Upsample", "x s", "u"), node("ConvTranspose", "u w", "c", strides=[2, 2],
                                                     output_padding=[1, 1]),
                  node("Slice", "c", "l", starts=[0], ends=[-1], axes=[2]),
                  node("Pad", "l", "p", pads=[0, 0, 1, 1, 0, 0, 1, 1]),
                  node("AveragePool", "p", "a", kernel_shape=[3, 3], auto_pad="SAME_UPPER"),
                  node("LRN", "a", "n", size=3), node("Clip", "n", "y", min=0.0, max=6.0)],
                 [scales("s", 1, 1, 2, 2), floats("w", 2, 2, 3, 3)], opset=9),
    "attention": model([node("MatMul", "x x", "a"), node("Softmax", "a", "s"),
                        node("LayerNormalization", "s g g", "n mean dev", axis=-1),
                        node("Erf", "n", "e"), node("Where", "c e n", "w"),
                        node("ReduceMean", "w", "r", axes=[1], keepdims=0),
                        node("Custom", "r", "y", domain="com.example")],
                       [floats("g", 6), numpy_helper.from_array(np.array([True]), "c")],
                       opset=17),
    "branch": branch(),
    # Found by the fuzzer: sums of sizes, and bounds, that do not fit where they go.
    "split": model([node("Split", "x parts", "a y", axis=0)],
                   [ints("parts", 2**63 - 1, 2**63 - 1)]),
    "limits": model([node("Cast", "x", "i", to=7), node("Clip", "i", "c"),
                     node("Min", "c most", "y")], [ints("most", 2**63 - 1)], shape=(3, 2, 6, 6)),
}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, m in MODELS.items():
        m.producer_name = ""
        with open(os.path.join(sys.argv[1], name + ".onnx"), "wb") as f:
            f.write(m.SerializeToString())


if __name__ == "__main__":
    main()
