#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""whole.py NAME: an inference engine as a contestant of `hone bench --suite models`.

Speaks the lines of bench/contest/referee/conversation.h about settings, bench/models/setting.h. The engines
have the options of engine.py; what their processes hold beside the engine is numpy and the inputs.
"""
import json
import os
import time

import engine


class Setting:
    """The model, the sizes of its open dims, and its inputs."""

    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "setting.json"), encoding="utf-8") as file:
            setting = json.load(file)
        self.model = setting["model"]
        self.dims = setting["dims"]
        self.names = setting["inputs"]
        if not self.model.endswith(".onnx"):
            raise engine.Cannot("it is no ONNX model")

    def shape(self, name):
        """Of an input; its elements stay in the file."""
        import numpy
        return list(numpy.load(self.path(name), mmap_mode="r").shape)

    def array(self, name):
        import numpy
        return numpy.load(self.path(name))

    def path(self, name):
        return os.path.join(self.folder, f"input{self.names.index(name)}.npy")


class OnnxRuntime:
    """ONNX Runtime with inputs bound to memory that stays."""

    ENTRIES = {"model": "all optimizations, f32; inputs bound, not copied; a call from Python in "
                        "the clock"}

    version = staticmethod(engine.OnnxRuntime.version)

    def __init__(self, setting, threads):
        import onnxruntime
        options = engine.OnnxRuntime.options(threads)
        for name, size in setting.dims.items():
            options.add_free_dimension_override_by_name(name, size)
        self.session = onnxruntime.InferenceSession(setting.model, options,
                                                    providers=["CPUExecutionProvider"])
        self.run_options = onnxruntime.RunOptions()

    def run(self):
        self.session.run_with_iobinding(self.binding, self.run_options)

    def feed(self, setting):
        import onnxruntime
        self.binding = self.session.io_binding()
        self.given = []  # the binding does not keep them alive
        for given in self.session.get_inputs():
            value = onnxruntime.OrtValue.ortvalue_from_numpy(setting.array(given.name))
            self.given.append(value)
            self.binding.bind_ortvalue_input(given.name, value)
        for result in self.session.get_outputs():
            self.binding.bind_output(result.name, "cpu")

    def arrays(self):
        return [value.numpy() for value in self.binding.get_outputs()]


class OpenVino:
    """OpenVINO, tuned for latency in f32, its shapes made static before."""

    ENTRIES = {"model": "tuned for latency, f32; inputs and outputs shared, not copied; a call from "
                        "Python in the clock"}

    version = staticmethod(engine.OpenVino.version)

    def __init__(self, setting, threads):
        import openvino
        core = openvino.Core()
        network = core.read_model(setting.model)
        if network.is_dynamic():
            network.reshape({given.any_name: setting.shape(given.any_name)
                             for given in network.inputs})
        self.compiled = core.compile_model(network, "CPU", engine.OpenVino.options(threads))
        self.request = self.compiled.create_infer_request()

    def run(self):
        self.request.infer(share_outputs=True)

    def feed(self, setting):
        import openvino
        self.given = []  # the request does not keep them alive
        for given in self.compiled.inputs:
            self.given.append(setting.array(given.any_name))
            self.request.set_tensor(given, openvino.Tensor(self.given[-1], shared_memory=True))

    def arrays(self):
        return [self.request.get_tensor(result).data for result in self.compiled.outputs]


ENGINES = {"onnxruntime": OnnxRuntime, "openvino": OpenVino}


class Contestant(engine.Contestant):
    """One engine and the model that it has opened."""

    def prepare(self, rest):
        folder, _, threads = self.begin(rest)
        setting = Setting(folder)
        self.engine.version()  # loads the library, which is no part of a start
        begin = time.monotonic_ns()
        prepared = self.engine(setting, threads)
        created = time.monotonic_ns() - begin
        prepared.feed(setting)
        begin = time.monotonic_ns()
        prepared.run()
        self.prepared = prepared
        return f"{created} {time.monotonic_ns() - begin}"

    def check(self, path):
        import numpy
        prepared = self.demand()
        prepared.run()
        os.makedirs(path, exist_ok=True)
        for i, array in enumerate(prepared.arrays()):
            numpy.save(os.path.join(path, f"output{i}.npy"), numpy.ascontiguousarray(array))
        return ""


if __name__ == "__main__":
    engine.converse(ENGINES, Contestant)
